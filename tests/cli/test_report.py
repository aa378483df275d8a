"""`liarsdice report`: one file that tells all, asks nobody for anything, and lets no name draw."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from domain.freshness import Freshness
from domain.statistics.answers import CalibrationBin, PlayerStatistics, Rating, RatingPoint
from domain.statistics.facts import ONE
from domain.statistics.intervals import Expectation, Mean, expectation_of, mean_of, rate_of
from services.cli.main import main
from services.cli.report.numbers import DEFINITIONS, numbers_of
from services.cli.report.page import report_page
from services.cli.report.portrait import AtChance, AtDice, Portrait
from services.cli.report.scale import Axis, scale_of
from tests.servers import ServerProcess, server_process

NOW = datetime(2026, 2, 3, 4, 5, tzinfo=UTC)
NAME = '<script>alert(1)</script> & "Ann" 王'
ROOT = Path(__file__).parents[2]


def mean(value: float, count: int = 50) -> Mean:
    return mean_of(count, int(value * count * ONE), int((value * value + 0.01) * count * ONE))


def luck(actual: int) -> Expectation:
    return expectation_of(10, actual, 20 * ONE, 4 * ONE)


NUMBERS = PlayerStatistics(
    player_id="ann",
    name=NAME,
    kind="human",
    rulebook=None,
    since=None,
    until=None,
    played="ended",
    ended_games=3,
    practice_games=0,
    abandoned_games=0,
    private_games=1,
    games=3,
    rounds=30,
    wins=rate_of(2, 3),
    expected_wins=1.5,
    places=(),
    forfeits=rate_of(0, 3),
    rating=Rating(26.0, 2.0, 20.0, 3),
    challenges_won=rate_of(5, 9),
    bids_held=rate_of(4, 9),
    exact_bids=rate_of(1, 9),
    bluffs=rate_of(3, 40),
    bluffs_challenged=rate_of(1, 3),
    bluffs_caught=rate_of(1, 3),
    risk=mean(0.3),
    best_decisions=rate_of(30, 50),
    regret=mean(0.06),
    calibration=(CalibrationBin(0.5, 0.6, 0.55, rate_of(4, 9)), CalibrationBin(0.6, 0.7, None, rate_of(0, 0))),
    brier=mean(0.2),
    reroll_gain=Mean(0),
    challenge_outcomes=luck(21),
    dice_luck=luck(26),
    move_seconds=mean(4.0),
    move_times=(),
    clock_moves=0,
)
RATINGS = tuple(
    RatingPoint(at=game, game_id=str(game), rating=Rating(25.0 + game, 8.0 / game, 25.0 + game - 24 / game, game))
    for game in (1, 2, 3)
)
WHOLE = Portrait(
    numbers=NUMBERS,
    ratings=RATINGS,
    luck=(luck(26), luck(24), luck(27)),
    regret=(AtDice(2, mean(0.1)), AtDice(10, mean(0.02)), AtDice(11, Mean(0))),
    doubts=(AtChance(0.15, rate_of(8, 10)), AtChance(0.85, rate_of(1, 20))),
)


def test_every_key_number_stands_beside_its_definition_in_the_words_of_the_page() -> None:
    page = report_page(WHOLE, "example.com:1", NOW)
    words = (ROOT / "services" / "web" / "page" / "words" / "en.js").read_text()
    named = {number.name: number for number in numbers_of(NUMBERS)}

    assert set(named) == {name for name, _ in DEFINITIONS.values()}
    for key, (name, told) in DEFINITIONS.items():
        assert f'{key}: {{ name: "{name}", told: "{told}" }}' in words
        assert f">{told.replace(chr(39), '&#x27;')}</dd>" in page
    assert named["Games won"].value == "66.7 %"
    assert named["Games won"].basis == "2 of 3, expected 1.5"
    assert named["Rating"].interval == "20.0 to 32.0"


def test_the_file_has_five_pictures_that_can_be_read_without_seeing_them() -> None:
    page = report_page(WHOLE, "example.com:1", NOW)

    assert page.count('<figure class="chart">') == 5
    assert len(re.findall(r'<svg viewBox="0 0 100 100"[^>]*role="img" aria-label="[^"]+"', page)) == 5
    assert page.count("<summary>The numbers as a table</summary>") == 5
    assert "From 26.0 after the first of these games to 28.0 after 3 rated games" in page
    assert "9 bids were challenged: 55.0 % should have held, 44.4 % did." in page
    assert "80.0 % of the bids that were more likely false were doubted, and 5.0 % of the others." in page
    assert "After 3 games the hands were +17.0 dice beside the average, more than chance explains." in page
    assert "It was greatest with 2 dice left: 10.0 % a decision." in page


def test_the_file_says_how_fresh_it_is_and_how_many_games_are_private() -> None:
    def page_of(freshness: Freshness) -> str:
        return report_page(replace(WHOLE, numbers=replace(NUMBERS, freshness=freshness)), "example.com:1", NOW)

    at = 1_790_000_000_000
    complete = page_of(Freshness(complete=True, caught_up_to=at))
    assert "No game is missing that was stored by 2026-09-21 at 14:13 UTC." in complete
    assert "Games may be missing: those stored since 2026-09-21 at 14:13 UTC." in page_of(
        Freshness(complete=False, caught_up_to=at)
    )
    assert "1 private, among games of all kinds" in complete, "this number counts practice and abandoned games too"


def test_the_file_asks_nobody_has_no_script_and_no_name_becomes_an_element() -> None:
    page = report_page(WHOLE, "example.com:1", NOW)

    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Ann&quot; 王" in page
    assert "default-src &#x27;none&#x27;" in page
    assert not re.search(r"(src|href)=|url\(|@import", page)
    assert "nan" not in re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)


def test_a_player_without_games_gets_a_report_that_says_so() -> None:
    nothing, none = rate_of(0, 0), Mean(0)
    names = NUMBERS.__struct_fields__
    empty: dict[str, object] = {name: nothing for name in names if isinstance(getattr(NUMBERS, name), type(nothing))}
    empty |= dict.fromkeys((name for name in names if isinstance(getattr(NUMBERS, name), Mean)), none)
    numbers = replace(
        NUMBERS, **empty, name=None, rating=None, games=0, calibration=(), dice_luck=expectation_of(0, 0, 0, 0)
    )
    page = report_page(Portrait(numbers=numbers, ratings=(), luck=(), regret=(), doubts=()), "example.com:1", NOW)

    assert page.count('class="nothing"') == 5
    assert "<h1>ann</h1>" in page
    assert "no rated game yet" in page


@pytest.mark.parametrize(
    ("axis", "values", "ticks"),
    [
        (Axis("x"), [1, 9], (0, 2, 4, 6, 8, 10)),
        (Axis("x", "whole", snug=True), [1, 214], (50, 100, 150, 200)),
        (Axis("x", "share", 0.0, 1.0), [], (0, 0.2, 0.4, 0.6, 0.8, 1)),
        (Axis("x", "whole"), [3], (2, 3, 4)),
        (Axis("x", low=0.0), [0.0], (0, 0.2, 0.4, 0.6, 0.8, 1)),
    ],
)
def test_an_axis_has_round_ticks(axis: Axis, values: list[float], ticks: tuple[float, ...]) -> None:
    assert scale_of(axis, values).ticks == ticks


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with server_process() as running:
        yield running


def test_the_report_is_written_from_the_answers_of_a_server(
    server: ServerProcess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--server", server.address, "--token-file", str(tmp_path / "tokens.json")]
    assert main(["report", "bot.cautious", "--out", str(tmp_path / "report.html"), *flags]) == 0
    assert "<h1>cautious</h1>" in (tmp_path / "report.html").read_text()
    assert main(["report", "--out", str(tmp_path / "own.html"), *flags]) == 2
    assert "does not know you yet: name a player" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
