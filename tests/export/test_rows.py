"""The table of what was done: who saw what, did what, and what came of it."""

import re
from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from domain.commands import AbandonGame, Challenge, Forfeit, StartGame
from domain.events import (
    BidChallenged,
    BidPlaced,
    DiceRerolled,
    Hand,
    PlayerForfeited,
    Rolled,
    TurnTimedOut,
)
from domain.history.record import ForfeitRecord, RoundRecord, ShowAndRerollAction
from domain.history.recording import record_of
from domain.options import Options
from domain.refusals import Malformed
from domain.statistics.counting import facts_of
from domain.statistics.facts import ONE
from domain.values import Bid
from services.export.rows import COLUMNS, Row, rows_of
from services.simulation.memory_table import MemoryTable
from services.simulation.simulation import party_seed
from tests.export.records import SIMULATED, simulated, simulated_tables
from tests.golden.games import without_times

KINDS = {
    Rolled: "roll",
    BidPlaced: "bid",
    DiceRerolled: "show_and_reroll",
    BidChallenged: "challenge",
    TurnTimedOut: "timeout",
    PlayerForfeited: "forfeit",
}
DOCUMENT = Path(__file__).parents[2] / "docs" / "reference" / "export.md"


def table(rulebook: str = "bidding-track", players: int = 2, options: Options | None = None) -> MemoryTable:
    """A game of Ann, Bob and so on that has begun, with seat 0 to open where the book allows it."""
    seeds = tuple(party_seed(1, 0, party) for party in range(players + 1))
    made = MemoryTable("game", rulebook, options or Options(), seeds)
    for seat, name in enumerate(("Ann", "Bob", "Cleo")[:players]):
        made.seat_bot(seat, name.lower(), name)
    made.submit(StartGame())
    return made


def rolled(made: MemoryTable) -> None:
    """Let everyone roll who has to."""
    while made.view(None).phase in {"choosing_opener", "rolling"}:
        made.roll(made.state.waiting[0])  # type: ignore[union-attr]


def opened(rulebook: str = "bidding-track", players: int = 2) -> tuple[MemoryTable, list[Hand], int]:
    """A game whose dice have fallen, with them and the opener's seat."""
    made = table(rulebook, players)
    rolled(made)
    hands = [made.view(seat).seats[seat].hidden or () for seat in range(players)]
    return made, hands, made.state.waiting[0]  # type: ignore[union-attr]


def last_rows(made: MemoryTable, count: int) -> list[Row]:
    made.submit(AbandonGame(reason="enough"))
    return rows_of(record_of(made.events))[-count:]


def test_a_bid_and_a_challenge_tell_what_was_seen_and_what_came_of_it() -> None:
    made, hands, opener = opened()
    other = 1 - opener
    face = next(face for face in hands[opener] if face != 1)
    actual = sum(die in (face, 1) for hand in hands for die in hand)
    made.bid(opener, Bid(actual, face))
    made.submit(Challenge(seat=other))

    rows = [row for row in rows_of(record_of(made.events)) if row.action != "roll"]

    bid, challenge = rows
    assert (bid.game_id, bid.rulebook, bid.players, bid.result, bid.round) == ("game", "bidding-track", 2, "running", 1)
    assert (bid.seat, bid.player_id, bid.name, bid.kind) == (opener, "bob" if opener else "ann", bid.name, "bot")
    assert (bid.action, bid.quantity, bid.face) == ("bid", actual, face)
    assert (bid.dice_shown, bid.dice_hidden, bid.dice_own) == ((), hands[opener], 5)
    assert (bid.standing_seat, bid.standing_quantity, bid.standing_face) == (None, None, None)
    assert (bid.dice_counts, bid.dice_in_play, bid.opener) == ((5, 5), 10, opener)
    assert (bid.actual, bid.bid_held) == (actual, True)
    assert (challenge.action, challenge.seat, challenge.quantity, challenge.face) == ("challenge", other, None, None)
    assert (challenge.standing_seat, challenge.standing_quantity, challenge.standing_face) == (opener, actual, face)
    assert challenge.dice_hidden == hands[other]
    assert (challenge.actual, challenge.bid_held, challenge.challenge_winner) == (actual, True, opener)
    assert challenge.dice_lost is not None
    assert challenge.dice_lost[other] > 0 == challenge.dice_lost[opener]
    assert challenge.step == bid.step + 1


