"""Practice games: a game that is over goes on from one of its steps, with the caller on one seat and bots on all others.

What is secret of the new game is stored first, as for every table: the seeds of the server and of all seats, with the
mark of what the game is forked from. Then all of its past is stored at once. Where the one is there and the other is not,
because the server went down in between, there is no game yet, and asking again completes it.
"""

from collections.abc import Iterator, Sequence

from domain.deciding.checks import in_play
from domain.events import AnyEvent
from domain.history.forking import Substitute, forked, next_wait, seats_of_joined
from domain.refusals import NoSuchGame, RequestIdReused
from domain.values import Value
from services.access.caller import Caller
from services.access.sight import Sight
from services.access.table_events import TableOpened
from services.archive.listing import listing_of
from services.archive.refusals import NoSuchStep
from services.bots.names import free_name, new_bot_id
from services.tables.application import Executed
from services.tables.host import GameHost
from services.tables.refusals import GameStillRunning, NothingGoesOn
from services.tables.requests import Asked, WantedPractice
from services.tables.table_store import HostedTable, chain_of


class _Past(Value, frozen=True):
    """What a practice game takes over."""

    opened: TableOpened
    """How the table was set up at which it was played."""
    events: tuple[AnyEvent, ...]
    chain_length: int


async def fork(host: GameHost, asked: Asked, wanted: WantedPractice) -> Executed:
    """Let a game go on as the practice game with the id that is asked for; the same request finds the same one."""
    past = await _past(host, asked.caller, wanted)
    substitutes = tuple(_substitutes(asked, wanted, past.events))
    table = await _table(host, asked, wanted, past, substitutes)
    assert table.opened.seed is not None, "the server has its keys"
    server = chain_of(table.opened.seed, asked.game_id, past.chain_length)
    chains = {player: chain_of(seed, asked.game_id, past.chain_length) for player, seed in table.seeds.items()}
    return await host.begin(asked, forked(past.events, substitutes, server, chains, host.now()))


async def _past(host: GameHost, caller: Caller, wanted: WantedPractice) -> _Past:
    """The past of a game that is over, as far as the caller knows, up to where it next waits for somebody."""
    table = await host.tables.load(wanted.game_id)
    events = await host.games.events(wanted.game_id)
    if not events:
        raise NoSuchGame
    # Whoever can't look back at a game can't go on from it: an invitation is for the table, not for its past.
    sight, game = Sight(caller, host.now()), listing_of(events, table.opened).protection
    sight.check(game)
    if not sight.sees_end(game):
        raise GameStillRunning(game_id=wanted.game_id)
    if not 1 <= wanted.version <= len(events):
        raise NoSuchStep(game_id=wanted.game_id, step=wanted.version, last=len(events))
    found = next_wait(events, wanted.version)
    if found is None:
        raise NothingGoesOn(game_id=wanted.game_id, version=wanted.version)
    step, state = found
    in_play(state, wanted.seat)
    return _Past(table.opened, events[:step], state.table.fairness.chain_length)


def _substitutes(asked: Asked, wanted: WantedPractice, events: Sequence[AnyEvent]) -> Iterator[Substitute]:
    """The caller on the seat that is wanted, and bots in the place of all others, also of those who left again."""
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
    """The table with all seeds. Who may not see the past game, or not yet, may not see this one either."""
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
    # Another game, step, seat or strategy was asked for if it is not the one that was to be opened now.
    of_this = (table.opened.forked_from, table.opened.forked_version) == (opened.forked_from, opened.forked_version)
    if not of_this or set(players) != table.seeds.keys():
        raise RequestIdReused(request_id=asked.request_id)
    return table
