"""Games of all books for the recomputation: with clocks, forfeits, delays, forks and private tables, stored as a server stores them."""

import time
from collections.abc import Iterator, Sequence
from random import Random

from msgspec.structs import replace

from domain.commands import AbandonGame
from domain.deciding import decide
from domain.events import (
    AnyEvent,
    BidChallenged,
    BidPlaced,
    DiceRerolled,
    GameAbandoned,
    GameCreated,
    GameEnded,
    GameStarted,
    PlayerForfeited,
    PlayerJoined,
    Rolled,
    TurnTimedOut,
)
from domain.evolve import fold
from domain.history.forking import waits
from infra.events.mapping import EventMapper, EventTranscoder, GameEvent
from infra.postgres.players import PlayerStore
from services.access.identity import token_hash
from services.access.table_events import TABLE_TOPICS, TableOpened, table_stream
from services.simulation.simulation import play_game, setups_of_all
from tests.audit.stored_games import store_games, stored
from tests.domain.notation.play import SETTINGS, events_of
from tests.projector.models import Models
from tests.servers import KEYS

READER = "ann"
"""The player with a token: she asks about her own games too."""
TOKEN = "lqd_" + "a" * 43
PEOPLE = ("bob", "cleo", *(f"p{number}" for number in range(20)), READER)
BEGAN = 1_700_000_000_000
APART = 5_000_000
DAY = 86_400
HIDDEN_EVERY = 40
"""One game of so many has an end that not everybody may know yet."""
DONE = (GameStarted, Rolled, BidPlaced, DiceRerolled, BidChallenged, TurnTimedOut, PlayerForfeited, GameAbandoned)
"""What players and the clock do. All else follows from it at the same moment."""
PAUSES = (0, 0, 300, 700, 1_500, 4_000, 12_000, 40_000, 200_000)
LONG_PAUSE = 90_000_000
"""Longer than a day, which a move counts for at most."""
_TABLES = EventMapper(EventTranscoder(KEYS, must_open=True, topics=TABLE_TOPICS))


def over(events: list[AnyEvent]) -> list[AnyEvent]:
    """The game, which is closed if it is not over yet."""
    if isinstance(events[-1], GameEnded | GameAbandoned):
        return events
    return [*events, *decide(AbandonGame(reason="the table was closed"), fold(events))]


def timed(events: Sequence[AnyEvent], chance: Random, at: int = BEGAN) -> Iterator[AnyEvent]:
    """The game at other times, with pauses of all lengths before what is done."""
    before: AnyEvent | None = None
    for event in events:
        if isinstance(event, DONE) and not isinstance(before, TurnTimedOut):
            at += LONG_PAUSE if chance.random() < 0.002 else chance.choice(PAUSES)
        before = replace(event, at=at)
        yield before


def _played(number: int) -> list[AnyEvent]:
    """A game between bots with clocks, or one at random in which players give up and tables are closed."""
    if number % 2:
        setups = setups_of_all()
        return list(play_game(setups[number * 7 % len(setups)], 17, number).events)
    return over(events_of(SETTINGS[number // 2 % len(SETTINGS)], number))


def _retold(number: int, chance: Random) -> tuple[str, list[AnyEvent], TableOpened]:
    """A game with people and bots at a table of some kind."""
    game_id, private, hidden = f"game-{number:05}", number % 6 == 1, number % HIDDEN_EVERY == 23
    people = chance.sample(PEOPLE[:-1][: 3 + number % 21], min(3 + number % 21, len(PEOPLE) - 1))
    if private or hidden or chance.random() < 0.3:
        people.append(READER)  # She sits down first.
    events = [_moved(event, game_id, people, chance) for event in _played(number)]
    # Most games were long ago. The end of a hidden one is not known to everybody yet.
    began = int(time.time() - 10 * DAY) * 1_000 if hidden else BEGAN + number * APART
    timed_events = list(timed(events, chance, began))
    fork = chance.choice([step for step, _ in waits(events)] or [None]) if number % 9 == 0 else None
    table = TableOpened(
        owner_id="owner",
        private=private,
        spectator_delay_seconds=30 * DAY if hidden else chance.choice((0, 0, 60, DAY)),
        rematch_of=None,
        seed=b"s" * 32,
        invitation_code=None,
        forked_from=None if fork is None else "past",
        forked_version=fork,
    )
    return game_id, timed_events, table


def _moved(event: AnyEvent, game_id: str, people: list[str], chance: Random) -> AnyEvent:
    match event:
        case GameCreated():
            return replace(event, game_id=game_id)
        case PlayerJoined():
            return _seated(event, people, chance)
        case _:
            return event


def _seated(event: PlayerJoined, people: list[str], chance: Random) -> PlayerJoined:
    if not people or (people[-1] != READER and chance.random() < 0.25):
        strategy = chance.choice(("cautious", "bluffing"))
        return replace(event, player_id=f"bot.{strategy}.{event.seat:08x}", name=strategy, kind="bot")
    player_id = people.pop()
    return replace(event, player_id=player_id, name=f"{player_id} {chance.randrange(3)}", kind="human")


async def fill(models: Models, count: int) -> None:
    """Store so many games that a reader may see, and some whose end is hidden; the read models take them in."""
    known_players = await PlayerStore.open(models.url)
    await known_players.add(READER, "Ann", token_hash(TOKEN), ("player",))
    await known_players.close()
    chance = Random(17)
    for number in range(count + -(-count // (HIDDEN_EVERY - 1))):
        game_id, events, table = _retold(number, chance)
        opened = _TABLES.to_stored_event(GameEvent(table_stream(game_id), 1, table))  # type: ignore[arg-type]
        await models.store.append([opened], f"open {game_id}")
        await store_games(models.store, {game_id: stored(game_id, events)})
    await models.caught_up()
