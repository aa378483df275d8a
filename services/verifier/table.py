"""The table before the game starts: its rulebook, its options and its players. Checked as part of `outcome`."""

from dataclasses import dataclass

from .bids import RAISE_OPTIONS, RaiseRule
from .curve import problem_of_key
from .events import Events
from .fair_dice import chain_length
from .form import Json, known_bytes
from .report import Report
from .rulebooks import BOOKS, Book

DICE_EACH = range(1, 11)  # R13
TURN_SECONDS = range(1, 604_801)  # R15: up to a week.
PLAYERS_MIN = 2
RULEBOOK_VERSION = 1
FAIRNESS_VERSION = 1


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
    created = events.take("game-created")
    book, options, seats = BOOKS.get(created["rulebook"]), Options(**created["options"]), created["seats"]
    events.need("outcome", book is not None, "there is no such rulebook")
    assert book is not None
    report.rulebook = created["rulebook"]
    version = created["rulebook_version"]
    events.need("outcome", created["game_id"] == events.bundle.game_id, "the bundle is about a game with another id")
    events.need("outcome", version == RULEBOOK_VERSION, f"there is no version {version} of this rulebook")
    # BT-1, SH-1, PI-1, PT-1, R1
    sentence = f"a table of this book has {PLAYERS_MIN} to {book.players_max} seats, not {seats}"
    events.need("outcome", PLAYERS_MIN <= seats <= book.players_max, sentence)
    _check_options(events, book, options, seats)
    length = chain_length(seats * options.dice_each, with_rerolls=book.has_rerolls)
    _check_fairness(events, created["fairness"], length)
    return Table(book, options, seats, length, created["fairness"]["server_anchor"])


def _check_options(events: Events, book: Book, options: Options, seats: int) -> None:
    """The book has these options, and their values are allowed."""
    for name, is_off in (
        ("chips", not options.chips),  # BT-20
        ("wild_aces", not options.wild_aces),  # SH-14
        ("raise_rule", options.raise_rule == "quantity_or_face"),  # SH-9 to SH-11
    ):
        events.need("outcome", is_off or name in book.options, f"the book has no option {name}")
    dice = options.dice_each
    events.need("outcome", dice in DICE_EACH, f"a player begins with 1 to 10 dice, not with {dice}")  # R13
    may_open = options.opener is None or (options.opener < seats and book.opening_roll == "none")
    events.need("outcome", may_open, "the table can't name this opener")  # R2
    _check_clock(events, options)


def _check_clock(events: Events, options: Options) -> None:
    """R15: the clock, if there is one, has an allowed time. Without a clock there is nothing to choose for its end."""
    if options.turn_seconds is None:
        events.need("outcome", options.on_timeout == "forfeit", "on_timeout is chosen, but the table has no clock")
    else:
        is_allowed = options.turn_seconds in TURN_SECONDS
        events.need("outcome", is_allowed, f"a turn has 1 to {TURN_SECONDS[-1]} seconds, not {options.turn_seconds}")


def _check_fairness(events: Events, fairness: Json, length: int) -> None:
    """The dice are made by the version that we know, with chains of the right length (fair-dice.md)."""
    version, told = fairness["version"], fairness["chain_length"]
    events.need("outcome", version == FAIRNESS_VERSION, f"there is no version {version} of fair dice")
    events.need("outcome", told == length, f"the chains of such a table have {length} links, not {told}")


def check_players(events: Events, table: Table, report: Report) -> None:
    """Players join and leave until the game starts or is abandoned."""
    while events.ahead in {"player-joined", "player-left"}:
        if events.ahead == "player-joined":
            _check_joined(events, table, report)
        else:
            _check_left(events, report)


def _check_joined(events: Events, table: Table, report: Report) -> None:
    """A player takes the next free seat. No player has two seats, and no two parties have the same anchor."""
    player, seated = events.take("player-joined"), report.players
    anchors = [table.server_anchor, *(one["anchor"] for one in seated)]
    is_new = player["player_id"] not in [one["player_id"] for one in seated]
    key = _check_signing_key(events, player)
    events.need("links", player["anchor"] not in anchors, "another party has the same anchor")
    events.need("outcome", len(seated) < table.seats, f"the table has {table.seats} seats, and all were taken")
    events.need("outcome", is_new, "this player has a seat already")
    events.need(
        "outcome", player["seat"] == len(seated), f"seat {player['seat']} is not the next free one, {len(seated)}"
    )
    may_sign = key is None or player["chain_held_by"] == "player"
    events.need("outcome", may_sign, "a seat whose chain the server holds can't sign")
    events.signing_keys.append(key)
    report.players.append(player | {"signs": key is not None})


def _check_signing_key(events: Events, player: Json) -> bytes | None:
    """The key of a seat that signs, which must be a good one; None if it signs nothing."""
    text = player.get("signing_key")
    if text is None:
        return None
    key = known_bytes(text)
    problem = problem_of_key(key)
    events.need("signatures", problem is None, f"the signing key {problem}")
    return key


def _check_left(events: Events, report: Report) -> None:
    """R16: a player leaves, and those on higher seats move down by one."""
    seat = events.take("player-left")["seat"]
    events.need("outcome", seat < len(report.players), f"nobody sits on seat {seat}")
    report.players.pop(seat)
    events.signing_keys.pop(seat)
