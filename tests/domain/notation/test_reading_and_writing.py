"""Games as text: what a text says, and how a record is put into one."""

import re
from collections.abc import Iterable
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from domain.events import GameAbandoned
from domain.history.record import (
    BidAction,
    ChallengeAction,
    ForfeitAction,
    ForfeitRecord,
    GameRecord,
    OpeningRollRecord,
    Result,
    RollAction,
    RoundRecord,
    SeatRecord,
    ShowAndRerollAction,
    decode_record,
    encode_record,
)
from domain.history.recording import record_of
from domain.notation import read_game, read_games, write_game, write_games, write_round
from domain.options import Options
from domain.refusals import Malformed
from domain.state import Loss
from domain.values import PlacedBid
from tests.domain.notation.play import SETTINGS, game
from tests.made_tables import bids, challenges, cup, dealt, gathered

BY_HAND = r"""
# Written down at the table. Nobody has to count spaces, and options may be left out.
liarsdice notation 1
game friday-1
rulebook bidding-track, version 1
option dice_each 2
seat 0 "Ann", human ann-7, chain held by player
seat 1 "Bob \"#1\"", bot bob, chain held by server  # "Bob"

round 1, seat 0 opens
    seat 0 rolls 5 *
	seat 1 rolls 3   3
seat 0 bids 1x5
  seat 1 bids 2x3
  seat 1 shows 3 and rerolls to 6
  seat 0 challenges
  seat 0 has 5 1  # a star may also be written as 1
  seat 1 has 3 6
  actual count 2
  seat 0 loses 1 die
  seat 1 wins the challenge
round 2, seat 1 opens
  seat 1 rolls
  seat 0 forfeits, resigned
seat 1 wins the game
places 1 > 0"""

PLAY_WRITTEN = """\
round 1, seat 0 opens  # dice 2 2
  seat 0 rolls 5 *
  seat 1 rolls 3 3
  seat 0 bids 1x5
  seat 1 bids 2x3
  seat 1 shows 3 and rerolls to 6
  seat 0 challenges
  seat 0 has 5 *
  seat 1 has 3 6
  actual count 2
  seat 0 loses 1 die
  seat 1 wins the challenge

round 2, seat 1 opens  # dice 1 2
  seat 1 rolls
  seat 0 forfeits, resigned

seat 1 wins the game
places 1 > 0
"""

FIRST_ROUND = RoundRecord(
    number=1,
    opener=0,
    palafico=False,
    dice_counts=(2, 2),
    antes=(),
    actions=(
        RollAction(0),
        RollAction(1),
        BidAction(0, 1, 5),
        BidAction(1, 2, 3),
        ShowAndRerollAction(1, (3,), 1, (6,)),
        ChallengeAction(0),
    ),
    dealt=((5, 1), (3, 3)),
    dice=((5, 1), (3, 6)),
    result=Result(PlacedBid(1, 2, 3), 0, 2, (Loss(0, 1, 1),), 1, ()),
)
SECOND_ROUND = RoundRecord(
    number=2,
    opener=1,
    palafico=False,
    dice_counts=(1, 2),
    antes=(),
    actions=(RollAction(1), ForfeitAction(0)),
    dealt=((), ()),
    dice=((), ()),
    result=None,
)
RECORD = GameRecord(
    game_id="friday-1",
    rulebook="bidding-track",
    rulebook_version=1,
    options=Options(dice_each=2),
    seats=(
        SeatRecord(0, "ann-7", "Ann", "human", "player"),
        SeatRecord(1, "bob", 'Bob "#1"', "bot", "server"),
    ),
    opening_rolls=(),
    rounds=(FIRST_ROUND, SECOND_ROUND),
    forfeits=(ForfeitRecord(0, 2, "resigned"),),
    winner=1,
    places=((1,), (0,)),
    chips=None,
)


def lines_of(record: GameRecord) -> list[str]:
    """The lines of a written game without their indents and times."""
    return [re.sub(r"  @\d+ \S+$", "", line.strip()) for line in write_game(record).splitlines()]


def test_a_game_written_by_hand_is_read() -> None:
    assert read_game(BY_HAND) == RECORD


def test_a_game_is_written_so_that_a_player_can_follow_it() -> None:
    assert write_game(RECORD).partition("\n\n")[2] == PLAY_WRITTEN