def test_dice_that_are_shown_lie_open_afterwards_and_the_others_are_new() -> None:
    made, hands, opener = opened()
    shown = hands[opener][:2]
    made.bid(opener, Bid(1, 6), shown)
    made.bid(1 - opener, Bid(3, 6))
    made.bid(opener, Bid(4, 6))

    bid, reroll, _, again = last_rows(made, 4)

    assert (bid.dice_shown, bid.dice_hidden) == ((), hands[opener])
    assert (reroll.action, reroll.showing, reroll.rerolled) == ("show_and_reroll", shown, 3)
    assert (reroll.dice_shown, reroll.dice_hidden) == ((), hands[opener])
    assert reroll.standing_quantity == 1
    assert (again.dice_shown, again.dice_hidden) == (shown, reroll.became)
    assert again.result == "abandoned"
    assert again.place is None


def test_before_the_dice_fall_nobody_knows_them() -> None:
    made = table("single-hand")
    rolled(made)
    rows = last_rows(made, 2)

    assert [(row.action, row.dice_own, row.dice_hidden, row.dice_shown) for row in rows] == [
        ("roll", 5, None, None)
    ] * 2


def test_who_gives_up_before_the_first_round_has_a_row_of_round_0() -> None:
    made = table("pirates", 3)
    made.submit(Forfeit(seat=1))

    (row, *_) = rows_of(record_of(made.events))

    assert (row.round, row.step, row.seat, row.action, row.forfeit_reason) == (0, 1, 1, "forfeit", "resigned")
    assert (row.dice_counts, row.opener, row.dice_hidden) == (None, None, None)


def test_who_gives_up_in_a_round_says_why() -> None:
    made, hands, _ = opened("single-hand", 3)
    made.submit(Forfeit(seat=2))

    row = last_rows(made, 1)[0]

    assert (row.action, row.seat, row.forfeit_reason, row.dice_hidden) == ("forfeit", 2, "resigned", hands[2])


@pytest.mark.parametrize("index", range(SIMULATED))
def test_the_rows_of_a_game_say_what_its_record_says(index: int) -> None:
    record = simulated()[index]
    rows = rows_of(record)

    assert [row.step for row in rows] == list(range(1, len(rows) + 1))
    for round_ in record.rounds:
        _check_round(round_, [row for row in rows if row.round == round_.number])
    early = [gone.seat for gone in record.forfeits if gone.round == 0]
    assert [row.seat for row in rows if row.round == 0] == early
    assert {row.winner for row in rows} == {record.winner}
    assert {row.seat for row in rows if row.place == 1} == {record.winner}
    worst = max(row.place or 0 for row in rows)
    assert worst == len(record.seats) + 1 - len(record.places[-1])


def _check_round(told: RoundRecord, rows: list[Row]) -> None:
    assert len(rows) == len(told.actions)
    for row in rows:
        if row.dice_hidden is not None and row.dice_shown is not None:
            assert row.dice_own == len(row.dice_shown) + len(row.dice_hidden)
        if row.action == "bid" and row.actual is not None and row.quantity is not None:
            assert row.bid_held == (row.actual >= row.quantity)
    for challenge in (row for row in rows if row.action == "challenge"):
        assert told.result is not None
        *_, bid = (row for row in rows if row.action == "bid")
        assert (bid.actual, bid.bid_held) == (challenge.actual, challenge.bid_held)
        assert bid.seat == challenge.standing_seat == told.result.bid.seat
        assert sum(challenge.dice_lost or ()) == sum(loss.lost for loss in told.result.penalties)
        assert challenge.dice_hidden is not None
        assert sorted((*(challenge.dice_shown or ()), *challenge.dice_hidden)) == sorted(told.dice[challenge.seat])


