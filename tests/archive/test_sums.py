"""Sums: the same answer from sums kept, from rows, and from a recount of the games, at every moment."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from domain.rulebooks import BOOKS
from domain.statistics.answers import DecisionMade, DecisionsWanted, GameGrouping, Grouping, PlayerGroup, Span
from domain.statistics.counting import counted, places_of
from domain.statistics.course import course_of
from domain.statistics.decisions import Decision, decile_of
from domain.statistics.intervals import rate_of
from infra.postgres.queries import query
from services.access.refusals import FieldInvalid, GamePrivate
from services.archive.archive import Archive, Place
from services.archive.decisions import Decisions, Mark, mark_of, mark_token
from services.archive.moments import day_of
from services.archive.statistics import Statistics
from services.archive.sums import DAY_MILLISECONDS, days_of
from tests.archive.stored import Made, seen_by, statistics_of, store
from tests.infra.postgres.databases import new_database
from tests.projector.models import Models, on_models

FIRST = 20_000 * DAY_MILLISECONDS
"""A day in 2024."""
GAMES = [
    Made(
        game_id=f"game-{number}",
        players=(("ann", "bob", "cleo"), ("bob", "ann"), ("dan", "ann", "bot.cautious.1"))[number % 3],
        ended_at=FIRST + number * DAY_MILLISECONDS // 3,
        rulebook=BOOKS[number % len(BOOKS)].id,
        seed=number,
        delay_seconds=3_600 if number % 5 == 0 else 0,
        private=number % 7 == 0,
    )
    for number in range(18)
]
LAST = max(game.shown_at for game in GAMES)
BY_DECISION: dict[str, Any] = {
    "dice_left": lambda one: str(one.dice_left),
    "players_left": lambda one: str(one.players_left),
    "opener": lambda one: "true" if one.opened else "false",
    "phase": lambda one: one.phase,
    "bid_chance": lambda one: None if one.bid is None else f"{decile_of(one.chance) / 10:.1f}",
    "standing_chance": lambda one: (
        None if one.standing_chance is None else f"{decile_of(one.standing_chance) / 10:.1f}"
    ),
}


def seat_of(game: Made, player: str) -> int:
    return game.players.index(player)


def decided(games: Iterable[Made], player: str) -> list[Decision]:
    return [
        one
        for game in games
        if player in game.players
        for one in counted(game.events).decisions
        if one.seat == seat_of(game, player)
    ]


def check_group(group: PlayerGroup, made: list[Decision]) -> None:
    """A group has the numbers of these decisions."""
    own = [one for one in made if one.action == "bid"]
    doubted = [one for one in own if one.won is not None]
    challenges = [one for one in made if one.action == "challenge"]
    assert group.decisions == len(made)
    assert group.best_decisions == rate_of(sum(not one.regret for one in made), len(made))
    assert group.regret.mean == pytest.approx(sum(one.regret for one in made) / 1e9 / len(made))
    assert group.bluffs == rate_of(sum(one.bluff for one in own), len(own))
    assert group.doubted == rate_of(len(doubted), len(own))
    assert group.doubts == rate_of(len(challenges), sum(one.standing is not None for one in made))
    assert group.bids_held == rate_of(sum(bool(one.won) for one in doubted), len(doubted))
    assert group.challenges_won == rate_of(sum(bool(one.won) for one in challenges), len(challenges))


def test_groups_have_the_numbers_of_their_decisions() -> None:
    public = [game for game in GAMES if not game.private]

    async def work(models: Models) -> None:
        statistics = await statistics_of(models, GAMES)
        for by, name in BY_DECISION.items():
            found = await statistics.groups("ann", by, seen_by(now=LAST))  # type: ignore[arg-type]
            expected: defaultdict[str, list[Decision]] = defaultdict(list)
            for one in decided(public, "ann"):
                if name(one) is not None:
                    expected[name(one)].append(one)
            assert {group.group for group in found.groups} == set(expected), by
            for group in found.groups:
                check_group(group, expected[group.group])

    on_models(new_database(1), work)


def test_groups_of_whole_games_have_their_wins_and_their_luck() -> None:
    public = [game for game in GAMES if not game.private and "ann" in game.players]
    groupings: dict[Grouping, Any] = {
        "seat": lambda game: str(seat_of(game, "ann")),
        "players": lambda game: str(len(game.players)),
        "week": lambda game: day_of(
            (game.ended_at // DAY_MILLISECONDS + 3) // 7 * 7 * DAY_MILLISECONDS - 3 * DAY_MILLISECONDS
        ),
        "game": lambda game: game.game_id,
    }

    async def work(models: Models) -> None:
        statistics = await statistics_of(models, GAMES)
        for by, name in groupings.items():
            found = await statistics.groups("ann", by, seen_by(now=LAST), limit=50)
            games, wins, luck = Counter[str](), Counter[str](), Counter[str]()
            for game in public:
                games[name(game)] += 1
                wins[name(game)] += places_of(game.places)[seat_of(game, "ann")] == 1
                luck[name(game)] += counted(game.events).facts[seat_of(game, "ann")].strength
            assert {group.group: group.games for group in found.groups} == games
            assert all(group.wins == rate_of(wins[group.group], games[group.group]) for group in found.groups)
            assert {group.group: group.dice_luck.actual for group in found.groups} == luck
            assert (found.by, found.more) == (by, False)

    on_models(new_database(1), work)


def test_the_games_of_a_player_come_in_pages_the_newest_first() -> None:
    async def work(models: Models) -> None:
        statistics = await statistics_of(models, GAMES)
        first = await statistics.groups("ann", "game", seen_by(now=LAST), limit=5)
        last = first.groups[-1]
        rest = await statistics.groups(
            "ann", "game", seen_by(now=LAST), limit=50, after=Place(last.at or 0, last.group)
        )
        found = [group.group for group in first.groups + rest.groups]
        newest = sorted((game for game in GAMES if not game.private), key=lambda game: -game.ended_at)
        assert found == [game.game_id for game in newest if "ann" in game.players]
        assert (first.more, rest.more) == (True, False)

    on_models(new_database(1), work)


SPANS = [
    Span(),
    Span(since=FIRST + 2 * DAY_MILLISECONDS),
    Span(since=FIRST + 5 * DAY_MILLISECONDS // 2, until=FIRST + 13 * DAY_MILLISECONDS // 2),
    Span(until=FIRST + 3 * DAY_MILLISECONDS + 1),
    Span(since=FIRST + DAY_MILLISECONDS // 3, until=FIRST + DAY_MILLISECONDS // 2),
    Span(since=FIRST + DAY_MILLISECONDS, until=FIRST),
]


async def all_answers(statistics: Statistics, now: int, span: Span) -> list[Any]:
    """Everything that comes from sums; ratings do not, and follow only when games are settled."""
    sight = seen_by("ann", now)
    groups = [await statistics.groups("ann", by, sight, span) for by in get_args(Grouping)]
    boards = [await statistics.leaderboard(sight, span, measure=measure) for measure in ("wins", "games")]
    courses = [await statistics.games(by, sight, span) for by in get_args(GameGrouping)]
    matrix = await statistics.matrix(("ann", "bob", "cleo"), sight, span)
    return [replace(await statistics.player("ann", sight, span), rating=None), matrix, *groups, *boards, *courses]


def test_answers_are_the_same_whether_games_are_in_the_sums_or_wait_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """At any moment: also when a game is in the sums although the reader's clock says that its end is not shown yet."""
    asked = [(now, span) for now in (FIRST + 6 * DAY_MILLISECONDS, GAMES[15].ended_at + 1, LAST) for span in SPANS]

    async def work(models: Models) -> None:
        with monkeypatch.context() as patched:
            patched.setattr("services.projector.projector.SETTLE_BEHIND_MAX", -1)  # Nothing is settled.
            statistics = await statistics_of(models, GAMES)
            waiting = [await all_answers(statistics, *one) for one in asked]
            assert not await models.pool.fetchval("SELECT count(*) FROM statistics_v2.sums")
        await models.caught_up()
        assert not await models.pool.fetchval("SELECT count(*) FROM statistics_v2.waiting")
        for one, before in zip(asked, waiting, strict=True):
            assert await all_answers(statistics, *one) == before, one

    on_models(new_database(2), work)


