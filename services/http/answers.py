"""The answers of the routes. The schema shows these docstrings. Times are milliseconds since 1970, in UTC."""

from typing import Literal

from domain.clubs.answers import ClubListing
from domain.commands import Kind
from domain.freshness import CURRENT, Freshness, ModelFreshness
from domain.options import RaiseRuleName
from domain.rulebooks import Rulebook
from domain.statistics.answers import DecisionMade, Grouping, Played, PlayerGroup, RatingPoint
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
    """The choices of the option `raise_rule`; empty if the book has only one rule."""


class RulebooksAnswer(Value, frozen=True):
    """All rulebooks."""

    rulebooks: tuple[RulebookAnswer, ...]
    """The books."""


class GamesPage(Value, frozen=True):
    """Games, the newest first; times are milliseconds since 1970."""

    games: tuple[GameListing, ...]
    """The games of this page."""
    next_page_token: str | None
    """Ask for the next page with this token; null if this is the last page."""
    freshness: Freshness


class GameAnswer(GameListing, frozen=True, kw_only=True):
    """A game; times are milliseconds since 1970."""

    freshness: Freshness = CURRENT


class PeoplePage(Value, frozen=True):
    """Players in the order of their names."""

    players: tuple[Person, ...]
    """The players of this page."""
    next_page_token: str | None
    """Ask for the next page with this token; null if this is the last page."""
    freshness: Freshness


class PersonAnswer(Person, frozen=True, kw_only=True):
    """A player, with the player's newest name."""

    freshness: Freshness


class RatingsPage(Value, frozen=True, kw_only=True):
    """The ratings of a player, the newest first."""

    player_id: str
    rulebook: str | None
    since: int | None
    until: int | None
    played: Played
    points: tuple[RatingPoint, ...]
    next_page_token: str | None
    """Ask for the next page with this token; null if this is the last page."""
    freshness: Freshness


class PlayerGroupsPage(Value, frozen=True, kw_only=True):
    """The numbers of a player, group by group. Only the groups of single games come in pages."""

    player_id: str
    name: str | None
    kind: Kind | None
    by: Grouping
    rulebook: str | None
    since: int | None
    until: int | None
    played: Played
    groups: tuple[PlayerGroup, ...]
    next_page_token: str | None
    """Ask for the next page with this token; null if this is the last page."""
    freshness: Freshness


class DecisionsAnswer(Value, frozen=True, kw_only=True):
    """Decisions of players."""

    decisions: tuple[DecisionMade, ...]
    """The decisions of this page."""
    next_page_token: str | None
    """Ask for the next page with this token; null if this is the last page."""
    freshness: Freshness = CURRENT


class ClubsAnswer(Value, frozen=True):
    """The clubs of a player."""

    clubs: tuple[ClubListing, ...]
    """In the order in which they were founded."""
    freshness: Freshness


class StepsPage(Value, frozen=True, kw_only=True):
    """Steps of a game in their order."""

    game_id: str
    steps: tuple[StepAnswer, ...]
    last_version: int
    """The number of the last step that you may see."""
    final: bool
    """Whether this is the end of the game, as far as you may know: no step will follow."""
    freshness: Freshness = CURRENT


class StepShown(Value, frozen=True, kw_only=True):
    """A step, and the game after it from a viewpoint."""

    step: StepAnswer | None
    """Null for step 0, which is before the first event."""
    view: GameView | None
    """The game after this step; null for step 0."""
    last_version: int
    """The number of the last step that you may see."""
    final: bool
    """Whether that is the end of the game, as far as you may know: no step will follow."""
    freshness: Freshness = CURRENT


class GameShown(Value, frozen=True):
    """The game, as spectators see it now."""

    version: int
    view: GameView | None


class LiveStep(Value, frozen=True):
    """A step and, if the request asked for views, the game after it."""

    step: StepAnswer
    view: GameView | None = None


class SentEvent(Value, frozen=True):
    """One event of a stream."""

    event: Literal["game", "step", "end"]
    """The game as it is, something that happened, or the end of the stream."""
    data: str
    """JSON: `{version, view}` for a game, `{step, view}` for a step, `{version, final}` for the end."""
    id: str = ""
    """The number of the step, to resume after it; empty for the end."""


class StreamEnd(Value, frozen=True):
    """The end of a stream: nothing more will come."""

    version: int
    final: bool


class DisputeAnswer(Value, frozen=True):
    """A dispute: a seat disputes the result of a round."""

    seat: int
    stands: bool | None
    """Whether the result stands; null until there is a ruling."""
    closed: bool


class RoundAnswer(Value, frozen=True, kw_only=True):
    """A round: its steps, its place in the log, and its disputes."""

    number: int
    first_version: int
    last_version: int | None
    """Null while the round goes on."""
    leaf_index: int | None
    """The index of its leaf in the log; null until it has one."""
    disputes: tuple[DisputeAnswer, ...]


class RoundsAnswer(Value, frozen=True, kw_only=True):
    """The rounds of a game."""

    game_id: str
    rounds: tuple[RoundAnswer, ...]
    """The rounds in their order."""
    freshness: Freshness = CURRENT


class FreshnessAnswer(Value, frozen=True):
    """How fresh answers from the read models are."""

    now: int
    """The time of the server."""
    models: tuple[ModelFreshness, ...]


class ConsistencyAnswer(Value, frozen=True, kw_only=True):
    """The proof that the log of the new size begins with the log of the old size (RFC 6962)."""

    old_size: int
    new_size: int
    hashes: tuple[bytes, ...]
    """Each as base64."""


class LogKeysAnswer(Value, frozen=True):
    """Public keys of the log, the newest first."""

    keys: tuple[str, ...]


class HealthAnswer(Value, frozen=True, omit_defaults=True):
    """The health of the process."""

    status: Literal["live", "ready", "not ready"]
    """Whether it lives, or whether it can answer requests."""
    problem: str | None = None
    """Why it is not ready; only there if it is not."""
    catching_up: tuple[str, ...] = ()
    """The read models that do not have everything yet. Their answers say so; games are played meanwhile."""


def rulebook_answer(book: Rulebook) -> RulebookAnswer:
    """A rulebook, as an answer."""
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
    """A round with its disputes, as an answer."""
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