@pytest.mark.parametrize("number", [1, 2])
def test_a_round_alone_is_written_as_it_stands_in_the_game_and_without_names(number: int) -> None:
    assert write_round(RECORD, number) == PLAY_WRITTEN.split("\n\n")[number - 1].rstrip("\n") + "\n"
    assert "Ann" not in write_round(RECORD, number)


@pytest.mark.parametrize(
    ("record", "number"),
    [(RECORD, 0), (RECORD, 3), (replace(RECORD, rulebook="none"), 1), (replace(RECORD, forfeits=()), 2)],
)
def test_a_round_that_is_not_there_or_can_not_be_written_is_refused(record: GameRecord, number: int) -> None:
    with pytest.raises(Malformed):
        write_round(record, number)


def test_a_practice_game_says_what_it_goes_on_from_and_is_read_back_so() -> None:
    practice = replace(RECORD, forked_from="thursday.1", forked_version=12)

    assert lines_of(practice)[2:5] == [
        "game friday-1",
        "forked from thursday.1, version 12",
        "rulebook bidding-track, version 1",
    ]
    assert read_game(write_game(practice)) == decode_record(encode_record(practice)) == practice
    assert b"forked" not in encode_record(RECORD)


@pytest.mark.parametrize(
    "line",
    [
        "forked",
        "forked from thursday",
        "forked from a/b, version 1",
        "forked from a, version 0",
        "forked from a, version x",
    ],
)
def test_a_practice_game_that_goes_on_from_nowhere_is_not_read(line: str) -> None:
    with pytest.raises(Malformed, match="line 5: "):
        read_game(BY_HAND.replace("\nrulebook", f"\n{line}\nrulebook", 1))


@pytest.mark.parametrize("half", [{"forked_from": "thursday"}, {"forked_version": 12}])
def test_a_practice_game_with_half_a_mark_is_not_written(half: dict[str, Any]) -> None:
    with pytest.raises(Malformed):
        write_game(replace(RECORD, **half))


def test_every_option_is_written() -> None:
    assert lines_of(RECORD)[4:11] == [
        "option chips no",
        "option wild_aces no",
        "option raise_rule quantity_or_face",
        "option dice_each 2",
        "option opener none",
        "option turn_seconds none",
        "option on_timeout forfeit",
    ]


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_text_may_have_either_line_end_and_needs_none_at_its_end(ends: str) -> None:
    text = write_game(RECORD).replace("\n", ends)

    assert read_game(text) == read_game(text.removesuffix(ends)) == RECORD


def test_a_byte_order_mark_before_the_text_is_no_part_of_it() -> None:
    assert read_game("\ufeff" + write_game(RECORD)) == RECORD


def test_comments_and_blank_lines_change_nothing() -> None:
    text = "".join(f'\n \t # "\n{line}# seat 0 wins the game\n#' for line in write_game(RECORD).splitlines())

    assert read_game(text) == RECORD


@pytest.mark.parametrize(
    "name", ['"', "\\", '\\"', "\\\\", "#", "a # b", "🎲", "Ann, human", "seat 0", "נועה", "a\u200db", "x" * 40]
)
def test_a_name_may_hold_whatever_can_be_seen(name: str) -> None:
    record = replace(RECORD, seats=(replace(RECORD.seats[0], name=name), RECORD.seats[1]))

    assert read_game(write_game(record)) == record


@pytest.mark.parametrize("name", ["", "a\nb", "\x1b[0m", "a\u2028b", "\ud800", "x" * 201])
def test_a_name_that_would_break_its_line_is_refused(name: str) -> None:
    record = replace(RECORD, seats=(replace(RECORD.seats[0], name=name), RECORD.seats[1]))

    with pytest.raises(Malformed, match=r"^This is not a valid game record: as text, line 12: expected "):
        write_game(record)


def test_face_1_is_a_star_where_it_is_wild() -> None:
    table = dealt("palafico", "1 2", "1 3", "4 4", dice_each=2).after(bids(0, "2x3"), bids(1, "3x*"), challenges(2))

    lines = lines_of(record_of(table.events))

    assert {"seat 0 rolls * 2", "seat 1 rolls * 3", "seat 0 bids 2x3", "seat 1 bids 3x*", "seat 1 has * 3"} <= {*lines}


