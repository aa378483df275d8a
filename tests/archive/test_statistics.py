"""Reading statistics: sums over the right games, for those who may know them."""

from collections import Counter
from typing import Any, get_args

import pytest

from domain.commands import TimeOut
from domain.history.replaying import revealed
from domain.refusals import NoSuchRulebook
from domain.rulebooks import BOOKS
from domain.statistics.answers import Measure, Played, PlayerStatistics, Span
from domain.statistics.counting import facts_of, places_of
from domain.statistics.facts import SeatFacts
from domain.statistics.intervals import GAIN, SECONDS, Rate, mean_of, rate_of
from domain.views import seen_by as seen_by_seat
from services.access.refusals import FieldInvalid
from services.archive.people import People
from services.archive.refusals import NoSuchPlayer
from services.archive.statistics import Statistics
from tests.archive.stored import LATER, Made, seen_by, statistics_of
from tests.infra.postgres.databases import new_database
from tests.made_tables import bids, challenges, dealt
from tests.projector.models import Models, on_models

GAMES = [
    Made(
        game_id=f"game-{number}",
        players=(("ann", "bob", "cleo"), ("bob", "ann"), ("dan", "ann", "bob", "cleo"))[number % 3],
        ended_at=1_000 * number,
        rulebook=BOOKS[number % len(BOOKS)].id,
        seed=number,
    )
    for number in range(1, 31)
]


def summed(games: list[Made], player: str) -> Counter[str]:
    """The facts of a player, added up here."""
    found: Counter[str] = Counter()
    for game in games:
        if player in game.players:
            facts = facts_of(game.events)[game.players.index(player)]
            found.update(
                {name: value for name in SeatFacts.__struct_fields__ if isinstance(value := getattr(facts, name), int)}
            )
            found["games"] += 1
            found["wins"] += places_of(game.places)[game.players.index(player)] == 1
    return found


def check(numbers: PlayerStatistics, sums: Counter[str]) -> None:
    """The numbers of a player are those of these sums."""
    assert numbers.games == sums["games"]
    assert numbers.wins == rate_of(sums["wins"], sums["games"])
    assert numbers.rounds == sums["rounds"]
    assert numbers.challenges_won == rate_of(sums["challenges_won"], sums["challenges"])
    assert numbers.bids_held == rate_of(sums["held"], sums["challenged"])
    assert numbers.exact_bids == rate_of(sums["exact"], sums["challenged"])
    assert numbers.bluffs == rate_of(sums["bluffs"], sums["bids"])
    assert numbers.bluffs_caught == rate_of(sums["bluffs_caught"], sums["bluffs"])
    assert numbers.best_decisions == rate_of(sums["best_decisions"], sums["decisions"])
    assert numbers.risk == mean_of(sums["bids"], sums["risk"], sums["risk_squares"])
    assert numbers.regret == mean_of(sums["decisions"], sums["regret"], sums["regret_squares"])
    assert numbers.brier == mean_of(sums["challenged"], sums["brier"], sums["brier_squares"])
    assert numbers.reroll_gain == mean_of(sums["rerolls"], sums["gain"], sums["gain_squares"], GAIN)
    assert numbers.brier.count == sum(one.held.out_of for one in numbers.calibration) == sums["challenged"]
    assert numbers.challenge_outcomes.expected == pytest.approx(sums["party_expected"] / 1e9)
    assert numbers.challenge_outcomes.actual == sums["challenges_won"] + sums["held"]
    assert (numbers.dice_luck.count, numbers.dice_luck.actual) == (sums["hands"], sums["strength"])
    assert numbers.move_seconds.count == sum(one.moves for one in numbers.move_times) == sums["decisions"]
    assert numbers.move_seconds == mean_of(sums["decisions"], sums["time"], sums["time_squares"], SECONDS)