def test_a_game_whose_end_is_still_hidden_waits_until_everybody_may_know_it() -> None:
    shown = Made(game_id="shown", players=("ann", "bob"), ended_at=FIRST)
    hidden = Made(game_id="hidden", players=("ann", "bob"), ended_at=4_000_000_000_000, seed=2)

    async def work(models: Models) -> None:
        statistics = await statistics_of(models, [shown, hidden])
        generation = await models.live("statistics")
        waiting = await models.pool.fetch("SELECT DISTINCT game_id FROM statistics_v2.waiting")
        assert [row["game_id"] for row in waiting] == ["hidden"]
        assert not await models.pool.fetchval(query("has_waiting_games", schema=generation.schema))
        assert (await statistics.player("ann", seen_by(now=hidden.ended_at - 1))).games == 1
        assert (await statistics.player("ann", seen_by(now=hidden.ended_at))).games == 2

    on_models(new_database(1), work)


def test_games_that_come_one_after_the_other_add_up_to_what_comes_at_once() -> None:
    async def work(models: Models) -> dict[str, list[tuple[Any, ...]]]:
        for game in GAMES[: len(GAMES) // 2]:
            await store(models, [game])
            await models.caught_up()
        await store(models, GAMES[len(GAMES) // 2 :])
        await models.caught_up()
        return await models.rows(await models.live("statistics"))

    async def at_once(models: Models) -> dict[str, list[tuple[Any, ...]]]:
        await statistics_of(models, GAMES)
        return await models.rows(await models.live("statistics"))

    assert on_models(new_database(1), work) == on_models(new_database(1), at_once)


def test_games_are_counted_by_book_by_players_and_by_week() -> None:
    public = [game for game in GAMES if not game.private]

    async def work(models: Models) -> None:
        statistics = await statistics_of(models, GAMES)
        for by, name in (("rulebook", lambda game: game.rulebook), ("players", lambda game: str(len(game.players)))):
            found = await statistics.games(by, seen_by(now=LAST))  # type: ignore[arg-type]
            games, moves, won = Counter[str](), Counter[str](), Counter[str]()
            for game in public:
                course = course_of(game.events)
                games[name(game)] += 1
                moves[name(game)] += course.moves
                won[name(game)] += course.opener_wins
            assert {group.group: group.games for group in found.groups} == games
            for group in found.groups:
                assert group.moves.mean == pytest.approx(moves[group.group] / group.games)
                assert (group.opener_wins.actual, group.opener_wins.count) == (won[group.group], group.games)
        weeks = await statistics.games("week", seen_by(now=LAST))
        assert sum(group.games for group in weeks.groups) == len(public)

    on_models(new_database(1), work)


def test_days_that_are_cut_come_from_rows_and_whole_days_from_sums() -> None:
    day = DAY_MILLISECONDS
    assert days_of(Span())[:2] == (-1, 0)
    assert days_of(Span(since=day + 1, until=3 * day + 5)) == (2, 3, 2 * day, 3 * day, day + 1, 3 * day + 5)
    assert days_of(Span(since=day, until=2 * day)) == (1, 2, day, 2 * day, day, 2 * day)
    assert days_of(Span(since=5, until=9)) == (0, 0, 9, 9, 5, 9)


def test_the_decisions_of_a_player_are_filtered_ordered_and_come_in_pages() -> None:
    public = [game for game in GAMES if not game.private]

    async def work(models: Models) -> None:
        await statistics_of(models, GAMES)
        archive = Archive(models.pool, models.store.lanes)
        decisions, sight = Decisions(archive), seen_by(now=LAST)
        every = await decisions.of_player("ann", sight, Span(), DecisionsWanted(), limit=1_000)
        made = decided(public, "ann")
        assert every.last is None
        assert sorted(one.regret for one in every.decisions) == sorted(one.regret / 1e9 for one in made)
        assert [one.at for one in every.decisions] == sorted((one.at for one in made), reverse=True)

        paged, after = list[DecisionMade](), None
        worst = DecisionsWanted(order="worst", action="bid", regret_min=0.01)
        while True:
            page = await decisions.of_player("ann", sight, Span(), worst, limit=3, after=mark_of(mark_token(after)))
            paged += page.decisions
            after = page.last
            if after is None:
                break
        expected = [one.regret / 1e9 for one in made if one.action == "bid" and one.regret >= 10**7]
        assert [one.regret for one in paged] == sorted(expected, reverse=True)
        assert len({(one.game_id, one.version) for one in paged}) == len(expected) > 3
        few = await decisions.of_player("ann", sight, Span(), DecisionsWanted(dice_left=4, bluff=True), limit=1_000)
        assert len(few.decisions) == sum(one.dice_left == 4 and one.bluff for one in made)
        own = await decisions.of_player("ann", seen_by("ann", LAST), Span(), DecisionsWanted(), limit=1_000)
        assert {one.game_id for one in own.decisions} - {one.game_id for one in every.decisions} == {
            game.game_id for game in GAMES if game.private and "ann" in game.players
        }

    on_models(new_database(1), work)


def test_the_decisions_of_a_game_are_those_that_the_reader_may_see() -> None:
    public, private = GAMES[1], GAMES[7]

    async def work(models: Models) -> None:
        await statistics_of(models, [public, private])
        decisions = Decisions(Archive(models.pool, models.store.lanes))
        for game, asking in ((public, ""), (private, "ann")):
            found = await decisions.of_game(game.game_id, seen_by(asking, LAST))
            made = counted(game.events).decisions
            assert [(one.version, one.best_bid, one.won) for one in found] == [
                (one.version, one.best_bid, one.won) for one in made
            ]
            assert [one.player_id for one in found] == [game.players[one.seat] for one in made]
            of_player = await decisions.of_player(
                "ann", seen_by("ann", LAST), Span(rulebook=game.rulebook), DecisionsWanted(), limit=100
            )
            assert set(of_player.decisions) == {one for one in found if one.player_id == "ann"}, "both say the same"
        with pytest.raises(GamePrivate):
            await decisions.of_game(private.game_id, seen_by("dan", LAST))

    on_models(new_database(1), work)


@pytest.mark.parametrize(
    "token",
    [
        *("x", "e30=", mark_token(Mark(0, 0, "no id", 1)), mark_token(Mark(-1, 0, "g", 1))),
        *(mark_token(mark) for mark in (Mark(2**31, 0, "g", 1), Mark(0, 2**63, "g", 1), Mark(0, 0, "g", 2**31))),
    ],
)
def test_a_token_of_decisions_that_was_changed_is_refused(token: str) -> None:
    with pytest.raises(FieldInvalid, match="page_token"):
        mark_of(token)
