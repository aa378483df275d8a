"""Reading the head of a game: the format, the game's id, its book and options, and who sits where."""

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from domain.commands import ChainHolder, Kind
from domain.deciding.gathering import rules_of_table
from domain.history.record import SeatRecord
from domain.notation.lines import Lines, Unexpected, Words, words_of
from domain.notation.moments import read_moment
from domain.notation.phrases import FIRST_LINE, FIRST_LINE_TIMED, FIRST_WORD, OPTION_WORDS
from domain.notation.words import read_choice, read_id, read_number, read_text
from domain.options import DEFAULT_OPTIONS, Options
from domain.refusals import Refusal
from domain.rulebooks import BOOKS, Rulebook, Rules, rules_of
from domain.values import Value

_PLAY = ("opening", "round", "palafico")
"""The words that the play begins with."""

_NO_PLAY = ("abandoned", FIRST_WORD)
"""The words that can follow instead: the game was never played, or the next one begins."""

_OPTIONS = {field.name: field for field in msgspec.structs.fields(Options)}


class Heading(Value, frozen=True):
    """What stands before the play."""

    game_id: str
    rules: Rules
    seats: tuple[SeatRecord, ...]
    forked_from: str | UnsetType = UNSET
    forked_version: int | UnsetType = UNSET
    created_at: int | UnsetType = UNSET
    started_at: int | UnsetType | None = UNSET
    ended_at: int | UnsetType | None = UNSET


def read_heading(lines: Lines) -> Heading:
    """The head of a game."""
    timed = _is_timed(lines.take())
    game_id = _game_id(lines.take())
    fork = _fork(lines.take()) if lines.begins("forked") else (UNSET, UNSET)
    times = _times(lines) if timed else (UNSET, UNSET, UNSET)
    book = _rulebook(lines.take())
    options = _options(lines, book)
    return Heading(game_id, rules_of(book.id, book.version, options), _seats(lines, book), *fork, *times)


def _is_timed(words: Words) -> bool:
    """Whether the text may have times."""
    if words not in {words_of(FIRST_LINE), words_of(FIRST_LINE_TIMED)}:
        raise Unexpected(f"`{FIRST_LINE}`", *words)
    return words == words_of(FIRST_LINE_TIMED)


def _times(lines: Lines) -> tuple[int, int | None, int | None]:
    """When the game was created, when it started, and when it ended."""
    created_at = _moment(lines.take(), "created")
    started_at = _moment(lines.take(), "started") if lines.begins("started") else None
    return created_at, started_at, _moment(lines.take(), "ended") if lines.begins("ended") else None


def _moment(words: Words, what: str) -> int:
    match words:
        case [word, moment] if word == what:
            return read_moment(moment)
        case _:
            raise Unexpected(f"a line like `{what} 2026-01-01T20:15:00.000Z`", *words)


def _game_id(words: Words) -> str:
    match words:
        case ["game", game_id]:
            return read_id(game_id, "a game id")
        case _:
            raise Unexpected("a line like `game friday-1`", *words)


def _fork(words: Words) -> tuple[str, int]:
    match words:
        case ["forked", "from", game_id, ",", "version", version]:
            return read_id(game_id, "a game id"), read_number(version, "a version", low=1)
        case _:
            raise Unexpected("a line like `forked from friday-1, version 12`", *words)


def _rulebook(words: Words) -> Rulebook:
    match words:
        case ["rulebook", rulebook, ",", "version", version]:
            for book in BOOKS:
                if (book.id, str(book.version)) == (rulebook, version):
                    return book
            raise Unexpected("a known rulebook and version", rulebook, ",", version)
        case _:
            raise Unexpected("`rulebook NAME, version NUMBER`", *words)


def _options(lines: Lines, book: Rulebook) -> Options:
    """The options of the game; an option that the text leaves out has its default."""
    chosen: dict[str, Any] = {}
    options = DEFAULT_OPTIONS
    while lines.begins("option"):
        words = lines.take()
        name, value = _option(words)
        if name in chosen:
            raise Unexpected("each option once", *words)
        chosen[name] = value
        options = msgspec.structs.replace(options, **{name: value})
        _check_playable(book, options, words)
    return options


def _option(words: Words) -> tuple[str, Any]:
    match words:
        case ["option", name, word] if name in _OPTIONS and word.isascii():
            value = OPTION_WORDS[word] if word in OPTION_WORDS else _number_or_word(word)
            try:
                return name, msgspec.convert(value, _OPTIONS[name].type)
            except msgspec.ValidationError:
                raise Unexpected(f"another value of {name}", word) from None
        case _:
            raise Unexpected("an option and its value", *words)


def _number_or_word(word: str) -> int | str:
    return read_number(word) if word.isdecimal() else word


def _check_playable(book: Rulebook, options: Options, words: Words) -> None:
    """Refuse options with which nobody could have set up a table."""
    try:
        rules_of_table(book.id, options)
    except Refusal:
        raise Unexpected(f"an option as {book.id} has it", *words[1:]) from None


def _seats(lines: Lines, book: Rulebook) -> tuple[SeatRecord, ...]:
    seats: list[SeatRecord] = []
    while lines.begins("seat"):
        words = lines.take()
        seat = _seat(words)
        if seat.seat != len(seats) or len(seats) == book.players_max:
            raise Unexpected(_next(len(seats), book), *words)
        if any(seat.player_id == other.player_id for other in seats):
            raise Unexpected("each player id once", seat.player_id)
        seats.append(seat)
    play = _PLAY if len(seats) >= book.players_min else ()
    if lines.ahead and not lines.begins(*play, *_NO_PLAY):
        raise Unexpected(_next(len(seats), book), *lines.take())
    return tuple(seats)


def _next(seat: int, book: Rulebook) -> str:
    """The lines that may come next after this many seats, in words."""
    if seat < book.players_min:
        return f"seat {seat}" if seat else "an option or seat 0"
    return f"seat {seat} or the first round" if seat < book.players_max else f"a round after {seat} seats"


def _seat(words: Words) -> SeatRecord:
    match words:
        case ["seat", seat, name, ",", kind, player_id, ",", "chain", "held", "by", holder]:
            return SeatRecord(
                seat=read_number(seat, "a seat"),
                name=read_text(name),
                kind=read_choice(kind, Kind),
                player_id=read_id(player_id, "a player id"),
                chain_held_by=read_choice(holder, ChainHolder),
            )
        case _:
            raise Unexpected("the seat's name, kind, id and chain holder", *words)
