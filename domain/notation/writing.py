"""Writing games down."""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import UNSET

from domain.history.record import GameRecord, RoundRecord
from domain.notation import phrases
from domain.notation.reading import read_game
from domain.notation.words import write_text
from domain.refusals import Malformed
from domain.rulebooks import Rules, rules_of

_INDENT = "  "


def write_game(record: GameRecord) -> str:
    """A game as text. Raises `Malformed` for a record that contradicts itself, because no text can."""
    try:
        text = "".join(f"{line}\n" for line in _lines(record))
        same = read_game(text) == record
    except Malformed as refusal:
        raise Malformed(what="game record", problem=f"as text, {refusal.fields['problem']}") from None
    except (LookupError, ValueError):
        # An unknown book, a seat that is not there, a number too long to be written.
        raise Malformed(what="game record", problem="some of it can't be written down") from None
    if not same:
        raise Malformed(what="game record", problem="its parts contradict each other")
    return text


def write_games(records: Iterable[GameRecord]) -> str:
    """Games as one text, a blank line between them."""
    return "\n".join(write_game(record) for record in records)


def write_round(record: GameRecord, number: int) -> str:
    """One round of a game as text, without the heading, so without any name. Raises `Malformed` if it can't be written."""
    played = next((played for played in record.rounds if played.number == number), None)
    if played is None:
        raise Malformed(what="number of a round", problem=f"the record has no round {number}")
    try:
        rules = rules_of(record.rulebook, record.rulebook_version, record.options)
        return "".join(f"{line}\n" for line in _whole_round(played, record, rules))
    except (LookupError, ValueError):
        raise Malformed(what="game record", problem="some of it can't be written down") from None


def _lines(record: GameRecord) -> Iterator[str]:
    rules = rules_of(record.rulebook, record.rulebook_version, record.options)
    yield from _heading(record, rules)
    yield from _opening(record, rules)
    for played in record.rounds:
        yield ""
        yield from _whole_round(played, record, rules)
    yield from _ending(record)


def _heading(record: GameRecord, rules: Rules) -> Iterator[str]:
    yield phrases.FIRST_LINE
    yield phrases.legend(rules)
    yield f"game {record.game_id}"
    if record.forked_from is not UNSET:
        yield f"forked from {record.forked_from}, version {record.forked_version}"
    yield f"rulebook {record.rulebook}, version {record.rulebook_version}"
    for field in msgspec.structs.fields(record.options):
        yield phrases.option(record.options, field.name)
    yield from (phrases.player(seat) for seat in record.seats)


def _opening(record: GameRecord, rules: Rules) -> Iterator[str]:
    rolls = [phrases.rolls(roll.seat, roll.dice, wild=rules.plain.wild) for roll in record.opening_rolls]
    forfeits = [phrases.forfeits(gone.seat, gone.reason) for gone in record.forfeits if gone.round == 0]
    if rolls or forfeits:
        yield ""
        yield "opening"
        yield from (_INDENT + line for line in rolls + forfeits)


def _whole_round(played: RoundRecord, record: GameRecord, rules: Rules) -> Iterator[str]:
    yield phrases.opens(played)
    yield from (_INDENT + line for line in _round(played, record, rules))


def _round(played: RoundRecord, record: GameRecord, rules: Rules) -> Iterator[str]:
    wild = rules.of_round(palafico=played.palafico).wild
    reasons = {gone.seat: gone.reason for gone in record.forfeits}
    yield from (phrases.pays(ante) for ante in played.antes)
    yield from (phrases.acts(action, played.dealt, reasons, wild=wild) for action in played.actions)
    yield from (phrases.has(seat, dice, wild=wild) for seat, dice in enumerate(played.dice) if dice)
    if played.result is not None:
        yield phrases.counted(played.result.actual)
        for loss in played.result.penalties:
            yield phrases.loses(loss, out=loss.seat in played.result.eliminated)
        yield phrases.wins_challenge(played.result.winner)


def _ending(record: GameRecord) -> Iterator[str]:
    if record.winner is None and record.abandoned is None:
        return
    yield ""
    if record.winner is not None:
        yield phrases.wins_game(record.winner)
        yield phrases.ranks(record.places)
    if record.chips is not None:
        yield "chips " + " ".join(str(stack) for stack in record.chips)
    if record.abandoned is not None:
        yield f"abandoned {write_text(record.abandoned)}"