def test_the_numbers_of_a_player_are_the_sums_over_the_games_of_a_book_and_a_time() -> None:
    async def work(models: Models) -> None:
        statistics = await statistics_of(models, GAMES)
        for player in ("ann", "bob", "cleo", "dan"):
            check(await statistics.player(player, seen_by()), summed(GAMES, player))
            for book in BOOKS:
                numbers = await statistics.player(player, seen_by(), Span(rulebook=book.id))
                check(numbers, summed([game for game in GAMES if game.rulebook == book.id], player))
        whole, parts = await statistics.player("ann", seen_by()), Counter[str]()
        for since in range(0, 31_000, 6_000):
            span = Span(since=since, until=since + 6_000)
            part = await statistics.player("ann", seen_by(), span)
            check(part, summed([game for game in GAMES if since <= game.ended_at < since + 6_000], "ann"))
            parts += Counter(games=part.games, rounds=part.rounds, bids=part.bluffs.out_of, won=part.wins.count)
        assert parts == Counter(games=whole.games, rounds=whole.rounds, bids=whole.bluffs.out_of, won=whole.wins.count)

    on_models(new_database(2), work)


def test_places_are_counted_and_wins_are_beside_what_is_to_be_expected() -> None:
    async def work(models: Models) -> None:
        numbers = await (await statistics_of(models, GAMES)).player("ann", seen_by())
        places = Counter(places_of(game.places)[game.players.index("ann")] for game in GAMES)
        assert {one.place: one.games for one in numbers.places} == places
        assert numbers.expected_wins == pytest.approx(sum(1 / len(game.players) for game in GAMES))
        assert (numbers.name, numbers.kind) == ("Ann", "human")

    on_models(new_database(1), work)


def test_practice_games_and_abandoned_games_are_counted_apart() -> None:
    counted = Made(game_id="counted", players=("ann", "bob"))
    practice = Made(game_id="practice", players=("ann", "bob"), forked_version=30, seed=2)
    abandoned = Made(game_id="abandoned", players=("ann", "bob"), rounds=1, seed=3)

    async def work(models: Models) -> None:
        statistics = await statistics_of(models, [counted, practice, abandoned])
        for played, game in (("ended", counted), ("practice", practice), ("abandoned", abandoned)):
            numbers = await statistics.player("ann", seen_by(), Span(played=played))  # type: ignore[arg-type]
            facts = facts_of(game.events, game.forked_version or 0)[0]
            assert (numbers.games, numbers.rounds, numbers.bluffs.out_of) == (1, facts.rounds, facts.bids)
            assert (numbers.ended_games, numbers.practice_games, numbers.abandoned_games) == (1, 1, 1)
            assert numbers.wins.out_of == (played != "abandoned")
            compared = await statistics.head_to_head("ann", "bob", seen_by(), Span(played=played))  # type: ignore[arg-type]
            assert compared.games == 1
        for measure in get_args(Measure):
            board = await statistics.leaderboard(seen_by(), measure=measure)
            assert all(entry.games == 1 for entry in board.entries)
        rating = (await statistics.player("ann", seen_by())).rating
        assert rating is not None
        assert rating.games == 1

    assert set(get_args(Played)) == {"ended", "practice", "abandoned"}
    on_models(new_database(1), work)


def test_a_leaderboard_has_the_games_that_came_to_the_end_asked_for() -> None:
    counted = Made(game_id="counted", players=("ann", "bob"))
    practice = Made(game_id="practice", players=("ann", "cleo"), forked_version=3, seed=2)
    abandoned = Made(game_id="abandoned", players=("ann", "dan"), rounds=1, seed=3)

    async def work(models: Models) -> None:
        statistics = await statistics_of(models, [counted, practice, abandoned])
        for played, other in (("ended", "bob"), ("practice", "cleo"), ("abandoned", "dan")):
            span = Span(played=played)  # type: ignore[arg-type]
            board = await statistics.leaderboard(seen_by(), span, measure="games")
            assert board.played == played
            assert {entry.player_id for entry in board.entries} == {"ann", other}
            won = await statistics.leaderboard(seen_by(), span, measure="wins")
            assert {entry.player_id for entry in won.entries} == (set() if played == "abandoned" else {"ann", other})

    on_models(new_database(1), work)


@pytest.mark.parametrize("played", ["practice", "abandoned"])
def test_there_are_no_ratings_of_games_that_are_not_rated(played: Played) -> None:
    async def work(models: Models) -> None:
        statistics = Statistics(models.pool)
        with pytest.raises(FieldInvalid, match=r"span\.played must be ended for ratings"):
            await statistics.leaderboard(seen_by(), Span(played=played))
        with pytest.raises(FieldInvalid, match=r"span\.played must be ended for ratings"):
            await statistics.rating_history("ann", seen_by(), Span(played=played))

    on_models(new_database(1), work)


