"""What the routes answer, as the schema describes it. Times are milliseconds since 1970, in UTC."""

from typing import Literal

from domain.options import RaiseRuleName
from domain.rulebooks import Rulebook
from domain.statistics.answers import Played, RatingPoint
from domain.values import Value
from domain.views import GameView
from services.archive.listing import GameListing
from services.archive.people import Person
from services.audit.dispute_reader import Dispute
from services.audit.rounds import PlayedRound
from services.http.events import StepAnswer


class RulebookAnswer(Value, frozen=True, kw_only=True):
    """A rulebook that this server plays."""

    id: str
    version: int
    title: str
    players_min: int
    players_max: int
    wild_name: str
    """What the book calls face 1."""
    wild: bool
    """Whether face 1 counts for every face."""
    show_and_reroll: bool
    chips: bool
    """Whether the book has the option to play for chips."""
    wild_aces: bool
    raise_rules: tuple[RaiseRuleName, ...]
    """The choices of the option `raise_rule`; none where the book has but one rule."""


class RulebooksAnswer(Value, frozen=True):
    """All rulebooks."""

    rulebooks: tuple[RulebookAnswer, ...]


class GamesPage(Value, frozen=True):
    """Games, the newest first; times are milliseconds since 1970."""

    games: tuple[GameListing, ...]
    next_page_token: str | None
    """Where the next page begins; null if this is the last."""


class PeoplePage(Value, frozen=True):
    """Players in the order of their names."""

    players: tuple[Person, ...]
    next_page_token: str | None


class RatingsPage(Value, frozen=True, kw_only=True):
    """The ratings of a player, the newest first."""

    player_id: str
    rulebook: str | None
    since: int | None
    until: int | None
    played: Played
    points: tuple[RatingPoint, ...]
    next_page_token: str | None


class StepsPage(Value, frozen=True, kw_only=True):
    """Steps of a game in their order."""

    game_id: str
    steps: tuple[StepAnswer, ...]
    last_version: int
    """The last step that there is for you."""
    final: bool
    """Whether the game is over, as far as you may know, so that none will follow."""


class StepShown(Value, frozen=True, kw_only=True):
    """A step, and how the game stood after it, through somebody's eyes."""

    step: StepAnswer | None
    """Null for step 0, before the first."""
    view: GameView | None
    last_version: int
    final: bool


class GameShown(Value, frozen=True):
    """How a game stands, as spectators see it now."""

    version: int
    view: GameView | None


class LiveStep(Value, frozen=True):
    """What has happened, and how the game stands now, if that was asked for."""

    step: StepAnswer
    view: GameView | None = None


class SentEvent(Value, frozen=True):
    """One event of a stream."""

    event: Literal["game", "step", "end"]
    data: str
    """JSON: `{version, view}` for a game, `{step, view}` for a step, `{version, final}` for the end."""
    id: str = ""
    """The number of the step, to resume after; the end has none."""


class StreamEnd(Value, frozen=True):
    """There is no more to come."""

    version: int
    final: bool


class DisputeAnswer(Value, frozen=True):
    """That a seat disputes the result of a round."""

    seat: int
    stands: bool | None
    """Whether the result stands; null while it is not ruled on."""
    closed: bool


class RoundAnswer(Value, frozen=True, kw_only=True):
    """A round: its steps, its place in the log, and who disputes it."""

    number: int
    first_version: int
    last_version: int | None
    """Null while it goes on."""
    leaf_index: int | None
    """Its leaf in the log; null while it has none."""
    disputes: tuple[DisputeAnswer, ...]


class RoundsAnswer(Value, frozen=True, kw_only=True):
    """The rounds of a game."""

    game_id: str
    rounds: tuple[RoundAnswer, ...]


class ConsistencyAnswer(Value, frozen=True, kw_only=True):
    """What proves that the log of one size begins with that of another (RFC 6962)."""

    old_size: int
    new_size: int
    hashes: tuple[bytes, ...]
    """As base64."""


class LogKeysAnswer(Value, frozen=True):
    """Public keys of the log, the newest first."""

    keys: tuple[str, ...]


class HealthAnswer(Value, frozen=True, omit_defaults=True):
    """How the process is."""

    status: str
    problem: str | None = None


def rulebook_answer(book: Rulebook) -> RulebookAnswer:
    """A book as readers are told of it."""
    return RulebookAnswer(
        id=book.id,
        version=book.version,
        title=book.title,
        players_min=book.players_min,
        players_max=book.players_max,
        wild_name=book.wild_name,
        wild=book.wild,
        show_and_reroll=book.show_and_reroll,
        chips=book.chips_each is not None,
        wild_aces=book.wild_aces,
        raise_rules=tuple(book.raise_variants),  # type: ignore[arg-type]  # the books name them by these words
    )


def round_answer(played: PlayedRound) -> RoundAnswer:
    """A round, and what is proven and disputed of it."""
    return RoundAnswer(
        number=played.number,
        first_version=played.first_version,
        last_version=played.last_version,
        leaf_index=played.leaf_index,
        disputes=tuple(_dispute(dispute) for dispute in played.disputes),
    )


def _dispute(dispute: Dispute) -> DisputeAnswer:
    stands = None if dispute.ruled is None else dispute.ruled.stands
    return DisputeAnswer(dispute.opened.seat, stands, dispute.ended is not None)
