"""The season table. Points: two for every player who finished behind you, one for every player who shares your place."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from domain.clubs.answers import Standing
from domain.statistics.answers import PlaceCount
from domain.statistics.intervals import rate_of
from services.clubs.club import Club


def standings_of(club: Club, rows: Iterable[Any]) -> tuple[Standing, ...]:
    """The rows of a table, the best first. Members who have not played yet are at its end."""
    played = [_standing(club, row) for row in rows]
    known = {standing.player_id for standing in played}
    idle = [_idle(club, player_id) for player_id in club.members if player_id not in known]
    return tuple(_ranked([*played, *idle]))


def _ranked(standings: list[Standing]) -> Iterable[Standing]:
    def rank(one: Standing) -> tuple[int, int]:
        return -one.points, -one.wins.count

    ordered = sorted(standings, key=lambda one: (*rank(one), -one.games, one.name, one.player_id))
    ranks = [rank(one) for one in ordered]
    for one in ordered:
        yield replace(one, position=ranks.index(rank(one)) + 1)


def _standing(club: Club, row: Any) -> Standing:
    places = Counter(row["places"])
    return Standing(
        position=0,
        player_id=row["player_id"],
        name=club.names[row["player_id"]],
        is_member=row["player_id"] in club.members,
        games=row["games"],
        points=row["points"],
        points_possible=row["points_possible"],
        wins=rate_of(places[1], row["games"]),
        places=tuple(PlaceCount(place, games) for place, games in sorted(places.items())),
        best_decisions=rate_of(row["best_decisions"], row["decisions"]),
    )


def _idle(club: Club, player_id: str) -> Standing:
    return Standing(
        position=0,
        player_id=player_id,
        name=club.members[player_id].name,
        is_member=True,
        games=0,
        points=0,
        points_possible=0,
        wins=rate_of(0, 0),
        places=(),
        best_decisions=rate_of(0, 0),
    )
