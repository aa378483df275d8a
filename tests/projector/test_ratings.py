"""Ratings: the same numbers in any order of work, with any number of workers."""

import asyncio
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest
from openskill.models import PlackettLuce

from domain.rulebooks import BOOKS
from domain.statistics.answers import Span
from domain.statistics.counting import places_of
from services.archive.archive import Place
from services.archive.statistics import Statistics
from services.projector.projector import Projector
from services.projector.ratings import NEVER, UNKNOWN, Rating, rate
from services.projector.rebuild import Rebuild
from services.projector.statistics import StatisticsProjection
from tests.archive.stored import Made, kind_of, seen_by, statistics_of, store
from tests.infra.postgres.databases import new_database
from tests.projector.models import Models, on_models

PLAYERS = ("ann", "bob", "cleo", "dan", "eve", "bot.cautious.1", "bot.cautious.2", "bot.bluffing.3")


def random_games(count: int, seed: int) -> list[Made]:
    """Games of all books, some of which end at the same moment, are shown late, or are not rated."""
    chance = Random(seed)
    return [
        Made(
            game_id=f"game-{chance.randrange(10**9)}",
            players=tuple(chance.sample(PLAYERS, chance.randint(2, 4))),
            ended_at=1_000_000 + 1_000 * chance.randrange(count),
            rulebook=chance.choice(BOOKS).id,
            seed=chance.randrange(1_000),
            delay_seconds=chance.choice((0, 0, 3, 20)),
            private=chance.random() < 0.1,
            forked_version=5 if chance.random() < 0.1 else None,
            rounds=1 if chance.random() < 0.1 else None,
        )
        for _ in range(count)
    ]


def known_as(player_id: str) -> str:
    return player_id.rpartition(".")[0] or player_id


def rated_slowly(games: Sequence[Made]) -> list[tuple[Any, ...]]:
    """The rows of all ratings, game after game, with nothing but the library."""
    model, standing, rows = PlackettLuce(), dict[tuple[str, str], tuple[int, float, float]](), list[tuple[Any, ...]]()
    for game in sorted(games, key=lambda game: (game.shown_at, game.game_id)):
        ids = [known_as(player) for player in game.players]
        if game.private or game.forked_version is not None or game.rounds is not None or len(set(ids)) < 2:
            continue
        places = places_of(game.places)
        for ladder in ("", game.rulebook):
            before = [standing.get((ladder, player), (0, 25.0, 25 / 3)) for player in ids]
            teams = [[model.rating(mu, sigma)] for _, mu, sigma in before]
            after = model.rate(teams, ranks=[float(places[seat]) for seat in range(len(ids))])
            for player in dict.fromkeys(ids):
                own = [team[0] for other, team in zip(ids, after, strict=True) if other == player]
                number = standing.get((ladder, player), (0,))[0] + 1
                mu, sigma = (sum(getattr(one, name) for one in own) / len(own) for name in ("mu", "sigma"))
                standing[ladder, player] = (number, mu, sigma)
                rows.append((ladder, player, game.shown_at, game.game_id, kind_of(player), number, mu, sigma))
    return sorted(rows)


async def rows_of(models: Models) -> list[tuple[Any, ...]]:
    rows = await models.pool.fetch(
        "SELECT ladder, player_id, shown_at, game_id, kind, games, mu, sigma FROM statistics_v2.ratings"
    )
    return sorted(tuple(row) for row in rows)


