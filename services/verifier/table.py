"""The table before the game starts: its rulebook, its options and its players. Checked as part of `outcome`."""

from dataclasses import dataclass
from typing import Any

from .bids import RAISE_OPTIONS, RaiseRule
from .events import Events
from .fair_dice import chain_length
from .form import Json, decoded_exactly, spelled
from .report import Report
from .rulebooks import BOOKS, Book

DICE_EACH = range(1, 11)  # R13
TURN_SECONDS = range(1, 604_801)  # R15: up to a week.
ON_TIMEOUT = {"forfeit", "challenge", "lowest_bid"}  # R15
PLAYERS_MIN = 2
RULEBOOK_VERSION = 1
FAIRNESS_VERSION = 1
KEY_BYTES = 32

CREATED = ("game_id", "rulebook", "rulebook_version", "options", "seats", "fairness")
PLAYER = ("seat", "player_id", "name", "kind", "anchor", "chain_held_by")
SIGNING_PLAYER = (*PLAYER, "signing_key")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a game, chosen when it was created."""

    chips: bool
    wild_aces: bool
    raise_rule: str
    dice_each: int
    opener: int | None
    turn_seconds: int | None
    on_timeout: str


@dataclass(frozen=True, slots=True)
class Table:
    """The table that a game was created for."""

    book: Book
    options: Options
    seats: int
    chain_length: int
    server_anchor: str

    @property
    def raises(self) -> RaiseRule:
        """The raise rule of the book or, if the book lets the table choose, the chosen one."""
        return RAISE_OPTIONS[self.options.raise_rule] if "raise_rule" in self.book.options else self.book.raises

    @property
    def has_wild(self) -> bool:
        """Whether ones are wild, by the book or by the option of single-hand (SH-14)."""
        return self.book.has_wild or self.options.wild_aces

    @property
    def opening_dice(self) -> int:
        """How many dice each seat rolls for the first opener; 0 in a book in which the opener is named or drawn."""
        match self.book.opening_roll:
            case "none":
                return 0
            case "one die":
                return 1
            case "all dice":
                return self.options.dice_each


def check_created(events: Events, report: Report) -> Table:
    """The first event creates a table that its book allows."""
    created = events.take("game-created", *CREATED)
    report.rulebook = created["rulebook"]
    book, options, seats = BOOKS[created["rulebook"]], created["options"], created["seats"]
    length = chain_length(seats * options["dice_each"], with_rerolls=book.has_rerolls)
    for sentence, holds in _table_checks(events.bundle.game_id, created, book, length).items():
        events.need("outcome", holds, sentence)
    return Table(book, Options(**options), seats, length, created["fairness"]["server_anchor"])


def _table_checks(game_id: str, created: Json, book: Book, length: int) -> dict[str, bool]:
    """The checks of a table: for each sentence of a failure, whether the check holds."""
    options, seats = created["options"], created["seats"]
    return {
        "the game has another id": created["game_id"] == game_id,
        "the rulebook has another version": spelled(created["rulebook_version"]) == spelled(RULEBOOK_VERSION),
        "its fairness is not that of such a table": _fairness_holds(created["fairness"], length),
        "the book has no such options": spelled(options) == spelled(_known_options(book, options)),
        "the book has no table for so many": PLAYERS_MIN <= seats <= book.players_max,  # BT-1, SH-1, PI-1, PT-1, R1
        "a player begins with 1 to 10 dice": options["dice_each"] in DICE_EACH,  # R13
        "the table can't choose this opener or raise rule": _choices_hold(book, options, seats),  # R2, SH-9 to SH-11
        "the table can't have such a clock": _clock_holds(options),  # R15
    }


def _fairness_holds(fairness: Json, length: int) -> bool:
    """Whether the dice are made by the version that we know, with chains of the right length (fair-dice.md)."""
    anchor = fairness["server_anchor"]
    expected = {"version": FAIRNESS_VERSION, "chain_length": length, "server_anchor": anchor}
    return spelled(fairness) == spelled(expected)


def _known_options(book: Book, options: Json) -> Json:
    """The options as the event must write them: each has its type, and one that the book does not have is off."""
    return {
        "chips": "chips" in book.options and bool(options["chips"]),
        "wild_aces": "wild_aces" in book.options and bool(options["wild_aces"]),
        "raise_rule": str(options["raise_rule"]) if "raise_rule" in book.options else "quantity_or_face",
        "dice_each": _number(options["dice_each"]),
        "opener": _number(options["opener"]),
        "turn_seconds": _number(options["turn_seconds"]),
        "on_timeout": options["on_timeout"] if options["turn_seconds"] else "forfeit",  # R15: no clock, no choice.
    }


def _number(value: Any) -> Any:
    """The value as a whole number, so that `true` does not pass for 1; 0 and null stay as they are."""
    return int(value) if value else value


def _choices_hold(book: Book, options: Json, seats: int) -> bool:
    """Whether the table may choose its opener and its raise rule.

    The name of a raise rule is one word. The first bid fails if there is no rule with that name.
    """
    return _opener_holds(book, options["opener"], seats) and " " not in options["raise_rule"]


def _opener_holds(book: Book, opener: int | None, seats: int) -> bool:
    """R2: whether the table may name this opener: one of its seats, in a book that does not roll for the opener."""
    return opener is None or (opener < seats and book.opening_roll == "none")


def _clock_holds(options: Json) -> bool:
    """R15: whether the clock, if there is one, has an allowed time, and whether `on_timeout` is an allowed word."""
    seconds = options["turn_seconds"]
    return (seconds is None or seconds in TURN_SECONDS) and options["on_timeout"] in ON_TIMEOUT


def check_players(events: Events, table: Table, report: Report) -> None:
    """Players join and leave until the game starts or is abandoned."""
    while events.ahead in {"player-joined", "player-left"}:
        if events.ahead == "player-joined":
            _check_joined(events, table, report)
        else:
            _check_left(events, report)


def _check_joined(events: Events, table: Table, report: Report) -> None:
    """A player takes the next free seat. No player has two seats."""
    player = events.take_any_fields("player-joined")
    for sentence, holds in _player_checks(events, player, table, report).items():
        events.need("outcome", holds, sentence)
    key = player.get("signing_key")
    if key is not None:
        decoded_exactly(key, KEY_BYTES)
    events.signing_keys.append(key)
    report.players.append(player | {"signs": key is not None})


def _player_checks(events: Events, player: Json, table: Table, report: Report) -> dict[str, bool]:
    """The checks of a player who joins: for each sentence of a failure, whether the check holds."""
    names = SIGNING_PLAYER if events.event.topic.endswith("2") else PLAYER
    seated = [one["player_id"] for one in report.players]
    return {
        "it has other fields than it should": (*player,) == (*names, "at"),
        "this is not the next seat": player.get("seat") == len(seated),
        "this is no kind of player": player["kind"] in ("human", "bot"),
        "neither player nor server holds the chain": player["chain_held_by"] in ("player", "server"),
        "all seats are taken": len(seated) < table.seats,
        "this player sits here already": player["player_id"] not in seated,
        "the player has neither name nor id": player["name"] + player["player_id"] > "",
    }


def _check_left(events: Events, report: Report) -> None:
    """R16: a player leaves, and those on higher seats move down by one."""
    seat = events.take("player-left", "seat")["seat"]
    report.players.pop(seat)
    events.signing_keys.pop(seat)
