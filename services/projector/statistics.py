"""Statistics: the facts of each seat in every ended game, its decisions, and what is computed from all games."""

from bisect import bisect_right
from typing import Any, NamedTuple

from domain.events import GameStarted
from domain.statistics.counting import counted, places_of
from domain.statistics.course import COURSE, course_of
from domain.statistics.decisions import PHASES, Decision, decile_of
from domain.statistics.facts import NUMBERS, TIME_BINS, SeatFacts
from domain.values import Bid
from infra.postgres.connections import Connection
from infra.postgres.generations import Model
from infra.postgres.queries import query
from services.archive.sums import adding_queries
from services.bots.names import Counted, counted_as
from services.projector.projection import Projection, Rows, StoredGame
from services.projector.ratings import settle_ratings

GAMES_AT_ONCE = 300
"""How many games one transaction adds to the sums: few enough that it takes less than a second, because others wait for it."""


class StatisticsProjection(Projection):
    """Rows for the seats, decisions and course of a game that was played, and one for a game that counts for ratings."""

    MODEL = Model("statistics", 2)
    TABLES = ("seats", "decisions", "courses", "waiting", "rated_games")
    QUEUES = frozenset(("waiting",))

    def rows(self, game: StoredGame) -> Rows:
        """The facts of an ended game; one that never started has none."""
        if not game.is_over or not any(isinstance(event, GameStarted) for event in game.events):
            return {}
        players = [counted_as(seat.player_id, seat.name, seat.kind) for seat in game.listing.seats]
        places = places_of(game.listing.places)
        found, about = counted(game.events, game.listing.forked_version or 0), _About.of(game)
        seats = list(enumerate(zip(players, found.facts, strict=True)))
        return {
            "seats": [
                (game.game_id, seat, *player, *about, len(players), places.get(seat), *_seat_numbers(facts))
                for seat, (player, facts) in seats
            ],
            "decisions": [_decision_row(game.game_id, players[one.seat], about, one) for one in found.decisions],
            "courses": [_course_row(game, about, len(players))],
            "waiting": [
                (game.game_id, seat, player.player_id, about.ended_at, about.shown_at) for seat, (player, _) in seats
            ],
            "rated_games": [_rated_row(game, players, places)] if _is_rated(game, players) else [],
        }

    async def is_settled(self, connection: Connection, schema: str) -> bool:
        """Whether all games have their ratings, and those that everybody may know are in the sums."""
        return not (
            await connection.fetchval(query("has_unsettled_games", schema=schema))
            or await connection.fetchval(query("has_waiting_games", schema=schema))
        )

    async def settle(self, connection: Connection, schema: str) -> None:
        """Compute the ratings of some games that have none yet, and add some games to the sums."""
        if await connection.fetchval(query("has_unsettled_games", schema=schema)):
            await settle_ratings(connection, schema)
        taken = await connection.fetch(query("take_waiting_games", schema=schema), GAMES_AT_ONCE)
        game_ids = [row["game_id"] for row in taken]
        if game_ids:
            for adding in adding_queries(schema):
                await connection.execute(adding, game_ids)


class _About(NamedTuple):
    """The columns by which rows are searched for."""

    rulebook: str
    played: str
    private: bool
    ended_at: int
    shown_at: int

    @classmethod
    def of(cls, game: StoredGame) -> "_About":
        listing = game.listing
        assert listing.ended_at is not None, "the game is over"
        assert listing.shown_at is not None, "the game is over"
        played = "practice" if listing.practice else listing.result
        return cls(listing.rulebook, played, listing.private, listing.ended_at, listing.shown_at)


def _seat_numbers(facts: SeatFacts) -> tuple[Any, ...]:
    by_seat = (facts.against, facts.against_won, facts.challenged_by, facts.held_against)
    return (*by_seat, *(getattr(facts, name) for name in NUMBERS))


def _decision_row(game_id: str, player: Counted, about: _About, made: Decision) -> tuple[Any, ...]:
    return (
        *(game_id, made.version, made.seat, player.player_id, player.kind, *about),
        *(made.at, made.round, made.action, *_columns(made.bid), *_columns(made.standing)),
        *(made.hidden, made.shown, made.own_dice, made.dice_left, made.players_left, made.opened),
        *(PHASES.index(made.phase), made.chance, made.standing_chance, made.best_chance, *_columns(made.best_bid)),
        *(made.regret, made.bluff, made.took, made.challenged_by, made.challenged_by_clock, made.final_chance),
        *(made.won, made.exact, made.challenged, bisect_right(TIME_BINS, made.took)),
        None if made.bid is None else decile_of(made.chance),
        None if made.standing_chance is None else decile_of(made.standing_chance),
        None if made.final_chance is None else decile_of(made.final_chance),
    )


def _columns(bid: Bid | None) -> tuple[int | None, int | None]:
    return (None, None) if bid is None else (bid.quantity, bid.face)


def _course_row(game: StoredGame, about: _About, players: int) -> tuple[Any, ...]:
    course = course_of(game.events, game.listing.forked_version or 0)
    return (game.game_id, *about, players, *(getattr(course, name) for name in COURSE))


def _is_rated(game: StoredGame, players: list[Counted]) -> bool:
    """Whether a game counts for ratings. A private game does not: a changed rating would reveal it to others."""
    listing = game.listing
    several = len({player.player_id for player in players}) > 1
    return listing.result == "ended" and several and not listing.practice and not listing.private


def _rated_row(game: StoredGame, players: list[Counted], places: dict[int, int]) -> tuple[Any, ...]:
    return (
        game.game_id,
        game.listing.shown_at,
        game.listing.rulebook,
        [player.player_id for player in players],
        [player.kind for player in players],
        [places[seat] for seat in range(len(players))],
        False,
    )