@pytest.mark.parametrize(("seed", "at_once"), [(0, 2_000), (1, 2_000), (2, 3), (3, 1)])
def test_ratings_follow_from_the_order_of_the_ends_and_not_from_that_of_arrival(
    seed: int, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.projector.ratings.GAMES_AT_ONCE", at_once)
    games = random_games(40, seed)

    async def work(models: Models) -> None:
        chance = Random(seed)
        for game in games:
            await store(models, [game])
            if chance.random() < 0.5:
                await models.projector(batch_max=chance.choice((20, 5_000))).catch_up(chance.randrange(3))
        await models.caught_up()
        assert await rows_of(models) == rated_slowly(games)
        await check_successions(models)
        before = await models.rows(await models.live("statistics"))
        rebuilt = await Rebuild(models.url, StatisticsProjection(), models.store.lanes).run(lambda _: None)
        assert await models.rows(rebuilt) == before

    on_models(new_database(3), work)


async def check_successions(models: Models) -> None:
    """Every rating is superseded when the next one of its player is shown."""
    rows = await models.pool.fetch(
        "SELECT superseded_at, lead(shown_at, 1, $1) OVER (PARTITION BY ladder, player_id ORDER BY shown_at, game_id)"
        " AS next FROM statistics_v2.ratings",
        NEVER,
    )
    assert rows
    assert all(row["superseded_at"] == row["next"] for row in rows)


def test_projectors_that_settle_at_the_same_time_and_are_stopped_at_any_moment_come_to_the_same_ratings() -> None:
    games = random_games(40, 9)

    async def work(models: Models) -> None:
        stop = asyncio.Event()

        async def follow(seed: int) -> None:
            chance = Random(seed)
            while not stop.is_set():
                projector: Projector = models.projector(batch_max=chance.choice((30, 400)))
                try:
                    async with asyncio.timeout(chance.random() * 0.05):
                        await projector.advance(chance.randrange(models.store.lanes))
                except TimeoutError:
                    pass

        following = [asyncio.create_task(follow(seed)) for seed in range(3)]
        await store(models, games)
        stop.set()
        await asyncio.gather(*following)
        await models.caught_up()
        assert await rows_of(models) == rated_slowly(games)
        await check_successions(models)

    on_models(new_database(3), work)


def noted(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """The players of each game that is rated from now on."""
    rated: list[Sequence[str]] = []

    def rate_and_note(player_ids: Sequence[str], places: Sequence[int], before: Mapping[str, Rating]) -> Any:
        rated.append(tuple(player_ids))
        return rate(player_ids, places, before)

    monkeypatch.setattr("services.projector.ratings.rate", rate_and_note)
    return rated


def test_a_game_is_rated_once_when_many_lanes_are_caught_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as much is to come from other lanes nothing is settled: else each lane would rate all games again."""
    rated = noted(monkeypatch)
    monkeypatch.setattr("services.projector.projector.SETTLE_BEHIND_MAX", 0)
    games = [Made(game_id=f"game-{number}", players=("ann", "bob"), ended_at=1_000 * number) for number in range(1, 25)]

    async def work(models: Models) -> None:
        await statistics_of(models, games)
        assert await rows_of(models) == rated_slowly(games)

    on_models(new_database(4), work)
    assert len(rated) == 2 * len(games), "once on the ladder of the book, and once on that of all books"


def test_what_had_to_wait_is_settled_by_whoever_next_looks_whether_there_is_anything_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    games = [Made(game_id=f"game-{number}", players=("ann", "bob"), ended_at=1_000 * number) for number in range(1, 9)]

    async def work(models: Models) -> None:
        with monkeypatch.context() as patched:
            patched.setattr("services.projector.projector.SETTLE_BEHIND_MAX", -1)  # Every other lane is too far behind.
            await statistics_of(models, games)
            assert await rows_of(models) == []
        moved = await models.projector().advance(0)
        assert moved.events == 0
        assert await rows_of(models) == rated_slowly(games)

    on_models(new_database(2), work)


def test_a_late_game_has_only_those_rated_again_whom_it_matters_to(monkeypatch: pytest.MonkeyPatch) -> None:
    rated = noted(monkeypatch)
    soon = [Made(game_id=f"soon-{number}", players=("eve", "dan"), ended_at=5_000 + number) for number in range(10)]
    touched = Made(game_id="touched", players=("ann", "cleo"), ended_at=6_000)
    through = Made(game_id="through", players=("cleo", "finn"), ended_at=7_000)
    late = Made(game_id="late", players=("ann", "bob"), ended_at=4_000)

    async def work(models: Models) -> None:
        await statistics_of(models, [*soon, touched, through])
        rated.clear()
        await statistics_of(models, [late])
        assert await rows_of(models) == rated_slowly([*soon, touched, through, late])

    on_models(new_database(1), work)
    assert rated == [late.players] * 2 + [touched.players] * 2 + [through.players] * 2


def test_who_shares_a_place_is_level_and_who_wins_goes_up() -> None:
    before = dict.fromkeys(("ann", "bob", "cleo"), UNKNOWN)
    after = rate(("ann", "bob", "cleo"), (1, 2, 2), before)

    assert after["ann"].mu > UNKNOWN.mu > after["bob"].mu
    assert after["bob"] == after["cleo"]
    assert all(rating.sigma < UNKNOWN.sigma and rating.games == 1 for rating in after.values())


def test_bots_of_one_kind_share_the_mean_of_what_their_seats_earn() -> None:
    alone = rate(("one", "two", "ann"), (1, 2, 3), dict.fromkeys(("one", "two", "ann"), UNKNOWN))
    shared = rate(("bot", "bot", "ann"), (1, 2, 3), dict.fromkeys(("bot", "ann"), UNKNOWN))

    assert shared["ann"] == alone["ann"]
    assert shared["bot"] == Rating(
        1, (alone["one"].mu + alone["two"].mu) / 2, (alone["one"].sigma + alone["two"].sigma) / 2
    )


def test_a_rating_is_shown_when_the_end_of_its_game_is() -> None:
    first = Made(game_id="first", players=("ann", "bob"), ended_at=1_000_000)
    hidden = Made(game_id="hidden", players=("ann", "bob"), ended_at=2_000_000, delay_seconds=60, seed=2)
    later = Made(game_id="later", players=("ann", "cleo"), ended_at=2_010_000, seed=3)

    async def work(models: Models) -> None:
        statistics: Statistics = await statistics_of(models, [first, hidden, later])
        for player in ("ann", "bob", ""):  # Those who sat there learn it no earlier from the statistics.
            early = await statistics.rating_history("ann", seen_by(player, 2_059_999))
            assert [point.game_id for point in early.points] == ["later", "first"]
            late = await statistics.rating_history("ann", seen_by(player, 2_060_000))
            assert [point.game_id for point in late.points] == ["hidden", "later", "first"]
            board = await statistics.leaderboard(seen_by(player, 2_059_999))
            assert {entry.player_id: entry.games for entry in board.entries} == {"ann": 2, "bob": 1, "cleo": 1}
        slow = rated_slowly([first, later])
        early_rating = (await statistics.player("ann", seen_by("bob", 2_059_999))).rating
        assert early_rating is not None
        assert (early_rating.mu, early_rating.sigma) in {(row[6], row[7]) for row in slow}

    on_models(new_database(2), work)


def test_a_history_comes_in_pages_of_one_ladder_and_one_time() -> None:
    books = ("pirates", "single-hand")
    games = [
        Made(game_id=f"g{number}", players=("ann", "bob"), ended_at=1_000 * number, rulebook=books[number % 2])
        for number in range(1, 8)
    ]

    async def work(models: Models) -> None:
        statistics = await statistics_of(models, games)
        first = await statistics.rating_history("ann", seen_by(), limit=4)
        last = first.points[-1]
        rest = await statistics.rating_history("ann", seen_by(), limit=4, after=Place(last.at, last.game_id))
        assert [point.game_id for point in first.points + rest.points] == [f"g{number}" for number in range(7, 0, -1)]
        assert (first.more, rest.more) == (True, False)
        assert [point.rating.games for point in first.points] == [7, 6, 5, 4]
        of_book = await statistics.rating_history("ann", seen_by(), Span(rulebook="pirates", since=3_000, until=6_000))
        assert [point.game_id for point in of_book.points] == ["g4"]

    on_models(new_database(1), work)
