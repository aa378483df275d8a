"""A wrong text is refused, with the number of the line and with what was expected there."""

import pytest

from domain.notation import read_game
from domain.refusals import Malformed

GAME = """\
liarsdice notation 1
game friday-1
rulebook bidding-track, version 1
option chips yes
option dice_each 2
seat 0 "Ann", human ann, chain held by player
seat 1 "Bob", bot bob, chain held by server
seat 2 "Cleo", bot cleo, chain held by server
opening
seat 2 forfeits, time
round 1, seat 0 opens
seat 0 pays 1 to the round pot, 1 to the game pot
seat 1 pays 1 to the round pot, 0 to the game pot
seat 0 rolls 5 *
seat 1 rolls 3 3
seat 0 bids 1x5
seat 0 shows * and rerolls to 2
seat 1 runs out of time
seat 1 bids 4x3
seat 0 challenges
seat 0 has * 2
seat 1 has 3 3
actual count 3
seat 1 loses 1 die
seat 0 wins the challenge
round 2, seat 0 opens
seat 0 pays 1 to the round pot, 1 to the game pot
seat 1 pays 0 to the round pot, 0 to the game pot
seat 1 rolls
seat 1 forfeits, resigned
seat 0 wins the game
places 0 > 1 > 2
chips 52 49 50
"""

PLAIN = """\
liarsdice notation 1
game friday-2
rulebook pirates, version 1
seat 0 "Ann", human ann, chain held by player
seat 1 "Bob", bot bob, chain held by server
opening
seat 0 rolls 3
seat 1 rolls *
round 1, seat 0 opens
seat 0 rolls 2 2 2 2 2
seat 1 rolls 3 3 3 3 3
seat 0 has 2 2 2 2 2
seat 1 has 3 3 3 3 3
abandoned "enough"
"""


def problem_of(text: str) -> str:
    """Why a text is refused."""
    with pytest.raises(Malformed) as refused:
        read_game(text)
    assert refused.value.fields["what"] == "game notation"
    return str(refused.value.fields["problem"])


def with_line(game: str, number: int, *instead: str) -> str:
    """A game with other lines, or none, in the place of one."""
    lines = game.splitlines()
    return "\n".join([*lines[: number - 1], *instead, *lines[number:]])


def test_the_games_of_this_page_are_readable() -> None:
    assert read_game(GAME).winner == 0
    assert read_game(PLAIN).abandoned == "enough"