def test_the_way_of_a_rating_repeats_what_it_is_about() -> None:
    async def work(models: Models) -> None:
        book = BOOKS[0].id
        span = Span(rulebook=book, since=1, until=2)
        found = await Statistics(models.pool).rating_history("bot.cautious", seen_by(), span)
        assert (found.rulebook, found.since, found.until, found.played) == (book, 1, 2, "ended")

    on_models(new_database(1), work)


def test_a_table_that_was_given_up_before_it_began_is_no_game() -> None:
    async def work(models: Models) -> None:
        statistics = await statistics_of(models, [Made(game_id="gathered", players=("ann", "bob"), rounds=0)])
        numbers = await statistics.player("ann", seen_by("ann"), Span(played="abandoned"))
        assert (numbers.games, numbers.abandoned_games, numbers.name) == (0, 0, None)

    on_models(new_database(1), work)


def test_two_players_are_compared_by_the_tables_at_which_both_sat() -> None:
    async def work(models: Models) -> None:
        statistics = await statistics_of(models, GAMES)
        own = await statistics.head_to_head("ann", "cleo", seen_by())
        other = await statistics.head_to_head("cleo", "ann", seen_by())
        both = [game for game in GAMES if {"ann", "cleo"} <= set(game.players)]
        ranks = [[places_of(game.places)[game.players.index(name)] for name in ("ann", "cleo")] for game in both]
        facts = [facts_of(game.events)[game.players.index("ann")] for game in both]
        seats = [game.players.index("cleo") for game in both]
        made = sum(one.against[seat] for one, seat in zip(facts, seats, strict=True))
        won = sum(one.against_won[seat] for one, seat in zip(facts, seats, strict=True))

        assert own.games == other.games == len(both)
        assert own.ahead == rate_of(sum(mine < theirs for mine, theirs in ranks), len(both))
        assert (own.ahead.count, own.level, own.behind) == (other.behind, other.level, other.ahead.count)
        assert own.challenges_won == rate_of(won, made)
        assert made
        assert other.bids_held == rate_of(made - won, made)
        strangers = await statistics.head_to_head("cleo", "bot.cautious", seen_by())
        assert (strangers.games, strangers.ahead) == (0, Rate(0, 0))

    on_models(new_database(2), work)


def test_private_games_count_for_nobody_but_the_player_who_asks_about_the_own_ones() -> None:
    public = Made(game_id="public", players=("ann", "bob", "cleo"))
    private = Made(game_id="private", players=("ann", "bob"), private=True, seed=4)

    async def work(models: Models) -> None:
        statistics = await statistics_of(models, [public, private])
        for asking, games in (("ann", 2), ("bob", 1), ("cleo", 1), ("owner", 1), ("", 1)):
            numbers = await statistics.player("ann", seen_by(asking))
            assert (numbers.games, numbers.private_games) == (games, games - 1), asking
        without = await statistics.player("ann", seen_by())
        check(without, summed([public], "ann"))
        for asking, games in (("ann", 2), ("bob", 2), ("cleo", 1), ("", 1)):
            assert (await statistics.head_to_head("ann", "bob", seen_by(asking))).games == games, asking
        for measure in get_args(Measure):
            board = await statistics.leaderboard(seen_by("ann"), measure=measure)
            assert {entry.games for entry in board.entries} == {1}
        history = await statistics.rating_history("ann", seen_by("ann"))
        assert [point.game_id for point in history.points] == ["public"]

    on_models(new_database(1), work)


