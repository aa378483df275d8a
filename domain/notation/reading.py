"""Reading games: a text becomes records, or a refusal names the number of the first wrong line."""

from collections.abc import Iterator
from contextlib import contextmanager

from domain.events import ForfeitReason
from domain.history.record import GameRecord, OpeningRollRecord, RoundRecord
from domain.notation import phrases
from domain.notation.heading import read_heading
from domain.notation.lines import Lines, Unexpected, Words
from domain.notation.rounds import read_round
from domain.notation.table import Table
from domain.notation.words import read_choice, read_dice, read_number, read_text
from domain.refusals import Malformed

Places = tuple[tuple[int, ...], ...]


def read_game(text: str | bytes) -> GameRecord:
    """The one game of a text."""
    lines = Lines(_decoded(text))
    with _refusing(lines):
        record = _game(lines)
        if lines.ahead:
            raise Unexpected("one game only", *lines.take())
        return record


def read_games(text: str | bytes) -> Iterator[GameRecord]:
    """The games of a text, one after the other; it yields those before a wrong line before it refuses."""
    lines = Lines(_decoded(text))
    while lines.ahead:
        with _refusing(lines):
            record = _game(lines)
        yield record


def _decoded(text: str | bytes) -> str:
    try:
        return text if isinstance(text, str) else text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Malformed(what="game notation", problem=f"byte {error.start} is not UTF-8") from None


@contextmanager
def _refusing(lines: Lines) -> Iterator[None]:
    """Refuse what was not expected, with the number of its line."""
    try:
        yield
    except Unexpected as unexpected:
        raise Malformed(what="game notation", problem=f"line {lines.number}: {unexpected}") from None


def _game(lines: Lines) -> GameRecord:
    heading = read_heading(lines)
    table = Table(heading.rules, len(heading.seats), heading.created_at)
    opening_rolls = _opening(lines, table)
    rounds = _rounds(lines, table)
    places, chips = _outcome(lines, table)
    abandoned = _abandoned(lines, table)
    _check_end(lines, table, abandoned)
    return GameRecord(
        game_id=heading.game_id,
        rulebook=heading.rules.book.id,
        rulebook_version=heading.rules.book.version,
        options=heading.rules.options,
        seats=heading.seats,
        opening_rolls=opening_rolls,
        rounds=rounds,
        forfeits=tuple(table.forfeits),
        winner=table.winner,
        places=places,
        chips=chips,
        abandoned=abandoned,
        forked_from=heading.forked_from,
        forked_version=heading.forked_version,
        created_at=heading.created_at,
        started_at=heading.started_at,
        ended_at=heading.ended_at,
    )


def _opening(lines: Lines, table: Table) -> tuple[OpeningRollRecord, ...]:
    """The rolls for the first opener, in the books that have them; a forfeit ends them (R14)."""
    rolls: list[OpeningRollRecord] = []
    if lines.begins("opening"):
        lines.expect("opening")
        while lines.begins("seat") and not table.out:
            _opening_line(lines.take(), table, rolls)
    return tuple(rolls)


def _opening_line(words: Words, table: Table, rolls: list[OpeningRollRecord]) -> None:
    words, stamp = table.stamp(words)
    match words:
        case ["seat", seat, "rolls", *dice] if table.rules.opening_dice:
            rolls.append(OpeningRollRecord(table.seat(seat), read_dice(dice, table.rules.opening_dice), *stamp))
        case ["seat", seat, "forfeits", ",", reason]:
            table.forfeit(table.seat(seat), read_choice(reason, ForfeitReason), stamp)
        case _:
            raise Unexpected("a forfeit, or a roll if the book has it", *words)


def _rounds(lines: Lines, table: Table) -> tuple[RoundRecord, ...]:
    rounds: list[RoundRecord] = []
    while table.winner is None and lines.begins("round", "palafico"):
        rounds.append(read_round(lines, table))
    return tuple(rounds)


def _outcome(lines: Lines, table: Table) -> tuple[Places, tuple[int, ...] | None]:
    """The places and the chips in the end, if the game was won."""
    if table.winner is None:
        return (), None
    places = ((table.winner,), *reversed(table.out))
    lines.expect(phrases.wins_game(table.winner))
    lines.expect(phrases.ranks(places))
    return places, _chips(lines, table) if table.rules.options.chips else None


def _chips(lines: Lines, table: Table) -> tuple[int, ...]:
    match lines.take():
        case ["chips", *stacks] if len(stacks) == len(table.dice_counts):
            return tuple(read_number(stack) for stack in stacks)
        case words:
            raise Unexpected(f"`chips` and {len(table.dice_counts)} numbers", *words)


def _abandoned(lines: Lines, table: Table) -> str | None:
    """Why a game that nobody won was abandoned."""
    if table.winner is not None or not lines.begins("abandoned"):
        return None
    match lines.take():
        case ["abandoned", text]:
            return read_text(text)
        case words:
            raise Unexpected("`abandoned` and a reason in quotes", *words)


def _check_end(lines: Lines, table: Table, abandoned: str | None) -> None:
    """Nothing but another game may follow."""
    if lines.ahead and not lines.begins(phrases.FIRST_WORD):
        running = table.winner is None and abandoned is None
        expected = f"round {table.round + 1} or the end" if running else "nothing more, or a new game"
        raise Unexpected(expected, *lines.take())