def test_the_simulated_games_have_everything_that_a_row_can_tell() -> None:
    """But where a practice game comes from: nobody goes on from a past game there."""
    rows = [row for record in simulated() for row in rows_of(record)]

    for column in COLUMNS:
        told = any(getattr(row, column) is not None for row in rows)
        assert told != column.startswith("forked_"), column


def test_a_game_of_a_book_that_this_program_does_not_know_has_all_but_the_counts_of_its_bids() -> None:
    record = replace(simulated()[0], rulebook="liars-poker")

    bids = [row for row in rows_of(record) if row.action == "bid"]

    assert bids
    assert all(row.actual is None and row.bid_held is None and row.dice_hidden for row in bids)


def test_a_record_from_outside_that_makes_no_sense_is_refused_in_a_sentence() -> None:
    record = simulated()[0]
    strange = [
        replace(record, seats=record.seats[:1]),
        replace(record, forfeits=(ForfeitRecord(9, 0, "time"),)),
        replace(record, rounds=(replace(record.rounds[0], dice_counts=()),)),
        replace(record, rounds=(replace(record.rounds[0], actions=(ShowAndRerollAction(7, (1,), 2),)),)),
        replace(record, chips=(1,)),
    ]
    for one in strange:
        with pytest.raises(Malformed, match="seats that are not there"):
            rows_of(one)


def test_the_document_describes_every_column_in_order() -> None:
    _, text, *_ = DOCUMENT.read_text().split("| column |")  # The table after it is that of decisions.
    cells = re.findall(r"^\| (`[^|]+) \| \S", text, re.MULTILINE)

    assert tuple(re.findall(r"`(\w+)`", "".join(cells))) == COLUMNS


def test_chances_and_regrets_add_up_to_those_of_the_statistics() -> None:
    """The rows come from records and the statistics from events, so both must see the same decisions and odds."""
    seen = Counter[str]()
    for table_ in simulated_tables():
        rows, facts = rows_of(record_of(table_.events)), facts_of(table_.events)
        for seat, of_seat in enumerate(facts):
            judged = [row for row in rows if row.seat == seat and row.regret is not None]
            bids = [row for row in judged if row.action == "bid"]
            assert len(judged) == of_seat.decisions
            assert len(bids) == of_seat.bids
            assert sum(round((row.regret or 0) * ONE) for row in judged) == of_seat.regret
            assert sum(row.regret == 0 for row in judged) == of_seat.best_decisions
            assert sum(ONE - round((row.bid_chance or 0) * ONE) for row in bids) == of_seat.risk
            seen.update(row.action for row in judged)
            seen["by the clock"] += of_seat.clock_moves
            seen["rerolls"] += of_seat.rerolls
    assert {"bid", "challenge", "by the clock", "rerolls"} == {kind for kind, times in seen.items() if times}


def test_every_row_has_the_time_and_the_version_of_its_event() -> None:
    for table_ in simulated_tables()[:20]:
        rows = rows_of(record_of(table_.events))
        for row in rows:
            assert row.version is not None
            event = table_.events[row.version - 1]
            assert row.at == event.at
            assert (row.seat, row.action) == (event.seat, KINDS[type(event)])  # type: ignore[union-attr]  # it has a seat
        assert {row.created_at for row in rows} == {table_.events[0].at}
        assert {row.ended_at for row in rows} == {table_.events[-1].at}


def test_an_old_record_without_times_has_rows_with_chances_and_no_times() -> None:
    rows = rows_of(without_times(simulated()[0]))

    assert {(row.created_at, row.started_at, row.ended_at, row.at, row.version) for row in rows} == {(None,) * 5}
    assert any(row.regret is not None for row in rows)


def test_what_a_practice_game_copied_is_nobodys_decision() -> None:
    played = simulated()[0]
    whole = rows_of(played)
    middle = whole[len(whole) // 2].version
    assert middle is not None

    rows = rows_of(replace(played, forked_from="other", forked_version=middle))

    assert all(row.regret is None for row in rows if (row.version or 0) <= middle)
    assert [row.regret for row in rows if (row.version or 0) > middle] == [
        row.regret for row in whole if (row.version or 0) > middle
    ]
