"""Practice games: a finished game goes on from one of its steps, with the caller on one seat and bots on the others.

As for every table, the secrets of the new game are stored first: the seeds of the server and of all seats, and the step
that the game is forked from. Then one append stores all of its past. If the server goes down in between, there is a
table without a game; the same request, sent again, completes it.
"""

from collections.abc import Iterator, Sequence

from domain.deciding.checks import in_play
from domain.events import AnyEvent
from domain.history.forking import Substitute, forked, seats_of_joined, waits
from domain.refusals import NoSuchGame, RequestIdReused
from domain.values import Value
from infra.portions import collected, in_portions
from infra.workers.meter import touched
from services.access.caller import Caller
from services.access.sight import Sight
from services.access.table_events import TableOpened
from services.archive.listing import listing_of
from services.archive.refusals import NoSuchStep
from services.bots.names import free_name, new_bot_id
from services.tables.application import Executed
from services.tables.game_length import check_goes_on
from services.tables.host import GameHost
from services.tables.refusals import (
    GameStillRunning,
    NothingGoesOn,
    TooManyBotGames,
    TooManyPracticeGames,
    TooManyTables,
)
from services.tables.requests import Asked, WantedPractice
from services.tables.table_store import HostedTable, chain_of


class _Past(Value, frozen=True):
    """What a practice game takes over."""

    opened: TableOpened
    """The settings of the table at which the past game was played."""
    events: tuple[AnyEvent, ...]
    since: int
    """Since when the past game waits at its last step."""
    chain_length: int


async def fork(host: GameHost, asked: Asked, wanted: WantedPractice) -> Executed:
    """Begin the practice game that the caller asks for. The same request finds the same game again."""
    past = await _past(host, asked.caller, wanted)
    substitutes = tuple(_substitutes(asked, wanted, past.events))
    try:
        await host.allowance.allow_practice(asked.caller.player_id, asked.game_id)
    except (TooManyTables, TooManyPracticeGames, TooManyBotGames):
        if not await host.tables.exists(asked.game_id):  # The same request may have set it up before.
            raise
    table = await _table(host, asked, wanted, past, substitutes)
    assert table.opened.seed is not None, "the server has its keys"
    server = chain_of(table.opened.seed, asked.game_id, past.chain_length)
    chains = {player: chain_of(seed, asked.game_id, past.chain_length) for player, seed in table.seeds.items()}
    copied = forked(past.events, substitutes, server, chains, since=past.since, now=host.now())
    return await host.begin(asked, tuple(await collected(copied)))


async def _past(host: GameHost, caller: Caller, wanted: WantedPractice) -> _Past:
    """The past of a game from its beginning to the first step, at or after the wanted one, that waits for a player.

    The game must be over, and the caller must have been able to see its end.
    """
    table = await host.tables.load(wanted.game_id)
    events = await host.games.events(wanted.game_id)
    touched(len(events))
    if not events:
        raise NoSuchGame
    # A caller who may not replay the game may not go on from it either. An invitation code does not help: it is for the
    # table, not for its past.
    sight, game = Sight(caller, host.now()), listing_of(events, table.opened).protection
    sight.check(game)
    if not sight.sees_end(game):
        raise GameStillRunning(game_id=wanted.game_id)
    if not 1 <= wanted.version <= len(events):
        raise NoSuchStep(game_id=wanted.game_id, step=wanted.version, last=len(events))
    async for step, state in in_portions(waits(events)):
        if step >= wanted.version:
            in_play(state, wanted.seat)
            check_goes_on(state.table, step)
            return _Past(table.opened, events[:step], state.since, state.table.fairness.chain_length)
    raise NothingGoesOn(game_id=wanted.game_id, version=wanted.version)


def _substitutes(asked: Asked, wanted: WantedPractice, events: Sequence[AnyEvent]) -> Iterator[Substitute]:
    """The caller for the wanted seat and a bot for everybody else who joined, even for players who left again."""
    caller, taken = asked.caller, [asked.caller.name]
    for number, seat in enumerate(seats_of_joined(events)):
        if seat == wanted.seat:
            yield Substitute(caller.player_id, caller.name, "human")
        else:
            taken.append(free_name(taken))
            yield Substitute(new_bot_id(wanted.strategy, asked.game_id, str(number)), taken[-1], "bot")


async def _table(
    host: GameHost, asked: Asked, wanted: WantedPractice, past: _Past, substitutes: Sequence[Substitute]
) -> HostedTable:
    """The new table with all its seeds. It is as private and as late as the old one, because it shows the same past."""
    opened = TableOpened(
        at=host.now(),
        owner_id=asked.caller.player_id,
        private=past.opened.private,
        spectator_delay_seconds=past.opened.spectator_delay_seconds,
        rematch_of=None,
        seed=None,
        invitation_code=None,
        forked_from=wanted.game_id,
        forked_version=len(past.events),
    )
    players = [substitute.player_id for substitute in substitutes]
    table = await host.tables.open(asked.game_id, opened, keep_for=players)
    # If the table exists already, it must be the one that this request asks for: same game, step, seat and strategy.
    of_this = (table.opened.forked_from, table.opened.forked_version) == (opened.forked_from, opened.forked_version)
    if not of_this or set(players) != table.seeds.keys():
        raise RequestIdReused(request_id=asked.request_id)
    return table
