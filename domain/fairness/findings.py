"""What a check of a game's dice has found, and the report that collects it."""

from collections import Counter
from typing import Literal

from domain.values import Value

Party = int | Literal["server"]
"""A seat, or the server, which is also responsible for the list of events as a whole."""
Proof = Literal["links", "server_links", "deals", "dice"]


class Failure(Value, frozen=True):
    """Something that is wrong, found at the event with this index."""

    index: int
    party: Party
    sentence: str


class Unrevealed(Value, frozen=True):
    """A deal of the running round, made by the event with this index; the server's link for it is still secret."""

    index: int
    round: int
    reroll_of: int | None


class Findings(Value, frozen=True, kw_only=True):
    """What the events of a game prove about its dice."""

    links: int
    """How many players' links are the ones that the game asked for, from the right chains."""
    server_links: int
    deals: int
    """Opening rolls, draws of the opener, deals and rerolls that follow from the links."""
    dice: int
    unrevealed: tuple[Unrevealed, ...]
    held_by_server: tuple[int, ...]
    """The seats whose chains the server holds: the server knew their links in advance."""
    failures: tuple[Failure, ...]

    @property
    def holds(self) -> bool:
        """Whether the check found nothing wrong."""
        return not self.failures


class Report:
    """What has been found so far, and at which event the check is."""

    def __init__(self) -> None:
        self.index = 0
        self.failures: list[Failure] = []
        self.proven: Counter[Proof] = Counter()

    def expect(self, holds: bool, sentence: str, party: Party = "server") -> bool:  # noqa: FBT001 - reads as a claim
        """Note a failure unless the claim holds; returns whether it does."""
        if not holds:
            self.fail(sentence, party)
        return holds

    def fail(self, sentence: str, party: Party = "server") -> None:
        """Note a failure."""
        self.failures.append(Failure(self.index, party, sentence))

    def prove(self, what: Proof, count: int = 1) -> None:
        """Count something as proven. After a failure nothing counts as proven any more."""
        self.proven[what] += 0 if self.failures else count

    def findings(self, unrevealed: tuple[Unrevealed, ...], held_by_server: tuple[int, ...]) -> Findings:
        """All findings so far."""
        return Findings(
            links=self.proven["links"],
            server_links=self.proven["server_links"],
            deals=self.proven["deals"],
            dice=self.proven["dice"],
            unrevealed=unrevealed,
            held_by_server=held_by_server,
            failures=tuple(self.failures),
        )
