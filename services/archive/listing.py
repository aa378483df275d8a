"""A game as lists show it."""

from collections.abc import Sequence
from typing import Literal

from msgspec.structs import replace

from domain.commands import Kind
from domain.events import (
    AnyEvent,
    GameAbandoned,
    GameCreated,
    GameEnded,
    GameStarted,
    PlayerJoined,
    PlayerLeft,
    RoundEnded,
)
from domain.history.record import GameRecord
from domain.history.recording import record_of
from domain.values import Value
from services.access.sight import Protection
from services.access.spectator_delay import SpectatorDelay
from services.access.table_events import TableOpened

Outcome = Literal["gathering", "running", "ended", "abandoned"]


class ListedSeat(Value, frozen=True):
    """A seat and its player, and since when the player sits there."""

    seat: int
    player_id: str
    name: str
    kind: Kind
    joined_at: int


class GameListing(Value, frozen=True, kw_only=True):
    """A game in a list; times are milliseconds since 1970."""

    game_id: str
    rulebook: str
    rulebook_version: int
    result: Outcome
    created_at: int
    started_at: int | None = None
    ended_at: int | None = None
    seats: tuple[ListedSeat, ...] = ()
    seats_max: int
    winner: int | None = None
    places: tuple[tuple[int, ...], ...] = ()
    rounds: int | None = None
    """How many rounds were played; None until the game is over."""
    events: int | None = None
    """How many events the game has; None until it is over."""
    owner_id: str | None = None
    private: bool = False
    spectator_delay_seconds: int = 0
    rematch_of: str | None = None
    forked_from: str | None = None
    """The game that this practice game was made from."""
    forked_version: int | None = None

    @property
    def practice(self) -> bool:
        """Whether it is a what-if game, which counts in no statistics."""
        return self.forked_from is not None

    @property
    def delay(self) -> SpectatorDelay:
        """How much later than its players all others see it."""
        return SpectatorDelay(self.spectator_delay_seconds)

    @property
    def player_ids(self) -> tuple[str, ...]:
        """The ids of the players."""
        return tuple(seat.player_id for seat in self.seats)

    @property
    def protection(self) -> Protection:
        """The facts about it that decide who may read it."""
        return Protection(self.game_id, self.private, self.owner_id, self.player_ids, self.shown_at)

    @property
    def shown_at(self) -> int | None:
        """The time from which on readers who did not play see its end; None while it goes on."""
        return None if self.ended_at is None else self.delay.shown_at(self.ended_at)


def listing_of(events: Sequence[AnyEvent], opened: TableOpened | None) -> GameListing:
    """A game as lists show it, from its events."""
    created = events[0]
    assert isinstance(created, GameCreated), "a game begins with its creation"
    last = events[-1]
    over = isinstance(last, GameEnded | GameAbandoned)
    started = next((event.at for event in events if isinstance(event, GameStarted)), None)
    return GameListing(
        game_id=created.game_id,
        rulebook=created.rulebook,
        rulebook_version=created.rulebook_version,
        result=_result(last, started),
        created_at=created.at,
        started_at=started,
        ended_at=last.at if over else None,
        seats=_seats(events),
        seats_max=created.seats,
        winner=last.winner if isinstance(last, GameEnded) else None,
        places=last.places if isinstance(last, GameEnded) else (),
        rounds=sum(isinstance(event, RoundEnded) for event in events) if over else None,
        events=len(events) if over else None,
        owner_id=None if opened is None else opened.owner_id,
        private=opened is not None and opened.private,
        spectator_delay_seconds=0 if opened is None else opened.spectator_delay_seconds,
        rematch_of=None if opened is None else opened.rematch_of,
        forked_from=None if opened is None else opened.forked_from,
        forked_version=None if opened is None else opened.forked_version,
    )


def recorded(events: Sequence[AnyEvent], listing: GameListing) -> GameRecord:
    """The record of a game as it is stored and given to readers; that of a practice game names the game it goes on from."""
    record = record_of(events)
    if listing.forked_from is not None and listing.forked_version is not None:
        record = replace(record, forked_from=listing.forked_from, forked_version=listing.forked_version)
    return record


def _result(last: AnyEvent, started: int | None) -> Outcome:
    match last:
        case GameEnded():
            return "ended"
        case GameAbandoned():
            return "abandoned"
        case _:
            return "gathering" if started is None else "running"


def _seats(events: Sequence[AnyEvent]) -> tuple[ListedSeat, ...]:
    seats: list[PlayerJoined] = []
    for event in events:
        match event:
            case PlayerJoined():
                seats.append(event)
            case PlayerLeft(seat=seat):
                del seats[seat]  # Higher seats move down (R16).
            case GameStarted():
                break
            case _:
                pass
    return tuple(
        ListedSeat(number, joined.player_id, joined.name, joined.kind, joined.at) for number, joined in enumerate(seats)
    )
