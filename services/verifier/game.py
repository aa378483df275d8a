"""The state of a game while the verifier goes from event to event: everything that the checks of the rules need."""

from dataclasses import dataclass, field

from .events import Events
from .fair_dice import Chains, FairDice
from .report import Report, Round, Timeout
from .table import Table


@dataclass
class Pots:
    """The chips that were paid and that nobody has won yet (BT-20)."""

    round: int = 0
    game: int = 0


@dataclass
class Standing:
    """The dice, chips and places between two events."""

    seats: list[int]
    """The seats that still have dice."""
    dice_counts: list[int]
    """How many dice each seat has; 0 for those who are out."""
    chips: list[int]
    pots: Pots = field(default_factory=Pots)
    places: list[list[int]] = field(default_factory=list)
    """The seats that are out, the last first. Seats that went out together share a place."""

    def left_of(self, seat: int) -> int:
        """The next seat to the left that still has dice."""
        return self.from_seat(seat + 1)

    def from_seat(self, first: int) -> int:
        """This seat if it still has dice, otherwise the next one to the left that has."""
        count = len(self.dice_counts)
        return min(self.seats, key=lambda seat: (seat - first) % count)


def first_standing(players: int, dice_each: int, chips_each: int) -> Standing:
    """The standing at the start of a game."""
    seats = list(range(players))
    return Standing(seats, [dice_each] * players, [chips_each] * players)


@dataclass(frozen=True, slots=True)
class Opener:
    """The seat that opens the next round, and whether it is a Palafico round."""

    seat: int
    palafico: bool = False


def _before_the_first_round() -> Round:
    """A round that no report shows, for the time before the first opener is found."""
    return Round(number=0, opener=0, palafico=False)


@dataclass
class Game:
    """A game that has started."""

    events: Events
    table: Table
    standing: Standing
    chains: Chains
    dice: FairDice
    report: Report
    round: Round = field(default_factory=_before_the_first_round)
    clock_start: int = 0
    """When the game began to wait for the next move, in milliseconds since 1970."""

    @property
    def has_wild(self) -> bool:
        """Whether ones are wild in this round; in a Palafico round they are not (PA-13)."""
        return self.table.has_wild and not self.round.palafico

    def cite(self, *clauses: str) -> None:
        """Add clauses to those that the report cites for this round. After a forfeit it cites only R10."""
        cited = self.round.clauses
        if "R10" not in cited:
            cited += [clause for clause in dict.fromkeys(clauses) if clause not in cited]

    def note_timeout(self, seat: int, waited: int) -> None:
        """Write into the report that the time of a seat was up."""
        self.report.timeouts.append(Timeout(self.events.event.version, self.round.number, seat, waited))