@pytest.mark.parametrize(("rulebook", "palafico"), [("palafico", True), ("single-hand", False)])
def test_face_1_is_a_1_in_a_palafico_round_and_where_nothing_is_wild(rulebook: str, palafico: bool) -> None:  # noqa: FBT001
    table = dealt(rulebook, "1", "1", "4", palafico=palafico, dice_each=1).after(bids(0, "2x1"), challenges(1))

    lines = lines_of(record_of(table.events))

    assert {"seat 0 rolls 1", "seat 1 rolls 1", "seat 0 bids 2x1", "seat 1 has 1"} <= {*lines}


def test_the_reader_takes_a_star_for_a_1_and_a_1_for_a_star() -> None:
    text = write_game(
        record_of(dealt("single-hand", "1", "3", dice_each=1).after(bids(0, "1x1"), challenges(1)).events)
    )

    assert read_game(text.replace("rolls 1", "rolls *").replace("1x1", "1x*")) == read_game(text)


def test_opening_rolls_come_before_the_first_round_with_the_wild_of_a_plain_round() -> None:
    record = record_of(gathered("pirates", 2))
    rolled = replace(record, opening_rolls=(OpeningRollRecord(1, cup("*")), OpeningRollRecord(0, cup("4"))))

    assert lines_of(rolled)[-3:] == ["opening", "seat 1 rolls *", "seat 0 rolls 4"]


def test_a_penalty_that_the_loser_can_not_pay_is_told_with_what_was_really_lost() -> None:
    table = dealt("prediction-track", "2 2", "3 3", dice_each=2).after(bids(0, "7x2"), challenges(1))

    assert "seat 0 owes 5 dice, loses 2 and is out" in lines_of(record_of(table.events))


def test_seats_that_share_a_place_have_an_equals_sign_between_them() -> None:
    table = dealt("bidding-track", "6", "*", "5", dice_each=1).after(bids(0, "2x6"), challenges(1))

    assert lines_of(record_of(table.events))[-2:] == ["seat 0 wins the game", "places 0 > 1 = 2"]


def test_antes_and_final_chips_are_told_where_they_are_played_for() -> None:
    records = (game(SETTINGS[1], seed) for seed in range(100))
    record = next(record for record in records if record.winner is not None)

    lines = lines_of(record)

    assert lines.count("seat 0 pays 1 to the round pot, 1 to the game pot") > 0
    assert lines[-1] == "chips " + " ".join(str(stack) for stack in record.chips or ())


def test_a_table_that_is_still_gathering_has_a_text_too() -> None:
    empty = record_of(gathered("single-hand", 20)[:1])
    full = record_of(gathered("single-hand", 20))

    assert [read_game(write_game(record)) for record in (empty, full)] == [empty, full]


@pytest.mark.parametrize("reason", ["the power failed", '\\" # \\', " ", "🎲" * 200])
def test_an_abandoned_game_says_why(reason: str) -> None:
    record = record_of([*gathered("pirates", 2), GameAbandoned(reason=reason)])

    assert lines_of(record)[-1].startswith('abandoned "')
    assert read_game(write_game(record)).abandoned == reason


def test_several_games_stand_in_one_text_one_after_the_other() -> None:
    records = [game(setting, 1) for setting in SETTINGS]

    text = write_games(records)

    assert list(read_games(text)) == records
    assert write_games(read_games(text)) == text
    assert list(read_games("".join(write_game(record) for record in records))) == records


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing played today"])
def test_a_text_may_hold_no_game_at_all(text: str) -> None:
    assert list(read_games(text)) == []
    assert write_games([]) == ""


def test_the_games_before_a_line_that_can_not_stand_are_read() -> None:
    games = read_games(write_game(RECORD) + "\nround 3, seat 0 opens")

    with pytest.raises(Malformed, match="line 35: expected nothing more, or a new game"):
        list(games)

    games = read_games(write_game(RECORD) + "\nliarsdice notation 3")

    assert next(games) == RECORD
    with pytest.raises(Malformed, match="line 35: expected `liarsdice notation 1`, not `liarsdice notation 3`"):
        next(games)


def test_a_single_game_must_be_alone_in_its_text() -> None:
    with pytest.raises(Malformed, match="line 35: expected one game only, not `liarsdice notation 1`"):
        read_game(write_games([RECORD, RECORD]))


