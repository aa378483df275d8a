"""Compares the verifier's report with the record that the game's own code makes."""

from domain.history.record import GameRecord, RoundRecord
from domain.rulebooks.clauses import CLAUSES
from services.verifier import Report, Round


def agrees(report: Report, record: GameRecord) -> None:
    """Check that the report of a whole game says the same as the record."""
    assert [round_.number for round_ in report.rounds] == [round_.number for round_ in record.rounds]
    assert report.places == [list(place) for place in record.places]
    assert report.abandoned == record.abandoned
    assert [player["player_id"] for player in report.players] == [seat.player_id for seat in record.seats]
    assert [player["chain_held_by"] for player in report.players] == [seat.chain_held_by for seat in record.seats]
    for index, (told, recorded) in enumerate(zip(report.rounds, record.rounds, strict=True)):
        agrees_on_round(told, recorded)
        if index + 1 < len(record.rounds):
            assert told.next_opener == record.rounds[index + 1].opener
    if record.places:
        assert report.rounds == [] or report.rounds[-1].next_opener is None


def agrees_on_round(told: Round, recorded: RoundRecord) -> None:
    assert (told.opener, told.palafico) == (recorded.opener, recorded.palafico)
    for seat, hand in enumerate(recorded.dice):
        assert tuple(die["face"] for die in told.dice if die["seat"] == seat) == hand
    assert set(told.clauses) <= set(CLAUSES)
    assert told.clauses
    result = recorded.result
    if result is None:
        assert told.result is None
        assert not any(die["counts"] for die in told.dice)
        return
    assert told.result is not None
    assert told.result["bid"] == {"seat": result.bid.seat, "quantity": result.bid.quantity, "face": result.bid.face}
    assert (told.result["challenger"], told.result["winner"]) == (result.challenger, result.winner)
    assert told.result["actual"] == result.actual == sum(die["counts"] for die in told.dice)
    losses = [{"seat": loss.seat, "penalty": loss.penalty, "lost": loss.lost} for loss in result.penalties]
    assert told.result["penalties"] == losses
    assert tuple(told.eliminated) == result.eliminated
