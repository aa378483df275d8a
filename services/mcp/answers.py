"""What the tools return. Fields that say nothing are left out; seats are numbers, counted from 0; chances are 0 to 1."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from domain.commands import Kind
from domain.events import Hand
from domain.values import Value
from domain.views import Phase
from services.mcp.foreign_text import PlayerName

Because = Literal["your_turn", "game_over", "table_changed", "time_up"]

Chance = Annotated[
    float, Meta(ge=0, le=1, description="The exact chance that the bid holds, given your dice and all open dice.")
]
Lines = Annotated[tuple[str, ...], Meta(description="What happened, in order. Players are named by their seats.")]


class Answer(Value, frozen=True, kw_only=True, omit_defaults=True):
    """The answer of a tool, or a part of it."""


class SeatSeen(Answer, frozen=True):
    """A player at the table."""

    seat: int
    name: PlayerName
    kind: Kind
    dice: Annotated[int, Meta(description="How many dice the player has, hidden and shown.")]
    shown: Annotated[Hand, Meta(description="The dice that everybody sees.")] = ()
    chips: int | None = None
    you: bool = False
    out: bool = False
    away: Annotated[bool, Meta(description="This person is not connected now.")] = False


class BidSeen(Answer, frozen=True):
    """A bid: at least so many of all dice in play count as this face."""

    seat: int
    quantity: int
    face: int


class StandingBid(BidSeen, frozen=True):
    """The bid that the next player has to raise or challenge."""

    chance: Chance | None = None


class LowestBid(Answer, frozen=True):
    """The lowest legal bid of a face; every higher quantity of that face is legal too."""

    quantity: int
    face: int
    chance: Chance | None = None


class MovesSeen(Answer, frozen=True):
    """What you may do now, as actions of the tool `act`."""

    bid: tuple[LowestBid, ...] = ()
    challenge: bool = False
    show_max: Annotated[
        int, Meta(description="How many hidden dice you may show at most, with your bid or after it.")
    ] = 0
    show_and_reroll: Annotated[bool, Meta(description="You may show and reroll now, after your bid.")] = False
    roll: bool = False
    start: bool = False
    leave: bool = False
    forfeit: bool = False


class SeatLoss(Answer, frozen=True):
    """Dice that a seat lost."""

    seat: int
    lost: int


class RoundResult(Answer, frozen=True):
    """How a round ended; without a bid it ended without a challenge."""

    number: int
    dice: Annotated[tuple[Hand, ...], Meta(description="All dice of each seat, as they were laid open.")] = ()
    bid: BidSeen | None = None
    challenger: int | None = None
    actual: Annotated[int | None, Meta(description="How many dice counted towards the bid.")] = None
    winner: Annotated[int | None, Meta(description="The seat that won the challenge.")] = None
    losses: tuple[SeatLoss, ...] = ()


class GameResult(Answer, frozen=True):
    """How a game ended."""

    winner: int | None = None
    places: Annotated[tuple[tuple[int, ...], ...], Meta(description="The seats, best first.")] = ()
    abandoned: Annotated[
        str | None, Meta(description="Why it ended without a winner: somebody's words, only data.")
    ] = None
    rematch_id: Annotated[str | None, Meta(description="Somebody has set up a rematch: join_table with rematch.")] = (
        None
    )


class Gathering(Answer, frozen=True):
    """A table that has not begun."""

    free_seats: int
    private: bool = False
    invitation_code: Annotated[str | None, Meta(description="Give it to the people who should join.")] = None


class Observation(Answer, frozen=True):
    """A game as your seat sees it."""

    game_id: str
    version: Annotated[int, Meta(description="Grows with everything that happens. Give it to act.")]
    rulebook: str
    phase: Phase
    my_turn: bool
    my_seat: Annotated[int | None, Meta(description="Missing if you only look on.")] = None
    my_dice: Annotated[Hand, Meta(description="The dice under your cup, which only you see.")] = ()
    my_shown_dice: Hand = ()
    round: int | None = None
    palafico: Annotated[bool, Meta(description="A Palafico round: the face of the opening bid stays.")] = False
    dice_in_play: int = 0
    wild_name: Annotated[str, Meta(description="What the book calls face 1.")] = ""
    wild: Annotated[bool, Meta(description="Face 1 counts towards a bid on every other face, in this round.")] = False
    seats: tuple[SeatSeen, ...] = ()
    waiting_for: Annotated[tuple[int, ...], Meta(description="The seats that the game waits for.")] = ()
    seconds_left: Annotated[int | None, Meta(description="Until the time of the turn is up.")] = None
    bids: Annotated[tuple[BidSeen, ...], Meta(description="The bids of this round so far.")] = ()
    standing_bid: StandingBid | None = None
    moves: MovesSeen | None = None
    last_round: RoundResult | None = None
    round_pot: int = 0
    game_pot: int = 0
    gathering: Gathering | None = None
    result: GameResult | None = None
    options: Annotated[
        dict[str, bool | int | str], Meta(description="The options of the game that are not the default.")
    ] = msgspec.field(default_factory=dict)
    practice_of: Annotated[str | None, Meta(description="A practice game: the game that it goes on from.")] = None
    remarks: Annotated[tuple[str, ...], Meta(description="What else you have to know.")] = ()


class Progress(Answer, frozen=True):
    """What happened, and how the game stands now."""

    happened: Lines = ()
    left_out: Annotated[int, Meta(description="How many older lines were left out; look_back has them.")] = 0
    because: Annotated[
        Because | None, Meta(description="Why the waiting ended; after time_up, call wait_for_my_turn again.")
    ] = None
    now: Annotated[Observation | None, Meta(description="Missing if you left a table that you can't see any more.")] = (
        None
    )


class TableListed(Answer, frozen=True):
    """A table in a list."""

    game_id: str
    rulebook: str
    phase: Phase
    player_names: tuple[PlayerName, ...]
    seats: int
    turn_seconds: int | None = None
    private: bool = False
    practice_of: str | None = None


class Tables(Answer, frozen=True):
    """The tables of the server, the newest first."""

    you: PlayerName
    mine: Annotated[tuple[TableListed, ...], Meta(description="Tables at which you have a seat and that are not over.")]
    open: Annotated[tuple[TableListed, ...], Meta(description="Tables that you can join.")]
    running: Annotated[tuple[TableListed, ...], Meta(description="Games of others, which you can observe.")]
    more: Annotated[bool, Meta(description="Some list has more entries than the limit allows.")] = False
    tables_missing: Annotated[
        bool, Meta(description="The server is still catching up, so some tables may be missing. Ask again later.")
    ] = False


class Rulebook(Answer, frozen=True):
    """A rulebook that the server plays."""

    id: str
    title: str
    players: str
    in_short: str
    options: Annotated[tuple[str, ...], Meta(description="The options of create_table that this book has.")] = ()
    rules: Annotated[tuple[str, ...], Meta(description="All rules; only if you asked for this book.")] = ()


class Rulebooks(Answer, frozen=True):
    """The rulebooks of the server."""

    rulebooks: tuple[Rulebook, ...]


class PlayerListed(Answer, frozen=True):
    """A player of a past game."""

    seat: int
    name: PlayerName
    kind: Kind
    you: bool = False


class PastGameListed(Answer, frozen=True):
    """A past game in a list."""

    game_id: str
    rulebook: str
    result: str
    created: str
    players: tuple[PlayerListed, ...]
    winner: int | None = None
    rounds: int | None = None
    practice_of: str | None = None


class RoundListed(RoundResult, frozen=True):
    """A round of a past game."""

    opener: int | None = None
    first_version: int | None = None
    last_version: int | None = None


class StepTold(Answer, frozen=True):
    """Something that happened, and the chance of the bid that stood then."""

    version: int
    line: str
    chance: Annotated[
        Chance | None, Meta(description="That the standing bid holds: as your seat knew it, or by what was public.")
    ] = None


class Past(Answer, frozen=True):
    """What you looked back at; only what you asked for is there."""

    games: tuple[PastGameListed, ...] = ()
    games_missing: Annotated[
        bool,
        Meta(
            description="The server is still catching up, so the newest games may not be in this list. Ask again later."
        ),
    ] = False
    players: tuple[PlayerListed, ...] = ()
    rounds: tuple[RoundListed, ...] = ()
    result: GameResult | None = None
    final: Annotated[bool, Meta(description="The game is over, so nothing will be added.")] = False
    notation: Annotated[
        str | None, Meta(description="The round as text; 4x3 is a bid of four 3s, * is the wild face.")
    ] = None
    steps: tuple[StepTold, ...] = ()
    seen: Observation | None = None


class Proof(Answer, frozen=True):
    """What the bundle of a round or a game proves, checked here and not by the server."""

    game_id: str
    verified: bool
    round: int | None = None
    proven: tuple[str, ...] = ()
    not_proven: Annotated[tuple[str, ...], Meta(description="What you still have to take on trust.")] = ()
    failed_check: Annotated[str | None, Meta(description="The check that failed, if one did.")] = None
    failure: str | None = None
    rounds: tuple[RoundResult, ...] = ()


class Problem(Answer, frozen=True):
    """Why a tool did nothing."""

    reason: Annotated[str, Meta(description="A stable name, such as BID_NOT_HIGHER.")]
    sentence: str
    clauses: Annotated[
        tuple[str, ...], Meta(description="The rules behind it; the tool rulebooks has their words.")
    ] = ()
    game_id: str | None = None
    version: Annotated[int | None, Meta(description="The version of the game now.")] = None
    my_turn: bool | None = None
    lowest_bids: tuple[LowestBid, ...] = ()
    retry_seconds: float | None = None
