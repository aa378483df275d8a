"""Writing games down."""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import UNSET, UnsetType

from domain.history.record import GameRecord, RoundRecord
from domain.notation import phrases
from domain.notation.moments import write_moment
from domain.notation.reading import read_game
from domain.notation.words import write_text
from domain.refusals import Malformed
from domain.rulebooks import Rules, rules_of

_INDENT = "  "


def write_game(record: GameRecord) -> str:
    """A game as text. Raises `Malformed` for a record that contradicts itself, because no text can."""
    try:
        text = write_unchecked(record)
        same = read_game(text) == record
    except Malformed as refusal:
        raise Malformed(what="game record", problem=f"as text, {refusal.fields['problem']}") from None
    except (LookupError, ValueError):
        # An unknown book, a seat that is not there, a number too long to be written.
        raise Malformed(what="game record", problem="some of it can't be written down") from None
    if not same:
        raise Malformed(what="game record", problem="its parts contradict each other")
    return text


def write_unchecked(record: GameRecord) -> str:
    """The same, much quicker, for a record that was made from the events of a game and so does not contradict itself."""
    return "".join([f"{line}\n" for line in _lines(record)])


def write_games(records: Iterable[GameRecord]) -> str:
    """Games as one text, a blank line between them."""
    return "\n".join(write_game(record) for record in records)


def write_round(record: GameRecord, number: int) -> str:
    """One round of a game as text, without the heading, so without any name or time. Raises `Malformed` if it can't be written."""
    played = next((played for played in record.rounds if played.number == number), None)
    if played is None:
        raise Malformed(what="number of a round", problem=f"the record has no round {number}")
    try:
        rules = rules_of(record.rulebook, record.rulebook_version, record.options)
        return "".join(f"{line}\n" for line in _whole_round(played, record, rules, UNSET))
    except (LookupError, ValueError):
        raise Malformed(what="game record", problem="some of it can't be written down") from None


def _lines(record: GameRecord) -> Iterator[str]:
    rules = rules_of(record.rulebook, record.rulebook_version, record.options)
    yield from _heading(record, rules)
    yield from _opening(record, rules)
    for played in record.rounds:
        yield ""
        yield from _whole_round(played, record, rules, record.created_at)
    yield from _ending(record)


def _heading(record: GameRecord, rules: Rules) -> Iterator[str]:
    yield phrases.FIRST_LINE if record.created_at is UNSET else phrases.FIRST_LINE_TIMED
    yield phrases.legend(rules)
    yield f"game {record.game_id}"
    if record.forked_from is not UNSET:
        yield f"forked from {record.forked_from}, version {record.forked_version}"
    for word, at in (("created", record.created_at), ("started", record.started_at), ("ended", record.ended_at)):
        if isinstance(at, int):
            yield f"{word} {write_moment(at)}"
    yield f"rulebook {record.rulebook}, version {record.rulebook_version}"
    for field in msgspec.structs.fields(record.options):
        yield phrases.option(record.options, field.name)
    yield from (phrases.player(seat) for seat in record.seats)


def _opening(record: GameRecord, rules: Rules) -> Iterator[str]:
    wild, created_at = rules.plain.wild, record.created_at
    rolls = [
        phrases.stamped(phrases.rolls(roll.seat, roll.dice, wild=wild), roll, created_at)
        for roll in record.opening_rolls
    ]
    forfeits = [
        phrases.stamped(phrases.forfeits(gone.seat, gone.reason), gone, created_at)
        for gone in record.forfeits
        if gone.round == 0
    ]
    if rolls or forfeits:
        yield ""
        yield "opening"
        yield from (_INDENT + line for line in rolls + forfeits)


def _whole_round(played: RoundRecord, record: GameRecord, rules: Rules, created_at: int | UnsetType) -> Iterator[str]:
    """The lines of a round; without the moment of the creation they have no times."""
    yield phrases.opens(played)
    yield from (_INDENT + line for line in _round(played, record, rules, created_at))


def _round(played: RoundRecord, record: GameRecord, rules: Rules, created_at: int | UnsetType) -> Iterator[str]:
    wild = rules.of_round(palafico=played.palafico).wild
    reasons = {gone.seat: gone.reason for gone in record.forfeits}
    yield from (phrases.pays(ante) for ante in played.antes)
    for action in played.actions:
        yield phrases.stamped(phrases.acts(action, played.dealt, reasons, wild=wild), action, created_at)
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
