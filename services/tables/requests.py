"""What players ask of a table: for which game, on whose behalf, and for what kind of table or seat."""

from domain.commands import Kind
from domain.options import DEFAULT_OPTIONS, Options
from domain.values import Value
from infra.events.evidence import Signed
from services.access.caller import Caller


class Asked(Value, frozen=True):
    """What every request for a game says about itself."""

    caller: Caller
    game_id: str
    request_id: str
    expected_version: int | None = None
    fingerprint: bytes = b""
    signed: Signed | None = None


class NewTable(Value, frozen=True, kw_only=True):
    """What kind of table is wanted."""

    rulebook: str
    options: Options = DEFAULT_OPTIONS
    seats: int | None = None
    private: bool = False
    spectator_delay_seconds: int = 0
    without_seat: bool = False
    rematch_of: str | None = None


class WantedPractice(Value, frozen=True, kw_only=True):
    """From which step of a past game somebody wants to go on, on which seat and against which bots."""

    game_id: str
    version: int
    seat: int
    strategy: str = ""


class Sitter(Value, frozen=True):
    """Who is to take a seat, and with which chain; without an anchor the server keeps one."""

    player_id: str
    name: str | None
    """A bot without a name gets one that is free."""
    kind: Kind
    anchor: bytes = b""
    signing_key: bytes = b""