@pytest.mark.parametrize(
    ("number", "instead", "problem"),
    [
        (1, "liarsdice notation 3", "expected `liarsdice notation 1`, not `liarsdice notation 3`"),
        (1, "", "expected `liarsdice notation 1`, not `game friday-1`"),
        (2, "game friday/1", "expected a game id of letters, digits and ._-, not `friday/1`"),
        (2, f"game {'x' * 65}", f"expected a game id of letters, digits and ._-, not `{'x' * 11}...`"),
        (2, "friday-1", "expected a line like `game friday-1`, not `friday-1`"),
        (3, "rulebook backgammon, version 1", "expected a known rulebook and version, not `backgammon, 1`"),
        (3, "rulebook bidding-track, version 2", "expected a known rulebook and version, not `bidding-track, 2`"),
        (3, "rulebook pirates", "expected `rulebook NAME, version NUMBER`, not `rulebook pirates`"),
        (4, "option chips 1", "expected another value of chips, not `1`"),
        (4, "option opener yes", "expected another value of opener, not `yes`"),
        (4, "option opener 6", "expected an option as bidding-track has it, not `opener 6`"),
        (4, "option raise_rule highest", "expected another value of raise_rule, not `highest`"),
        (4, "option wild_aces yes", "expected an option as bidding-track has it, not `wild_aces yes`"),
        (4, "option colour red", "expected an option and its value, not `option colour red`"),
        (4, "option chips", "expected an option and its value, not `option chips`"),
        (5, "option chips yes", "expected each option once, not `option chips yes`"),
        (5, "option dice_each 11", "expected an option as bidding-track has it, not `dice_each 11`"),
        (5, "option dice_each " + "9" * 5000, "expected a number from 0 to 999999999, not `9999"),
        (5, "optoin dice_each 2", "expected an option or seat 0, not `optoin dice_each 2`"),
        (6, "saet 0", "expected an option or seat 0, not `saet 0`"),
        (6, 'seat 1 "Ann", human ann, chain held by player', "expected an option or seat 0, not `seat 1"),
        (6, 'seat 0 "Ann", human ann', "expected the seat's name, kind, id and chain holder, not `seat 0 \"A...`"),
        (6, 'seat 0 "Ann, human ann, chain held by player', "expected a closing quote, with"),
        (6, 'seat 0 "A\\n", human ann, chain held by player', "expected a closing quote, with"),
        (6, 'seat 0 "", human ann, chain held by player', 'expected 1 to 200 visible characters, not `""`'),
        (6, 'seat 0 "\ud800", human ann, chain held by player', 'expected 1 to 200 visible characters, not `"?"`'),
        (6, "seat 0 Ann, human ann, chain held by player", "expected a text in quotes, not `Ann`"),
        (6, 'seat 0 "Ann", cat ann, chain held by player', "expected human or bot, not `cat`"),
        (6, 'seat 0 "Ann", human "ann", chain held by player', "expected a player id of letters, digits and ._-, not"),
        (6, 'seat 0 "Ann", human ann, chain held by Ann', "expected player or server, not `Ann`"),
        (7, 'seat 1 "Bob", bot ann, chain held by server', "expected each player id once, not `ann`"),
        (9, "openning", "expected seat 3 or the first round, not `openning`"),
        (10, "seat 2 rolls 3", "expected a forfeit, or a roll if the book has it, not `seat 2"),
        (10, "seat 2 forfeits, tired", "expected resigned or time, not `tired`"),
        (10, "seat 3 forfeits, time", "expected a seat from 0 to 2, not `3`"),
        (11, "round 2, seat 0 opens", "expected a line like `round 1, seat 0 opens`, not `round 2, sea...`"),
        (11, "palafico round 1, seat 0 opens", "expected a line like `round 1, seat 0 opens`, not `palafico rou...`"),
        (11, "round 1, seat 2 opens", "expected a seat that still has dice, not `2`"),
        (11, "round 1, seat -1 opens", "expected a seat from 0 to 2, not `-1`"),
        (11, "ruond 1, seat 0 opens", "expected round 1 or the end, not `ruond 1, seat 0 opens`"),
        (
            12,
            "seat 1 pays 1 to the round pot, 1 to the game pot",
            "expected what seat 0 pays to the two pots, not `seat",
        ),
        (12, "seat 0 pays -1 to the round pot, 1 to the game pot", "expected a number from 0 to 999999999, not `-1`"),
        (14, "seat 0 rolls 5", "expected 2 dice here, not `1`"),
        (14, "seat 0 rolls 5 7", "expected a face from 1 to 6 or *, not `7`"),
        (15, "seat 0 rolls 3 3", "expected a seat that has not rolled yet, not `0`"),
        (15, "seat 1 throws 3 3", "expected an action like `seat 0 bids 4x3`, not `seat 1 throws 3 3`"),
        (16, "seat 0 bids 4y3", "expected a bid like 4x3, not `4y3`"),
        (16, "seat 0 bids 0x3", "expected a quantity from 1 to 1000, not `0`"),
        (16, "seat 0 bids 1001x3", "expected a quantity from 1 to 1000, not `1001`"),
        (16, "seat 0 bids ٣x3", "expected a bid like 4x3, not `٣x3`"),
        (16, "seat 0 bids 2x7", "expected a face from 1 to 6 or *, not `7`"),
        (16, "seat 0 bids 2x10", "expected a face from 1 to 6 or *, not `10`"),
        (16, "seat 0 challenges", "expected a bid before this, not `seat 0 challenges`"),
        (17, "seat 0 shows 3 and rerolls to 2", "expected some of the hidden dice 5 1, not `3`"),
        (17, "seat 0 shows * and rerolls to 2 2", "expected 1 rerolled dice, not `2`"),
        (17, "seat 0 shows * and keeps the others", "expected `and rerolls to` with the new dice, not `and keep"),
        (20, "seat 1 has 3 3", "expected `seat 0 has * 2`, not `seat 1 has 3 3`"),
        (21, "seat 0 has 5 *", "expected `seat 0 has * 2`, not `seat 0 has 5 *`"),
        (22, "seat 1 has 3 0", "expected a face from 1 to 6 or *, not `0`"),
        (23, "actual count 4", "expected `actual count 3`, not `actual count 4`"),
        (24, "seat 1 loses 1 die and is out", "expected `seat 1 loses 1 die`, not `seat 1 loses 1 die and is out`"),
        (24, "seat 1 loses 3 dice", "expected `seat 1 owes 3 dice, loses 2 and is out`, not `seat 1 lo...`"),
        (24, "seat 1 loses 0 dice", "expected a penalty from 1 to 1000, not `0`"),
        (24, "all lose 1 die", "expected `seat 0 wins the challenge`, not `all lose 1 die`"),
        (25, "seat 1 wins the challenge", "expected `seat 0 wins the challenge`, not `seat 1 wins the chal...`"),
        (31, "seat 1 wins the game", "expected `seat 0 wins the game`, not `seat 1 wins the game`"),
        (31, 'abandoned "late"', 'expected `seat 0 wins the game`, not `abandoned "late"`'),
        (32, "places 0 > 1 = 2", "expected `places 0 > 1 > 2`, not `places 0 > 1 = 2`"),
        (33, "chips 52 49", "expected `chips` and 3 numbers, not `chips 52 49`"),
        (33, "chips 52 49 -50", "expected a number from 0 to 999999999, not `-50`"),
    ],
)
def test_a_line_that_can_not_stand_is_named_with_what_was_expected(number: int, instead: str, problem: str) -> None:
    told = problem_of(with_line(GAME, number, instead))

    assert told.startswith(f"line {number if instead else number + 1}: {problem}")


