"""Why a command, a byte string or a text was not accepted.

A refusal's docstring is its sentence, its class name gives the stable code, and its fields hold every value that the
sentence mentions. Where a rulebook or a ruling stands behind it, it cites the clauses. A refusal depends only on what
the refused player may see.
"""

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from domain.rulebooks.clauses import CLAUSES
from domain.values import WILD, Bid

_SHOWN_LENGTH_MAX = 120
_NUMBER_END = 2**64
"""No field of a message holds a number this large, and writing it out could take thousands of digits."""


class Refusal(Exception):  # noqa: N818 - a refusal is an answer, not an error
    """Something was not accepted, and nothing changed."""

    WHOLE: ClassVar[tuple[str, ...]] = ()
    """The fields that are shown in full, however long: the caller needs every character of them."""

    def __init__(self, *clauses: str, **fields: Any) -> None:
        """Keep what the sentence mentions."""
        self.clauses = clauses
        self.fields = fields
        super().__init__(self.sentence)

    @property
    def sentence(self) -> str:
        """The docstring with the fields filled in. What a reader would not see is escaped and stands in quotes."""
        shown = {name: _in_sentence(text) for name, text in self.shown.items()}
        return (self.__doc__ or "").format(**shown)

    @property
    def shown(self) -> dict[str, str]:
        """The fields as the sentence shows them."""
        wild_name = self.fields.get("wild_name")
        return {
            name: str(value) if name in self.WHOLE else _shown(value, wild_name) for name, value in self.fields.items()
        }

    @property
    def reasons(self) -> tuple[str, ...]:
        """The cited clauses in words."""
        return tuple(CLAUSES[clause] for clause in self.clauses)

    def __str__(self) -> str:
        cited = f" ({', '.join(self.clauses)})" if self.clauses else ""
        return self.sentence + cited

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Refusal) or type(self) is not type(other):
            return False
        return (self.clauses, self.fields) == (other.clauses, other.fields)

    __hash__ = None  # type: ignore[assignment]  # its fields are a dict

    def __reduce__(self) -> tuple[Any, ...]:
        """A refusal can be sent from one process to another."""
        return _made_again, (type(self), self.clauses, self.fields)

    @classmethod
    def code(cls) -> str:
        """The stable name of this refusal, in upper snake case."""
        return code_of(cls)

    @classmethod
    def kinds(cls) -> Iterator[type["Refusal"]]:
        """Every kind of refusal there is."""
        for kind in cls.__subclasses__():
            yield kind
            yield from kind.kinds()


def _made_again(kind: type[Refusal], clauses: tuple[str, ...], fields: dict[str, Any]) -> Refusal:
    return kind(*clauses, **fields)


def code_of(kind: type) -> str:
    """The stable name of a kind of failure, in upper snake case."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).upper()


def _shown(value: object, wild_name: str | None = None) -> str:
    """A value as a sentence shows it: a list with commas, the wild face by its name (R11), a long text cut short."""
    if isinstance(value, tuple | list):
        return ", ".join(_shown(item, wild_name) for item in value) or "none"
    if isinstance(value, Bid) and value.face == WILD and wild_name:
        return f"{value.quantity}x {wild_name}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and abs(value) >= _NUMBER_END:
        return "a number that long"
    text = str(value).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _SHOWN_LENGTH_MAX else text[: _SHOWN_LENGTH_MAX - 3] + "..."


def _in_sentence(text: str) -> str:
    """A field within a sentence: in quotes if it is blank or has characters that can't be seen, with those escaped."""
    if text.strip() and text.isprintable():
        return text
    return f'"{"".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)}"'


class Malformed(Refusal):
    """This is not a valid {what}: {problem}."""


class GameAlreadyExists(Refusal):
    """There is a game with the id {game_id} already."""


class NoSuchGame(Refusal):
    """There is no game with this id; it may be mistyped."""


class NoSuchRulebook(Refusal):
    """There is no rulebook {rulebook}; the books are {rulebooks}."""


class GameIdInvalid(Refusal):
    """A game id has 1 to 64 letters, digits, dots, hyphens or underscores; {game_id} does not."""


class PlayerIdInvalid(Refusal):
    """A player id has 1 to 64 letters, digits, dots, hyphens or underscores; {player_id} does not."""


class NameInvalid(Refusal):
    """A name has 1 to 40 printable characters and no space at either end; {name} does not."""


class OptionNotInRulebook(Refusal):
    """The book {rulebook} has no option {option}={value}: {problem}."""


