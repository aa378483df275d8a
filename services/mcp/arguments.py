"""The arguments of the tools, with their bounds. A model reads the descriptions, so they say what it has to know."""

from typing import Annotated, Literal

from msgspec import Meta

from domain.options import DICE_EACH_DEFAULT, DICE_EACH_MAX, TURN_SECONDS_MAX, RaiseRuleName, TimeoutAction
from domain.rulebooks import BOOKS
from domain.values import FACES, QUANTITY_MAX, Value

Strategy = Literal["cautious", "calculating", "bluffing"]
Action = Literal["bid", "challenge", "show_and_reroll", "roll", "start", "add_bot", "leave", "forfeit"]

LISTED_MAX = 50
_LISTED_DEFAULT = 10
_VERSION_MAX = 1_000_000
_ROUND_MAX = 1_000
_SEATS_MAX = max(book.players_max for book in BOOKS)
_WAIT_SECONDS_MAX = 120
_WAIT_SECONDS_DEFAULT = 30

_Face = Annotated[int, Meta(ge=FACES[0], le=FACES[-1])]
_Version = Annotated[int, Meta(ge=0, le=_VERSION_MAX)]
_GameId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=64,
        pattern=r"^[A-Za-z0-9._-]+$",
        description="The id of the game, from list_tables or another tool.",
    ),
]
_Rulebook = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=64,
        description="The id of a rulebook.",
        extra_json_schema={"enum": [book.id for book in BOOKS]},
    ),
]
_Limit = Annotated[int, Meta(ge=1, le=LISTED_MAX, description="How many entries a list has at most.")]


class Arguments(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of a tool."""


class RulebooksAsked(Arguments, frozen=True):
    """Which rulebook to explain."""

    rulebook: Annotated[_Rulebook | None, Meta(description="Explain this book, with all its rules.")] = None


class TablesAsked(Arguments, frozen=True):
    """Which tables to list."""

    rulebook: Annotated[_Rulebook | None, Meta(description="Only tables of this book.")] = None
    limit: _Limit = _LISTED_DEFAULT


class TableWanted(Arguments, frozen=True):
    """The table to set up."""

    rulebook: _Rulebook
    bots: Annotated[
        tuple[Strategy, ...],
        Meta(max_length=_SEATS_MAX - 1, description="One bot of the server for each entry, with this strategy."),
    ] = ()
    start: Annotated[bool, Meta(description="Begin at once if there are bots. False to wait for people too.")] = True
    private: Annotated[bool, Meta(description="Only people who have the invitation code can join.")] = False
    seats: Annotated[
        Annotated[int, Meta(ge=2, le=_SEATS_MAX)] | None,
        Meta(description="How many seats; by default all of the book."),
    ] = None
    dice_each: Annotated[int, Meta(ge=1, le=DICE_EACH_MAX, description="With how many dice each player begins.")] = (
        DICE_EACH_DEFAULT
    )
    turn_seconds: Annotated[
        Annotated[int, Meta(ge=0, le=TURN_SECONDS_MAX)] | None,
        Meta(
            description="Seconds for each turn; 0 for no clock. By default 300 at a table without bots, else no clock."
        ),
    ] = None
    on_timeout: Annotated[
        TimeoutAction, Meta(description="What happens to a player whose time is up; only with a clock.")
    ] = "forfeit"
    chips: Annotated[bool, Meta(description="Play for chips, in the books that have them.")] = False
    wild_aces: Annotated[bool, Meta(description="Ones count as every face, in the books that have this option.")] = (
        False
    )
    raise_rule: Annotated[RaiseRuleName, Meta(description="How a bid is raised, in the books that have a choice.")] = (
        "quantity_or_face"
    )
    opener: Annotated[
        Annotated[int, Meta(ge=0, le=_SEATS_MAX - 1)] | None,
        Meta(
            description="The seat that opens the first round, in the books that let a player be chosen. You sit on seat 0."
        ),
    ] = None


class SeatWanted(Arguments, frozen=True):
    """The table to sit down at."""

    game_id: _GameId
    code: Annotated[str, Meta(max_length=64, description="The invitation code of a private table.")] = ""
    rematch: Annotated[
        bool, Meta(description="The game is over and you played in it: sit down at its rematch, with the same players.")
    ] = False


class GameAsked(Arguments, frozen=True):
    """The game to look at."""

    game_id: _GameId


class MoveWanted(Arguments, frozen=True):
    """What to do at a table."""

    game_id: _GameId
    action: Annotated[
        Action,
        Meta(
            description="bid and challenge on your turn; show_and_reroll right after your own bid; start, add_bot and"
            " leave before the game; forfeit gives the game up for good. Dice roll by themselves, so roll is rarely needed."
        ),
    ]
    version: Annotated[
        int,
        Meta(
            ge=1,
            le=_VERSION_MAX,
            description="The version of the observation that you decided on. If the game has moved on, nothing is done.",
        ),
    ]
    quantity: Annotated[
        Annotated[int, Meta(ge=1, le=QUANTITY_MAX)] | None, Meta(description="With bid: how many dice.")
    ] = None
    face: Annotated[_Face | None, Meta(description="With bid: of which face.")] = None
    show: Annotated[
        tuple[_Face, ...],
        Meta(
            max_length=DICE_EACH_MAX,
            description="With bid or show_and_reroll: the hidden dice that you lay open; all your others are rerolled.",
        ),
    ] = ()
    strategy: Annotated[Strategy, Meta(description="With add_bot: how the bot plays.")] = "calculating"


class TurnAwaited(Arguments, frozen=True):
    """The game to wait in."""

    game_id: _GameId
    seconds: Annotated[
        int,
        Meta(
            ge=0,
            le=_WAIT_SECONDS_MAX,
            description="How long to wait at most. Stay below the time that your program gives a tool.",
        ),
    ] = _WAIT_SECONDS_DEFAULT
    since_version: Annotated[
        _Version | None,
        Meta(description="Tell what happened after this version; by default what you have not been told yet."),
    ] = None


class PastAsked(Arguments, frozen=True):
    """What to look back at."""

    what: Annotated[
        Literal["games", "game", "round", "step"],
        Meta(
            description="games: a list, the newest first. game: one game, round by round. round: one round step by step,"
            " and in notation once it is over. step: how the game stood after a version."
        ),
    ]
    game_id: Annotated[_GameId | None, Meta(description="The game; for all but games.")] = None
    round: Annotated[Annotated[int, Meta(ge=1, le=_ROUND_MAX)] | None, Meta(description="For round: its number.")] = (
        None
    )
    version: Annotated[_Version | None, Meta(description="For step: the version; by default the last one.")] = None
    seat: Annotated[
        Annotated[int, Meta(ge=0, le=_SEATS_MAX - 1)] | None,
        Meta(description="For step: through whose eyes, in a round that is over; by default your own."),
    ] = None
    mine: Annotated[bool, Meta(description="For games: only those that you played in.")] = True
    rulebook: Annotated[_Rulebook | None, Meta(description="For games: only those of this book.")] = None
    limit: _Limit = _LISTED_DEFAULT


class ProofAsked(Arguments, frozen=True):
    """What to verify."""

    game_id: _GameId
    round: Annotated[
        Annotated[int, Meta(ge=1, le=_ROUND_MAX)] | None,
        Meta(description="A round that is over; by default the whole game, which must be over."),
    ] = None
