"""The games that count in a club, as the queries of sql/clubs.sql take them."""

from typing import Any, NamedTuple

from domain.clubs.answers import Season
from infra.postgres.queries import query
from services.access.sight import Sight
from services.clubs.club import Club
from services.clubs.refusals import NoSuchSeason

ALL_GAMES = 0
"""Instead of the number of a season: all games since the club was founded."""


class ClubGames(NamedTuple):
    """The games of a season; without one, all since the club was founded."""

    club: Club
    season: Season | None

    @property
    def number(self) -> int:
        """The number of the season."""
        return ALL_GAMES if self.season is None else self.season.number

    def parameters(self, sight: Sight) -> tuple[Any, ...]:
        """What all these queries take first: the memberships, the moment, the season, and whether bots may play.

        Memberships are those of the stream. Those of the read model may come after the games, and an export that is
        past these games would have lost them.
        """
        spans = self.club.memberships
        since, until = (0, None) if self.season is None else (self.season.started_at, self.season.ended_at)
        return (
            [span.player_id for span in spans],
            [span.joined_at for span in spans],
            [span.left_at for span in spans],
            sight.now,
            since,
            until,
            self.club.counts_bots,
        )


def games_of(club: Club, number: int | None) -> ClubGames:
    """The games of a season by its number; of the newest season without one."""
    if number == ALL_GAMES:
        return ClubGames(club, None)
    found = [season for season in club.seasons if number in {None, season.number}]
    if not found:
        raise NoSuchSeason(season=number)
    return ClubGames(club, found[-1])


def query_of_games(name: str) -> str:
    """A query over the games of a club."""
    return query(name).replace("{games}", query("club_games"))
