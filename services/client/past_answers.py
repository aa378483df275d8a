"""The server's answers about past games, as values."""

from typing import Any, Literal

from liarsdice.v1 import replay_service_pb2 as wire

from domain.commands import Kind
from domain.events import AnyEvent
from domain.freshness import CURRENT, Freshness, ModelFreshness
from domain.statistics.answers import DecisionMade
from domain.values import Value
from domain.views import GameView
from services.wire.translation import event_of, from_message, view_of

UNKNOWN = Freshness(complete=False)
Outcome = Literal["gathering", "running", "ended", "abandoned"]


class PastSeat(Value, frozen=True):
    """A player on a seat; times are milliseconds since 1970."""

    seat: int
    player_id: str
    name: str
    kind: Kind
    joined_at: int


class PastGame(Value, frozen=True, kw_only=True):
    """A game to look back at."""

    game_id: str
    rulebook: str
    rulebook_version: int
    result: Outcome
    created_at: int
    started_at: int | None = None
    ended_at: int | None = None
    seats: tuple[PastSeat, ...]
    seats_max: int
    winner: int | None = None
    places: tuple[tuple[int, ...], ...] = ()
    rounds: int | None = None
    events: int | None = None
    owner_id: str | None = None
    private: bool = False
    spectator_delay_seconds: int = 0
    rematch_of: str | None = None
    forked_from: str | None = None
    forked_version: int | None = None


class PastGamesPage(Value, frozen=True):
    """A page of the list of games, the newest first, the token of the next page, and how fresh the list is."""

    games: tuple[PastGame, ...]
    next_page_token: str | None
    """None if this is the last page."""
    freshness: Freshness


class PastRecord(Value, frozen=True):
    """The record of a game, and whether it is final."""

    json: bytes
    final: bool
    freshness: Freshness


class SeatOdds(Value, frozen=True):
    """The chance that the standing bid holds, as a seat saw it."""

    seat: int
    chance: float


class StepOdds(Value, frozen=True):
    """The chance that the standing bid holds: for each seat whose dice the client may see, and by what is public."""

    seats: tuple[SeatOdds, ...]
    public: float


class PastStep(Value, frozen=True):
    """An event of a past game, and the odds of the bid that stood after it."""

    version: int
    event: AnyEvent
    digest: bytes
    odds: StepOdds | None


class RoundDispute(Value, frozen=True):
    """A seat that disputes a round, and what came of it."""

    seat: int
    stands: bool | None
    closed: bool


class Ruling(Value, frozen=True, kw_only=True):
    """What the server found when it examined a disputed round again; times are milliseconds since 1970."""

    at: int
    stands: bool
    finding: str
    proven: tuple[str, ...] = ()
    not_proven: tuple[str, ...] = ()


class Remark(Value, frozen=True):
    """A remark of an auditor."""

    at: int
    auditor_id: str
    text: str


class Dispute(Value, frozen=True, kw_only=True):
    """A seat's dispute about a round, with everything that came of it so far."""

    game_id: str
    round: int
    seat: int
    player_id: str
    reason: str
    opened: int
    ruling: Ruling | None = None
    remarks: tuple[Remark, ...] = ()
    closing: Remark | None = None


class PastRound(Value, frozen=True):
    """A round, its place in the signed log, and its disputes."""

    number: int
    first_version: int
    last_version: int | None
    leaf_index: int | None
    disputes: tuple[RoundDispute, ...]


class PastSteps(Value, frozen=True):
    """All steps of a game that the client may see, and whether they are all there will ever be."""

    steps: tuple[PastStep, ...]
    rounds: tuple[PastRound, ...]
    final: bool
    freshness: Freshness


class StepSeen(Value, frozen=True):
    """How a game stood after a step, through somebody's eyes; before the first step there is no view."""

    step: PastStep | None
    view: GameView | None
    last_version: int
    freshness: Freshness


class ReplayPosition(Value, frozen=True):
    """The position of a replay."""

    version: int
    last_version: int
    speed: float
    paused: bool
    freshness: Freshness = CURRENT


class ReplayEnd(Value, frozen=True):
    """The end of a replay: all steps were shown."""

    version: int
    final: bool


class Exported(Value, frozen=True):
    """A batch of records, each one line of JSON, and the token to continue after them."""

    records: tuple[bytes, ...]
    resume_token: str
    freshness: Freshness | None = None
    """How fresh the export is, with the first batch of each call."""


class ExportedDecisions(Value, frozen=True):
    """A batch of decisions, and the token to continue after them."""

    decisions: tuple[DecisionMade, ...]
    resume_token: str
    freshness: Freshness | None = None
    """How fresh the export is, with the first batch of each call."""


class ServerFreshness(Value, frozen=True):
    """How fresh the answers of a server are, by its own clock."""

    now: int
    models: tuple[ModelFreshness, ...]

    def of(self, model: str) -> ModelFreshness:
        """How fresh a read model is."""
        return next((one for one in self.models if one.model == model), ModelFreshness(model, UNKNOWN, percent=0))


def past_game_of(message: wire.PastGame) -> PastGame:
    """A past game from the wire."""
    return from_message(message, PastGame)


def past_step_of(message: wire.ReplayStep) -> PastStep:
    """A step from the wire."""
    odds = from_message(message.odds, StepOdds) if message.HasField("odds") else None
    return PastStep(message.version, event_of(message.event), message.digest, odds)


def past_round_of(message: wire.ReplayRound) -> PastRound:
    """A round from the wire."""
    return from_message(message, PastRound)


def seen_of(message: wire.GetStepResponse) -> StepSeen:
    """How a game stood, from the wire."""
    return StepSeen(
        past_step_of(message.step) if message.HasField("step") else None,
        view_of(message.view) if message.HasField("view") else None,
        message.last_version,
        freshness_of(message),
    )


def freshness_of(answer: Any) -> Freshness:
    """How fresh an answer from the wire is; nothing is promised by a server that does not say it."""
    return from_message(answer.freshness, Freshness) if answer.HasField("freshness") else UNKNOWN