@pytest.mark.parametrize(
    ("number", "instead", "problem"),
    [
        (5, [], "line 5: expected seat 1, not `opening`"),
        (7, ["seat 0 rolls 3 3"], "line 7: expected 1 die here, not `2`"),
        (10, ["seat 0 rolls"], "line 11: expected dice for seat 0, as all have rolled, not `none`"),
        (10, [], "line 10: expected no dice for seat 1, as not all have rolled, not `3 3 3 3 3`"),
        (10, ["seat 1 bids 1x2"], "line 10: expected the rolls of all seats first, not `a bid`"),
        (12, ["seat 0 bids 1x2", "seat 1 shows and rerolls to 3"], "line 13: expected some of the hidden dice 3 3 3"),
        (14, [], "line 13: expected a challenge, a forfeit or `abandoned`, but the text ends"),
        (14, ["abandoned"], "line 14: expected `abandoned` and a reason in quotes, not `abandoned`"),
        (14, ["abandoned enough"], "line 14: expected a text in quotes, not `enough`"),
        (14, ['abandoned "x"', "round 2, seat 0 opens"], "line 15: expected nothing more, or a new game, not `round"),
    ],
)
def test_a_line_is_named_also_when_others_make_it_wrong(number: int, instead: list[str], problem: str) -> None:
    assert problem_of(with_line(PLAIN, number, *instead)).startswith(problem)


def test_a_table_has_no_more_seats_than_its_book() -> None:
    seats = [f'seat {seat} "Ann", human p{seat}, chain held by player' for seat in range(5)]

    assert (
        problem_of(with_line(PLAIN, 5, *seats[1:]))
        == 'line 8: expected a round after 4 seats, not `seat 4 "Ann", human p4, ch...`'
    )


@pytest.mark.parametrize("kept", range(len(GAME.splitlines())))
def test_a_text_that_ends_too_early_is_refused_or_a_game_that_still_runs(kept: int) -> None:
    """After each whole round a game may be running, and before the first one too."""
    text = "".join(GAME.splitlines(keepends=True)[:kept])

    if kept in {3, 4, 5, 6, 7, 8, 9, 10, 25}:
        assert read_game(text).winner is None
    else:
        assert problem_of(text).endswith((", but the text ends", "as not all have rolled, not `5 1`"))


@pytest.mark.parametrize("number", range(1, len(GAME.splitlines()) + 1))
def test_a_problem_fits_into_one_line(number: int) -> None:
    assert len(problem_of(with_line(GAME, number, f"seat 0 {'loses ' * 1000}"))) <= 80
