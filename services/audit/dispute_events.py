"""The events of disputes about a game's results; they have their own stream for each game, `<game>:disputes`."""

from domain.events import Event
from infra.events.upcasting import Topics


class DisputeEvent(Event, frozen=True):
    """An event in a seat's dispute about the result of a round."""

    round: int
    seat: int


class DisputeOpened(DisputeEvent, frozen=True):
    """A player disputed how a challenge was resolved."""

    TOPIC = "dispute-opened.v1"

    player_id: str
    reason: str


class RoundExamined(DisputeEvent, frozen=True):
    """The server examined the round again, from the stored events."""

    TOPIC = "round-examined.v1"

    failed: str | None
    """The check that failed; None if all held."""
    finding: str
    proven: tuple[str, ...]
    not_proven: tuple[str, ...]


class DisputeRuled(DisputeEvent, frozen=True):
    """The server ruled whether the result stands."""

    TOPIC = "dispute-ruled.v1"

    stands: bool


class DisputeAnnotated(DisputeEvent, frozen=True):
    """An auditor made a remark."""

    TOPIC = "dispute-annotated.v1"

    auditor_id: str
    text: str


class DisputeEnded(DisputeEvent, frozen=True):
    """An auditor closed the dispute."""

    TOPIC = "dispute-ended.v1"

    auditor_id: str
    text: str


AnyDisputeEvent = DisputeOpened | RoundExamined | DisputeRuled | DisputeAnnotated | DisputeEnded

DISPUTE_TOPICS = Topics((DisputeOpened, RoundExamined, DisputeRuled, DisputeAnnotated, DisputeEnded))


def dispute_stream(game_id: str) -> str:
    """The stream of a game's disputes."""
    return f"{game_id}:disputes"
