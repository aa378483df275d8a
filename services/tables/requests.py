"""Requests of players: the caller, the game, and the kind of table or seat that the caller wants."""

from domain.commands import Kind
from domain.options import DEFAULT_OPTIONS, Options
from domain.values import Value
from infra.events.evidence import Signed
from services.access.caller import Caller


class Asked(Value, frozen=True):
    """What every request has: who asks, for which game, and how to recognise the request when it comes again."""

    caller: Caller
    game_id: str
    request_id: str
    expected_version: int | None = None
    fingerprint: bytes = b""
    signed: Signed | None = None


class NewTable(Value, frozen=True, kw_only=True):
    """The kind of table that the caller wants."""

    rulebook: str
    options: Options = DEFAULT_OPTIONS
    seats: int | None = None
    private: bool = False
    spectator_delay_seconds: int = 0
    without_seat: bool = False
    rematch_of: str | None = None


class WantedPractice(Value, frozen=True, kw_only=True):
    """The step of a past game that the caller wants to go on from, the seat, and the strategy of the bots."""

    game_id: str
    version: int
    seat: int
    strategy: str = ""


class Sitter(Value, frozen=True):
    """A player or a bot who wants a seat. Without an anchor the server keeps the chain."""

    player_id: str
    name: str | None
    """None for a bot that gets any free name."""
    kind: Kind
    anchor: bytes = b""
    signing_key: bytes = b""
