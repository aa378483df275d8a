"""Answers about clubs. docs/play/clubs.md describes it; times are milliseconds since 1970."""

from domain.freshness import Freshness
from domain.statistics.answers import PlaceCount
from domain.statistics.intervals import Rate
from domain.values import Value


class ClubListing(Value, frozen=True, kw_only=True):
    """A club in the list of a player's clubs."""

    club_id: str
    name: str
    organiser_id: str
    founded_at: int
    members: int
    """How many players are members now."""


class ClubMember(Value, frozen=True, kw_only=True):
    """A member, with the name that the member has in this club."""

    player_id: str
    name: str
    joined_at: int


class Season(Value, frozen=True, kw_only=True):
    """A season: a name and a span of time. The running season has no end yet."""

    number: int
    name: str
    started_at: int
    ended_at: int | None


class Club(Value, frozen=True, kw_only=True):
    """A club as its members see it."""

    club_id: str
    name: str
    organiser_id: str
    founded_at: int
    time_zone: str
    counts_bots: bool
    """Whether games in which bots of the server play count too."""
    members: tuple[ClubMember, ...]
    seasons: tuple[Season, ...]


class Standing(Value, frozen=True, kw_only=True):
    """A row of a season table."""

    position: int
    """Counted from 1; players with the same points and wins share a position."""
    player_id: str
    name: str
    is_member: bool
    """Whether the player is a member now. Results of former members stay in the table."""
    games: int
    points: int
    points_possible: int
    """The points of a player who wins every one of these games alone."""
    wins: Rate
    places: tuple[PlaceCount, ...]
    best_decisions: Rate


class SeasonTable(Value, frozen=True, kw_only=True):
    """The table of a season, or of all games of a club."""

    club_id: str
    season: Season | None
    """None for all games since the club was founded."""
    games: int
    standings: tuple[Standing, ...]
    freshness: Freshness | None = None


class Evening(Value, frozen=True, kw_only=True):
    """A day on which a club played. It begins at six in the morning in the club's time zone."""

    day: str
    """The date, such as 2026-01-31."""
    games: int
    player_ids: tuple[str, ...]


class Attendee(Value, frozen=True, kw_only=True):
    """How often somebody came."""

    player_id: str
    name: str
    is_member: bool
    evenings: int
    games: int


class Attendance(Value, frozen=True, kw_only=True):
    """Who played in a club on which day."""

    club_id: str
    season: Season | None
    time_zone: str
    evenings: tuple[Evening, ...]
    """The newest first."""
    attendees: tuple[Attendee, ...]
    """Those who came most often first."""
    freshness: Freshness | None = None
