"""Turns moves into commands. Each order is checked, and may be refused, on the same state that then decides it."""

from collections.abc import Callable

from msgspec import Struct

from domain.commands import AnyCommand
from domain.refusals import GameAlreadyStarted, GameOver, NoSuchGame
from domain.state import Ended, Nothing, State
from services.bots.names import is_bot
from services.tables.application import Head
from services.tables.moves import NO_LINKS, Abandon, Move, RemoveBot, Start, command_of, link_of
from services.tables.refusals import LinkUnexpected, NotABot, VersionAhead, VersionMoved
from services.tables.requests import Asked
from services.tables.seats import seat_of, table_of, viewer_of
from services.tables.signatures import check_signature
from services.tables.table_store import HostedTable

RUNNING_A_TABLE = (Start, RemoveBot)
"""Moves that need no seat: the owner of the table may make them, and so may everybody who has a seat there."""
_OF_NO_SEAT = (Start, Abandon)


class ServersOrder(Struct, frozen=True):
    """A move that the server makes for a seat."""

    move: Move
    seat: int
    now: Callable[[], int]
    table: HostedTable | None = None
    """Only a move that needs links needs the table."""
    version: int | None = None
    """If set, the move is refused at any other version."""

    def prepare(self, state: State, head: Head) -> AnyCommand:
        """The command for this state."""
        check_version(self.version, head)
        return _command(self.move, state, self.seat, self.now(), self.table)


class CallersOrder(Struct, frozen=True):
    """A move that a caller asks for."""

    move: Move
    asked: Asked
    now: Callable[[], int]
    table: HostedTable | None = None

    def prepare(self, state: State, head: Head) -> AnyCommand:
        """The command for this state and the caller's own seat.

        The right to know the game is checked first: a caller without it gets the same refusal whatever has happened.
        """
        if isinstance(state, Nothing):
            raise NoSuchGame
        if isinstance(self.move, RUNNING_A_TABLE):
            assert self.table is not None, "the host loads the table for these moves"
            check_may_know(self.table, state, self.asked, self.now())
        seat = self._seat(state)
        check_version(self.asked.expected_version, head)
        if isinstance(state, Ended):
            raise GameOver  # Before the signature is looked at: to sign again would lead nowhere.
        _check_link(self.move, state, seat)
        command = _command(self.move, state, seat, self.now(), self.table)
        check_signature(state.table, head, command, self.asked.signed)
        return command

    def _seat(self, state: State) -> int:
        if isinstance(self.move, RemoveBot):
            return _seat_of_bot(state, self.move.seat)
        if isinstance(self.move, _OF_NO_SEAT):
            return -1
        return seat_of(state, self.asked.game_id, self.asked.caller.player_id)


def check_version(expected: int | None, head: Head) -> None:
    """Refuse a move that its player made for another version."""
    if expected is not None and expected > head.version:
        raise VersionAhead(version=head.version, after_version=expected, field="expected_version")
    if expected is not None and expected != head.version:
        raise VersionMoved(version=head.version, expected_version=expected)


def check_may_know(table: HostedTable, state: State, asked: Asked, now: int) -> None:
    """Refuse a caller without a seat at a game that spectators see late.

    This check comes first: any other refusal could say more about the game than spectators know.
    """
    seated = viewer_of(state, asked.caller.player_id) is not None
    if not seated and table.opened.delay.holds_back(state, now):
        raise GameAlreadyStarted


def _check_link(move: Move, state: State, seat: int) -> None:
    """Refuse a link for a seat whose chain the server keeps: its player believes that the link decides the dice."""
    if link_of(move) and table_of(state).players[seat].chain_held_by == "server":
        raise LinkUnexpected(seat=seat)


def _command(move: Move, state: State, seat: int, at: int, table: HostedTable | None) -> AnyCommand:
    link = link_of(move)
    if link is None:
        return command_of(move, at, seat, NO_LINKS)
    assert table is not None, "a move that needs links comes with its table"
    return command_of(move, at, seat, table.next_links(state, seat, link))


def _seat_of_bot(state: State, seat: int) -> int:
    players = table_of(state).players
    if not 0 <= seat < len(players) or not is_bot(players[seat]):
        raise NotABot(seat=seat)
    return seat
