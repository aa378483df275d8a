"""How long a game may get. No rule of a book ends a game of players who only raise, so the server ends it.

The longest possible game of twenty players with ten dice each has more than a million events. Every reader of a game pays
for its length, so a game that is far longer than any that people or bots play is abandoned (R17).
"""

from domain.commands import AbandonGame, AnyCommand
from domain.deciding import decide
from domain.events import AnyEvent
from domain.evolve import fold
from domain.state import Ended, Gathering, Nothing, State, Table
from services.tables.refusals import PastTooLong, TooManyCameAndWent

EVENTS_MIN = 1_000
EVENTS_PER_DIE = 100
"""Of all kinds of games between bots, the longest have 57 events for each die that they begin with."""
PAST_EVENTS_MAX = 4_000
GATHERING_EVENTS_MAX = 500
"""From this version on nobody joins any more: what comes before the start must not use up the length of the game."""


def events_max(table: Table) -> int:
    """How many events a game at this table may have before it is abandoned."""
    return EVENTS_MIN + EVENTS_PER_DIE * table.options.dice_each * len(table.players)


def decided(command: AnyCommand, state: State, version: int) -> tuple[AnyEvent, ...]:
    """The events that a command causes in a game at a version, with the end of the game if it has become too long."""
    events = decide(command, state)
    if version + len(events) < EVENTS_MIN:
        return events
    after = fold(events, state)
    if isinstance(after, Nothing | Gathering | Ended) or version + len(events) < events_max(after.table):
        return events
    reason = f"it reached the limit of {events_max(after.table)} events"
    return (*events, *decide(AbandonGame(at=events[-1].at, reason=reason), after))


def check_may_join(version: int) -> None:
    """Refuse to seat anybody at a table at which players have come and gone all the time."""
    if version >= GATHERING_EVENTS_MAX:
        raise TooManyCameAndWent(limit=GATHERING_EVENTS_MAX)


def check_goes_on(table: Table, events: int) -> None:
    """Refuse a practice game that would begin with too many events: all of them are sealed and stored in one append."""
    limit = min(events_max(table), PAST_EVENTS_MAX)
    if events >= limit:
        raise PastTooLong(limit=limit)