def test_a_player_is_known_from_a_public_game_that_everybody_may_know_and_before_that_to_nobody_else() -> None:
    private = Made(game_id="private", players=("ann", "bob"), private=True)
    late = Made(game_id="late", players=("ann", "cleo"), ended_at=1_000_000, delay_seconds=30, seed=2)

    async def knows(models: Models, asking: str, player: str, now: int) -> bool:
        statistics, sight, found = Statistics(models.pool), seen_by(asking, now), []
        reads: list[Any] = [
            statistics.player(player, sight),
            statistics.groups(player, "phase", sight),
            statistics.rating_history(player, sight),
            statistics.head_to_head(player, "bot.bluffing", sight),
            People(models.pool).find(player, sight),
        ]
        for read in reads:
            try:
                await read
                found.append(True)
            except NoSuchPlayer:
                found.append(False)
        assert len(set(found)) == 1, "all answers agree"
        return found[0]

    async def work(models: Models) -> None:
        await statistics_of(models, [private, late])
        for player, early in (("ann", False), ("bob", False), ("zoe", False), ("bot.cautious", True)):
            assert await knows(models, "", player, 1_029_999) == early
            assert await knows(models, "cleo", player, 1_029_999) == early, "those who sat there learn it no earlier"
        assert await knows(models, "bob", "bob", 1_029_999)
        assert await knows(models, "zoe", "zoe", 1_029_999), "a player without games may ask"
        assert await knows(models, "", "ann", 1_030_000)
        assert not await knows(models, "", "bob", LATER), "a player of private games only is known to nobody else"
        assert await knows(models, "", "bot.cautious.1a2b3c4d", 0)
        assert not await knows(models, "", "bot.mistyped", LATER)

    on_models(new_database(1), work)


def test_players_are_found_by_the_beginning_of_a_name_and_each_kind_of_bot_once() -> None:
    games = [
        Made(game_id=f"g{number}", players=("ann", "anna", f"bot.cautious.{number}", "Bob"), ended_at=1_000 * number)
        for number in range(1, 4)
    ]
    private = Made(game_id="private", players=("andy", "ann"), private=True)

    async def work(models: Models) -> None:
        await statistics_of(models, [*games, private])
        people = People(models.pool)
        every = await people.named("", seen_by(), 10)
        assert [(one.player_id, one.kind, one.games) for one in every] == [
            *(("ann", "human", 3), ("anna", "human", 3), ("Bob", "human", 3), ("bot.cautious", "bot", 3)),
        ]
        assert [one.name for one in await people.named("aN", seen_by(), 10)] == ["Ann", "Anna"]
        assert await people.named("an", seen_by(), 10, ("Ann", "ann")) == every[1:2]
        assert await people.named("cau", seen_by(), 10) == every[3:]
        assert [one.name for one in await people.named("", seen_by(), 2, ("Anna", "anna"))] == ["Bob", "cautious"]
        assert await people.find("bot.cautious.2", seen_by()) == every[3]
        assert await people.named("", seen_by(now=999), 10) == [], "no end is shown yet"

    on_models(new_database(1), work)


def test_bids_held_against_another_player_are_own_bids_that_the_other_or_the_clock_for_the_other_challenged() -> None:
    """The clock bids for Ann, which is no bid of hers; and it challenges for Bob, which is a challenge to her bid."""
    of_clock = dealt("single-hand", "5 5", "3 4", turn_seconds=10, on_timeout="lowest_bid")
    of_clock = of_clock.after(TimeOut(seat=0, at=10_000), challenges(1))
    to_own = dealt("single-hand", "5 5", "3 4", turn_seconds=10, on_timeout="challenge")
    to_own = to_own.after(bids(0, "2x5"), TimeOut(seat=1, at=10_000))
    for game, received, made in ((of_clock, 0, 1), (to_own, 1, 0)):
        ann, bob = facts_of(revealed([seen_by_seat(event, None) for event in game.events]))
        assert (ann.challenged, ann.challenged_by) == (received, (0, received))
        assert ann.held_against == (0, received)
        assert (bob.challenges, bob.against) == (made, (made, 0))


def test_a_game_counts_for_nobody_before_everybody_may_know_how_it_ended() -> None:
    game = Made(game_id="late", players=("ann", "bob"), ended_at=1_000_000, delay_seconds=30)

    async def answers(statistics: Statistics, player: str, now: int) -> list[object]:
        sight = seen_by(player, now)
        boards = [await statistics.leaderboard(sight, measure=measure) for measure in get_args(Measure)]
        numbers = await statistics.player("ann", sight)
        compared = await statistics.head_to_head("ann", "bob", sight)
        return [numbers, compared, await statistics.rating_history("ann", sight), *boards]

    async def work(models: Models) -> None:
        before = Made(game_id="before", players=("ann", "bob"), ended_at=1_000, seed=5)
        statistics = await statistics_of(models, [before])
        known = await answers(statistics, "", 2_000_000)
        await statistics_of(models, [game])
        for player in ("ann", "bob", "cleo", ""):
            assert await answers(statistics, player, 1_029_999) == known
            assert all(
                one != other for one, other in zip(await answers(statistics, player, 1_030_000), known, strict=True)
            )

    on_models(new_database(1), work)


