"""What the supervisor and its processes tell each other, over a pair of sockets that nobody else can open."""

from pathlib import Path
from typing import NamedTuple, Self

from msgspec.structs import replace

from domain.values import Value
from services.app.handed_keys import HandedKeys
from services.app.settings import Settings


class IssuerFlags(NamedTuple):
    """The flags about an issuer of tokens. Its keys are read anew by each process that starts."""

    jwks: Path
    issuer: str
    audience: str


class Reporting(Value, frozen=True):
    """How a process says what it does."""

    log_format: str = "text"
    traces: str | None = None
    """Where its traces go."""


class GameWork(Value, frozen=True):
    """A process is to serve games."""

    number: int
    url: str
    keys: HandedKeys
    settings: Settings
    issuer: IssuerFlags | None
    reporting: Reporting = Reporting()

    @property
    def name(self) -> str:
        """The process as the log names it."""
        return f"game process {self.number}"

    @property
    def again(self) -> Self:
        """The same work for a process that takes over: the store has been checked."""
        return replace(self, settings=replace(self.settings, check_events_max=0))


class ProjectorWork(Value, frozen=True):
    """A process is to keep the read models up to date. It needs no keys."""

    url: str
    reporting: Reporting = Reporting()

    @property
    def name(self) -> str:
        """The process as the log names it."""
        return "the projector"

    @property
    def again(self) -> Self:
        """The same work for a process that takes over."""
        return self


Work = GameWork | ProjectorWork
"""What a process is to do: the first message that it gets."""


class Begun(Value, frozen=True):
    """A process does its work now; one that serves games says where, and which key signs the log."""

    address: str = ""
    url: str | None = None
    vkey: str = ""


class NotBegun(Value, frozen=True):
    """A process can't begin, and ends."""

    sentence: str


class Barred(Value, frozen=True):
    """An address floods the server: no process lets it in."""

    address: str
    reason: str


class MetricsAsked(Value, frozen=True):
    """The supervisor wants to know the metrics of a process."""


class MetricsTold(Value, frozen=True):
    """The metrics of a process, in the format of Prometheus."""

    page: bytes


class Leave(Value, frozen=True):
    """A process is to end: its streams are told, and what runs may finish."""

    gently: bool
    """Whether other processes stay on its ports. Then it first sees that no connection gets lost between them."""