def contradictions() -> Iterable[GameRecord]:
    """Records that a struct can hold, but no game can leave behind."""
    yield replace(RECORD, winner=0)
    yield replace(RECORD, winner=None)
    yield replace(RECORD, places=((1, 0),))
    yield replace(RECORD, chips=(50, 50))
    yield replace(RECORD, forfeits=())
    yield replace(RECORD, forfeits=(ForfeitRecord(0, 1, "resigned"),))
    yield replace(RECORD, rulebook="backgammon")
    yield replace(RECORD, rulebook_version=2)
    yield replace(RECORD, rounds=(SECOND_ROUND, FIRST_ROUND))
    yield replace(RECORD, rounds=(replace(FIRST_ROUND, opener=10**5000), SECOND_ROUND))
    yield replace(RECORD, rounds=(replace(FIRST_ROUND, dealt=()), SECOND_ROUND))
    yield replace(RECORD, rounds=(replace(FIRST_ROUND, dice_counts=(2, 3)), SECOND_ROUND))
    assert FIRST_ROUND.result is not None
    for result in (None, replace(FIRST_ROUND.result, challenger=1), replace(FIRST_ROUND.result, eliminated=(0,))):
        yield replace(RECORD, rounds=(replace(FIRST_ROUND, result=result), SECOND_ROUND))


@pytest.mark.parametrize("record", [*contradictions()])
def test_a_record_that_contradicts_itself_is_not_written(record: GameRecord) -> None:
    with pytest.raises(Malformed, match=r"^This is not a valid game record: "):
        write_game(record)


TIMED = replace(
    RECORD,
    created_at=1_767_225_600_123,
    started_at=1_767_225_605_000,
    ended_at=1_767_225_690_500,
    rounds=(
        replace(
            FIRST_ROUND, actions=tuple(replace(one, at=1_767_225_606_000, version=7) for one in FIRST_ROUND.actions)
        ),
        SECOND_ROUND,
    ),
)


def test_times_stand_in_the_heading_and_behind_what_was_done() -> None:
    text = write_game(TIMED)

    assert text.startswith("liarsdice notation 2\n")
    assert (
        "\ncreated 2026-01-01T00:00:00.123Z\nstarted 2026-01-01T00:00:05.000Z\nended 2026-01-01T00:01:30.500Z\n" in text
    )
    assert "  seat 0 bids 1x5  @7 +5.877\n" in text
    assert read_game(text) == decode_record(encode_record(TIMED)) == TIMED
    assert write_round(TIMED, 1) == write_round(RECORD, 1)


def test_a_clock_that_was_set_back_and_a_game_that_goes_on_are_written_too() -> None:
    (action, *_) = FIRST_ROUND.actions
    earlier = replace(
        TIMED.rounds[0], actions=(replace(action, at=1_767_225_600_000, version=3), *FIRST_ROUND.actions[1:])
    )
    record = replace(TIMED, started_at=None, ended_at=None, rounds=(earlier, SECOND_ROUND))

    text = write_game(record)

    assert "@3 -0.123\n" in text
    assert read_game(text) == record


@pytest.mark.parametrize(
    ("right", "wrong", "problem"),
    [
        ("2026-01-01T00:00:00.123Z", "2026-02-30T00:00:00.123Z", "expected a time like 2026-01-01T20:15:00.000Z"),
        ("2026-01-01T00:00:00.123Z", "2026-01-01T24:00:00.123Z", "expected a time like 2026-01-01T20:15:00.000Z"),
        ("2026-01-01T00:00:00.123Z", "yesterday", "expected a time like 2026-01-01T20:15:00.000Z"),
        ("created ", "made ", "expected a line like `created 2026-01-01T20:15:00.000Z`"),
        ("+5.877", "5.877", "expected seconds like \\+12.500"),
        ("+5.877", "-0.000", "expected seconds like \\+12.500"),
        ("@7 ", "@0 ", "expected"),
        ("liarsdice notation 2", "liarsdice notation 1", "expected"),
    ],
)
def test_a_time_that_can_not_be_one_is_refused(right: str, wrong: str, problem: str) -> None:
    with pytest.raises(Malformed, match=problem):
        read_game(write_game(TIMED).replace(right, wrong, 1))


def test_a_record_whose_times_are_only_partly_known_is_refused_as_text() -> None:
    with pytest.raises(Malformed):
        write_game(replace(TIMED, started_at=UNSET))
    with pytest.raises(Malformed):
        write_game(replace(TIMED, created_at=UNSET, started_at=UNSET, ended_at=UNSET))
