"""Replaying a game: its events with the revealed secrets filled in, and the odds of the standing bid at every step.

When the cups are lifted, everybody sees the dice of every deal of the round. From then on the events of that round read
as if nothing had been hidden, and what a seat knew at any step is the view of that seat on the state there.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

from msgspec.structs import replace

from domain.events import (
    AnyEvent,
    BidPlaced,
    CupsLifted,
    DiceDealt,
    DiceRerolled,
    GameCreated,
    Hand,
    RevealedDeal,
    RoundEnded,
    RoundStarted,
)
from domain.evolve import fold
from domain.history.odds import chance_of_at_least
from domain.rulebooks import Rules, rules_of
from domain.state import NOTHING, State
from domain.values import Value
from domain.views import GameView, Viewer, view, view_of_all

_MARKS_APART = 128


class Odds(Value, frozen=True):
    """The chance that the standing bid holds."""

    seats: tuple[float | None, ...]
    """The chance from what each seat saw; None for a seat that has no dice or whose dice the reader does not know."""
    public: float
    """The chance from what everybody saw."""


class Step(Value, frozen=True):
    """An event of a replayed game, and the odds of the bid that stands after it, if one does."""

    version: int
    event: AnyEvent
    digest: bytes | None = None
    odds: Odds | None = None


class Replay(Value, frozen=True, dict=True):
    """A game step by step, as far as its reader may see it; step 0 is the empty table before the first event."""

    game_id: str
    events: tuple[AnyEvent, ...]
    digests: tuple[bytes | None, ...]
    odds: tuple[Odds | None, ...]

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Every event with its version, digest and odds."""
        parts = zip(self.events, self.digests, self.odds, strict=True)
        return tuple(Step(version, *part) for version, part in enumerate(parts, 1))

    def step(self, version: int) -> Step:
        """One of the steps, counted from 1."""
        index = version - 1
        return Step(version, self.events[index], self.digests[index], self.odds[index])

    def state_at(self, version: int) -> State:
        """The state after the step with this version. Once asked for, a late state costs no more than an early one."""
        marks, mark = self._marks, version // _MARKS_APART
        while len(marks) <= mark:
            start = (len(marks) - 1) * _MARKS_APART
            marks.append(fold(self.events[start : start + _MARKS_APART], marks[-1]))
        return fold(self.events[mark * _MARKS_APART : version], marks[mark])

    @cached_property
    def _marks(self) -> list[State]:
        """The states after every so many events, as far as somebody asked for them."""
        return [NOTHING]

    def view_at(self, version: int, viewer: Viewer) -> GameView | None:
        """What a seat, or a spectator, saw after a step; None before the first."""
        return view(self.state_at(version), viewer)

    def everything_at(self, version: int) -> GameView | None:
        """All dice that lay on the table after a step, as far as they have been revealed since."""
        return view_of_all(self.state_at(version))


def replay_of(game_id: str, events: tuple[AnyEvent, ...], digests: tuple[bytes | None, ...] = ()) -> Replay:
    """The replay of a game; the events should come from `revealed`."""
    return Replay(game_id, events, digests or (None,) * len(events), odds_of(events))


def revealed(events: Sequence[AnyEvent]) -> tuple[AnyEvent, ...]:
    """The events with their secrets filled in from the reveal of their round; a round without a reveal stays as it is."""
    deals: tuple[RevealedDeal, ...] = ()
    filled: list[AnyEvent] = []
    for event in reversed(events):
        if type(event) in _TOUCHING_DICE:
            match event:
                case CupsLifted(deals=deals):
                    pass
                case DiceRerolled() if deals:
                    deals, deal = deals[:-1], deals[-1]
                    event = replace(event, server_link=deal.server_link, hand=deal.hands[0])  # noqa: PLW2901 - it is filled in
                case DiceDealt() if deals:
                    event = replace(event, server_link=deals[0].server_link, hands=deals[0].hands)  # noqa: PLW2901 - as above
                    deals = ()
        filled.append(event)
    return tuple(reversed(filled))


_TOUCHING_DICE = frozenset((CupsLifted, DiceRerolled, DiceDealt))


def odds_of(events: Iterable[AnyEvent]) -> tuple[Odds | None, ...]:
    """The odds of the bid that stands after each of the events."""
    odds_after = _Cups().odds_after
    return tuple([odds_after(event) if type(event) in _TOUCHING_ODDS else None for event in events])


_TOUCHING_ODDS = frozenset((BidPlaced, DiceRerolled, DiceDealt, RoundStarted, CupsLifted, RoundEnded, GameCreated))
"""The events that change the dice or the standing bid, or end the bidding."""


class _Cups:
    """The dice and the standing bid of the running round."""

    def __init__(self) -> None:
        self._rules: Rules | None = None
        self._hidden: list[Hand | None] = []
        self._counts: list[int] = []
        self._shown: list[int] = []
        self._bid: BidPlaced | None = None

    def odds_after(self, event: AnyEvent) -> Odds | None:
        match event:
            case BidPlaced():
                self._bid = event
                return self._odds()
            case DiceRerolled(seat=seat, shown=shown, rerolled=rerolled, hand=hand):
                self._shown += shown
                self._counts[seat], self._hidden[seat] = rerolled, hand
                return self._odds()
            case DiceDealt(hands=hands):
                self._hidden = list(hands or [None] * len(self._counts))
            case RoundStarted(dice_counts=counts, palafico=palafico):
                self._counts, self._shown, self._palafico, self._bid = list(counts), [], palafico, None
                self._hidden = [None] * len(counts)
            case CupsLifted() | RoundEnded():
                self._bid = None
            case GameCreated(rulebook=rulebook, rulebook_version=version, options=options):
                self._rules = rules_of(rulebook, version, options)
            case _:
                pass
        return None

    def _odds(self) -> Odds | None:
        if self._bid is None or self._rules is None:
            return None
        faces = self._rules.of_round(palafico=self._palafico).counting_faces(self._bid.face)
        needed = self._bid.quantity - sum(map(self._shown.count, faces))
        dice, count = sum(self._counts), len(faces)
        seats = [
            _chance(needed - sum(map(hand.count, faces)), dice - own, count) if own and hand is not None else None
            for own, hand in zip(self._counts, self._hidden, strict=True)
        ]
        return Odds(tuple(seats), _chance(needed, dice, count))


@lru_cache(maxsize=65_536)
def _chance(needed: int, dice: int, faces: int) -> float:
    return float(chance_of_at_least(needed, dice, faces))