def test_bots_of_the_server_count_by_how_they_play() -> None:
    games = [
        Made(
            game_id=f"g{number}",
            players=("ann", f"bot.cautious.{number}", f"bot.cautious.x{number}", f"bot.bluffing.{number}"),
        )
        for number in range(3)
    ]

    async def work(models: Models) -> None:
        statistics = await statistics_of(models, games)
        cautious = await statistics.player("bot.cautious", seen_by())
        assert (cautious.games, cautious.name, cautious.kind) == (6, "cautious", "bot")
        assert cautious.rating is not None
        assert cautious.rating.games == 3
        assert await statistics.player("bot.cautious.1", seen_by()) == cautious, (
            "the id of a seat stands for its strategy"
        )
        people = await statistics.leaderboard(seen_by(), kind="human")
        bots = await statistics.leaderboard(seen_by(), kind="bot", measure="wins")
        assert [entry.player_id for entry in people.entries] == ["ann"]
        assert sorted(entry.player_id for entry in bots.entries) == ["bot.bluffing", "bot.cautious"]

    on_models(new_database(1), work)


@pytest.mark.parametrize("measure", get_args(Measure))
def test_a_leaderboard_ranks_by_the_low_end_and_comes_in_pages(measure: Measure) -> None:
    async def work(models: Models) -> None:
        statistics = await statistics_of(models, GAMES)
        whole = (await statistics.leaderboard(seen_by(), measure=measure)).entries
        assert [entry.position for entry in whole] == [1, 2, 3, 4]
        ranked = [entry.value if entry.low is None else entry.low for entry in whole]
        assert ranked == sorted(ranked, reverse=True)
        first = await statistics.leaderboard(seen_by(), measure=measure, limit=3)
        rest = await statistics.leaderboard(seen_by(), measure=measure, limit=3, after=3)
        assert first.entries + rest.entries == whole
        assert (first.more, rest.more) == (True, False)
        many = await statistics.leaderboard(seen_by(), measure=measure, games_min=15)
        assert {entry.player_id for entry in many.entries} == {"ann", "bob", "cleo"}
        book = BOOKS[0].id
        of_book = await statistics.leaderboard(seen_by(), Span(rulebook=book), measure=measure)
        counts = Counter(player for game in GAMES if game.rulebook == book for player in game.players)
        found = {entry.player_id: entry.games for entry in of_book.entries}
        assert found == {player: games for player, games in counts.items() if player in found}
        assert set(counts) - set(found) <= {"dan"}, "who made no challenge has no rate of them"

    on_models(new_database(1), work)


@pytest.mark.parametrize("measure", ["wins", "challenges", "bids", "decisions"])
def test_a_leaderboard_shows_the_rates_that_the_players_have(measure: Measure) -> None:
    async def work(models: Models) -> None:
        statistics = await statistics_of(models, GAMES)
        for entry in (await statistics.leaderboard(seen_by(), measure=measure)).entries:
            numbers = await statistics.player(entry.player_id, seen_by())
            rates = (numbers.wins, numbers.challenges_won, numbers.bids_held, numbers.best_decisions)
            rate = dict(zip(("wins", "challenges", "bids", "decisions"), rates, strict=True))[measure]
            assert (entry.value, entry.count, entry.low, entry.high) == (rate.rate, rate.out_of, rate.low, rate.high)

    on_models(new_database(1), work)


def test_what_makes_no_sense_is_refused() -> None:
    async def work(models: Models) -> None:
        statistics = Statistics(models.pool)
        with pytest.raises(FieldInvalid, match="player_id"):
            await statistics.player("no id", seen_by())
        with pytest.raises(FieldInvalid, match="player_ids"):
            await statistics.matrix(("bot.cautious", "bot.bluffing", "bot.cautious.1"), seen_by())
        with pytest.raises(FieldInvalid, match="other_id"):
            await statistics.head_to_head("bot.cautious", "bot.cautious.7", seen_by())
        with pytest.raises(NoSuchRulebook):
            await statistics.player("ann", seen_by(), Span(rulebook="go"))
        with pytest.raises(NoSuchRulebook):
            await statistics.leaderboard(seen_by(), Span(rulebook="go"))

    on_models(new_database(1), work)