class OptionOutOfRange(Refusal):
    """The option {option} takes {allowed}, not {value}."""


class SeatsOutOfRange(Refusal):
    """A table of {rulebook} has {players_min} to {players_max} seats, not {seats}."""


class AnchorInvalid(Refusal):
    """A chain's anchor is 32 bytes long; this one has {length}."""


class AnchorAlreadyUsed(Refusal):
    """Another party at this table has committed to the same chain; make a chain of your own."""


class SigningKeyInvalid(Refusal):
    """A signing key is a public key of Ed25519, 32 bytes long; this one {problem}."""


class SigningNeedsChain(Refusal):
    """To sign your moves you must also bring your own chain: the server can't roll for a player who signs."""


class TableFull(Refusal):
    """All {seats} seats of this table are taken."""


class PlayerAlreadySeated(Refusal):
    """The player {player_id} already sits at this table, on seat {seat}."""


class TooFewPlayers(Refusal):
    """The book {rulebook} needs at least {players_min} players; {players} have joined."""


class NoSuchSeat(Refusal):
    """There is no player on seat {seat}; this table has {players} players, and their seats are counted from 0."""


class OpenerNotChosen(Refusal):
    """In {rulebook} a roll of the dice decides who opens the first round, so nobody can name the opener."""


class GameNotStarted(Refusal):
    """The game has not started yet."""


class GameAlreadyStarted(Refusal):
    """The game has started already."""


class GameOver(Refusal):
    """The game is over."""


class SeatOut(Refusal):
    """Seat {seat} has no dice left and is out of the game."""


class NothingToRoll(Refusal):
    """There is nothing to roll now: the dice of this round lie under the cups."""


class NotRollingForOpener(Refusal):
    """Seat {seat} does not roll for the opener now; these seats do: {seats}."""


class AlreadyRolled(Refusal):
    """Seat {seat} has rolled already; seats {waiting} have not."""


class DiceNotRolled(Refusal):
    """Not all players have rolled yet; seats {waiting} have not."""


class LinkInvalid(Refusal):
    """The game waits for link {number} of the chain that seat {seat} committed to; this one {problem}."""

    WHOLE = ("problem",)


class ServerLinkInvalid(Refusal):
    """The game waits for link {number} of the chain that the server committed to; this is not that link."""


class ChainExhausted(Refusal):
    """The game waits for link {number}, but its chains have only {length} links."""


class NotYourTurn(Refusal):
    """It is the turn of seat {turn}, not of seat {seat}."""


class QuantityOutOfRange(Refusal):
    """A bid names 1 to {quantity_max} dice, not {quantity}."""


class FaceOutOfRange(Refusal):
    """A face is a number from 1 to 6, not {face}."""


class WildNotBiddable(Refusal):
    """Nobody may bid on {wild_name}s; the lowest legal bids are {lowest}."""


class WildCannotOpen(Refusal):
    """Nobody may open a round with a bid on {wild_name}s; the lowest legal bids are {lowest}."""


class BidNotHigher(Refusal):
    """A bid of {bid} does not raise {standing}; the lowest legal bids are {lowest}."""


class NoBidToChallenge(Refusal):
    """There is no bid to challenge yet; seat {seat} opens the bidding."""


class ShowAndRerollNotInRulebook(Refusal):
    """The book {rulebook} does not let a bidder show and reroll dice."""


class NotYourBid(Refusal):
    """Only the bidder may show and reroll, right after the bid; seat {seat} did not make the standing bid."""


class AlreadyRerolled(Refusal):
    """Seat {seat} has shown and rerolled after this bid already."""


class NothingShown(Refusal):
    """Show at least one die before you reroll the others."""


class TooFewHiddenDice(Refusal):
    """You can't show {shown} of {hidden} hidden dice: at least one must be left to reroll."""


class DiceNotInCup(Refusal):
    """The dice {shown} are not all among the hidden dice of seat {seat}."""


class NoTurnClock(Refusal):
    """This game has no turn clock."""


class NotOnTheClock(Refusal):
    """The game is not waiting for seat {seat}; it waits for {waiting}."""


class TimeNotUp(Refusal):
    """Seat {seat} still has {milliseconds} ms to act."""


class ReasonInvalid(Refusal):
    """A reason has 1 to 200 printable characters; {reason} does not."""


class RequestIdInvalid(Refusal):
    """A request id has 1 to 200 printable characters; {request_id} does not."""


class RequestIdReused(Refusal):
    """The request id {request_id} was used before, for something else."""
