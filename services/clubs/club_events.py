"""The events of a club; each club has its own stream, `<club>:club`."""

from domain.events import Event
from infra.events.upcasting import Topics


class ClubFounded(Event, frozen=True):
    """A player founded a club, and organises it."""

    TOPIC = "club-founded.v1"
    SECRETS = ("code",)

    name: str
    organiser_id: str
    time_zone: str
    counts_bots: bool
    """Whether games in which bots of the server play count too."""
    code: str | None
    """The code to join with; None for a reader without keys."""


class MemberJoined(Event, frozen=True):
    """A player became a member, with a name that looks like that of no other member."""

    TOPIC = "club-member-joined.v1"

    player_id: str
    name: str


class MemberLeft(Event, frozen=True):
    """A member left the club."""

    TOPIC = "club-member-left.v1"

    player_id: str


class MemberRemoved(Event, frozen=True):
    """The organiser removed a member, who can't come back with the code of that time."""

    TOPIC = "club-member-removed.v1"

    player_id: str


class OrganiserChanged(Event, frozen=True):
    """The organiser handed the club over to another member."""

    TOPIC = "club-organiser-changed.v1"

    player_id: str


class CodeChanged(Event, frozen=True):
    """The organiser asked for a new code; the old one is worth nothing any more."""

    TOPIC = "club-code-changed.v1"
    SECRETS = ("code",)

    code: str | None


class SeasonStarted(Event, frozen=True):
    """A season began."""

    TOPIC = "club-season-started.v1"

    number: int
    name: str


class SeasonEnded(Event, frozen=True):
    """A season ended."""

    TOPIC = "club-season-ended.v1"

    number: int


AnyClubEvent = (
    ClubFounded
    | MemberJoined
    | MemberLeft
    | MemberRemoved
    | OrganiserChanged
    | CodeChanged
    | SeasonStarted
    | SeasonEnded
)

CLUB_TOPICS = Topics(
    (
        ClubFounded,
        MemberJoined,
        MemberLeft,
        MemberRemoved,
        OrganiserChanged,
        CodeChanged,
        SeasonStarted,
        SeasonEnded,
    )
)


def club_stream(club_id: str) -> str:
    """The stream of a club."""
    return f"{club_id}:club"
