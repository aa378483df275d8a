"""Clubs, and the spans of time in which players were their members."""

from infra.postgres.generations import Model
from services.clubs.club import Club
from services.clubs.club_events import ClubFounded, MemberJoined, MemberLeft, MemberRemoved, OrganiserChanged
from services.projector.projection import Projection, Rows, StoredGame


class ClubsProjection(Projection):
    """A row for every club, and one for every membership."""

    MODEL = Model("clubs", 1)
    TRIGGERS = frozenset(
        kind.TOPIC for kind in (ClubFounded, MemberJoined, MemberLeft, MemberRemoved, OrganiserChanged)
    )
    TABLES = ("clubs", "members")
    KEY = "club_id"

    def rows(self, game: StoredGame) -> Rows:  # noqa: ARG002 - it is about clubs only
        """No rows: which games count in a club is found out when somebody reads."""
        return {}

    def club_rows(self, club: Club) -> Rows:
        """The rows of a club."""
        return {
            "clubs": [(club.club_id, club.name, club.organiser_id, club.founded_at, len(club.members))],
            "members": [
                (club.club_id, number, one.player_id, one.joined_at, one.left_at)
                for number, one in enumerate(club.memberships, 1)
            ],
        }
