"""Counting a game in one pass over its events, with the revealed secrets filled in: decisions, and the facts of each seat.

What the clock does for a player is not that player's decision: it counts as a move of the clock and as nothing else.
What a practice game copied from the past of another game does not count at all.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from domain.events import (
    AnyEvent,
    BidChallenged,
    BidPlaced,
    ChallengeResolved,
    CupsLifted,
    DiceDealt,
    DiceLost,
    DiceRerolled,
    GameCreated,
    PlayerForfeited,
    PlayerJoined,
    PlayerLeft,
    PlayersEliminated,
    RollCalled,
    Rolled,
    RoundEnded,
    RoundStarted,
    TurnTimedOut,
)
from domain.rulebooks import Rules, rules_of
from domain.statistics.cups import Cups
from domain.statistics.decisions import Best, Decision, Phase, phase_of
from domain.statistics.facts import ONE, TIME_MAX, SeatFacts
from domain.statistics.tally import Tally
from domain.values import Bid

_UNCOUNTED = frozenset((Rolled, RollCalled, CupsLifted, DiceLost, PlayersEliminated))


class Counted(NamedTuple):
    """The facts of each seat of a game, and all decisions in their order."""

    facts: tuple[SeatFacts, ...]
    decisions: tuple[Decision, ...]


def counted(events: Sequence[AnyEvent], copied: int = 0) -> Counted:
    """Count a game; the first `copied` events of a practice game are copies and don't count."""
    counting = _Counting()
    for version, event in enumerate(events, 1):
        counting.counts = version > copied
        counting.take(version, event)
    return counting.result()


def facts_of(events: Sequence[AnyEvent], copied: int = 0) -> tuple[SeatFacts, ...]:
    """The facts of each seat."""
    return counted(events, copied).facts


def decisions_of(events: Sequence[AnyEvent], copied: int = 0) -> tuple[Decision, ...]:
    """The decisions of all seats, in their order."""
    return counted(events, copied).decisions


def places_of(places: Sequence[Sequence[int]]) -> dict[int, int]:
    """The place of each seat, from 1 on; seats that share several places all get the best of them."""
    found: dict[int, int] = {}
    for seats in places:
        found |= dict.fromkeys(seats, len(found) + 1)
    return found


class _Round(NamedTuple):
    """What holds for all decisions of a round."""

    number: int
    opener: int
    dice_counts: tuple[int, ...]
    dice: int
    players: int
    phase: Phase


class _Move(NamedTuple):
    """A move of a player: its event and the number of it, the bid that stood before, and how long the player took."""

    version: int
    event: BidPlaced | BidChallenged
    standing: Bid | None
    took: int


class _Counting:
    """The game so far."""

    def __init__(self) -> None:
        self.counts = False
        self._seats = 0
        self._dice_first = 0
        """How many dice the game began with."""
        self._rules: Rules | None = None
        self._cups: Cups | None = None
        self._round: _Round | None = None
        self._tallies: defaultdict[int, Tally] = defaultdict(Tally)
        self._decisions: list[Decision] = []
        self._turn_at = 0
        self._clock = False
        """Whether the next move is made by the clock."""
        self._bid_index: int | None = None
        """The decision that made the standing bid; None if it counts for nobody."""
        self._challenge_index: int | None = None
        """The decision that challenged it."""

    def result(self) -> Counted:
        """What was counted. The facts of decisions follow from the decisions and from nothing else."""
        for decision in self._decisions:
            self._tallies[decision.seat].decide(decision)
        facts = tuple(self._tallies[seat].facts(self._seats) for seat in range(self._seats))
        return Counted(facts, tuple(self._decisions))

    def take(self, version: int, event: AnyEvent) -> None:
        if type(event) in _UNCOUNTED:
            return  # Most events are of these kinds, and trying the cases below for them takes time.
        match event:
            case BidPlaced():
                self._bid(version, event)
            case DiceRerolled():
                self._reroll(event)
            case BidChallenged():
                self._challenge(version, event)
            case ChallengeResolved():
                self._resolve(event)
            case DiceDealt():
                self._deal(event)
            case RoundStarted():
                self._begin_round(event)
            case RoundEnded():
                self._end_round()
            case TurnTimedOut(seat=seat):
                self._clock = True
                self._count(seat, "clock_moves")
            case PlayerForfeited(seat=seat):
                self._clock = False
                self._count(seat, "forfeits")
            case PlayerJoined():
                self._seats += 1
            case PlayerLeft():
                self._seats -= 1
            case GameCreated(rulebook=rulebook, rulebook_version=version_of_book, options=options):
                self._rules = rules_of(rulebook, version_of_book, options)
            case _:
                pass

    def _count(self, seat: int, name: str) -> None:
        if self.counts:
            self._tallies[seat].sums[name] += 1

    def _begin_round(self, event: RoundStarted) -> None:
        assert self._rules is not None, "a game begins with its creation"
        self._cups = Cups(self._rules, event)
        dice, players = sum(event.dice_counts), sum(map(bool, event.dice_counts))
        self._dice_first = self._dice_first or dice
        phase = phase_of(dice, self._dice_first)
        self._round = _Round(event.number, event.opener, event.dice_counts, dice, players, phase)

    def _end_round(self) -> None:
        # Not when it begins: a player of a practice game plays on in the round in which it was forked.
        assert self._round is not None, "a round is being played"
        for seat, own in enumerate(self._round.dice_counts):
            if own:
                self._count(seat, "rounds")

    def _deal(self, event: DiceDealt) -> None:
        cups = self._cups_now()
        cups.deal(event)
        self._turn_at = event.at
        for seat, hand in enumerate(event.hands or ()):
            if hand and self.counts:
                expected, sums = cups.reckoning.expected_strength(len(hand)), self._tallies[seat].sums
                sums["hands"] += 1
                sums["strength"] += cups.reckoning.strength(hand)
                sums["strength_expected"] += expected.mean
                sums["strength_variance"] += expected.variance

    def _bid(self, version: int, event: BidPlaced) -> None:
        cups, seat = self._cups_now(), event.seat
        took, self._bid_index = self._took(event.seat, event.at), None
        standing, best = cups.standing, None if took is None else cups.best(seat)
        bid = cups.place(event)
        if took is None or best is None:
            return
        self._bid_index = len(self._decisions)
        # A reroll changes the dice, not what was known when the bid was made.
        bluff = not cups.supports(seat, event.face)
        move = _Move(version, event, standing, took)
        self._decide(move, bid, cups.chance_of(seat, bid), best, bluff=bluff)

    def _challenge(self, version: int, event: BidChallenged) -> None:
        cups, seat, standing = self._cups_now(), event.seat, event.bid.bid
        took, self._challenge_index = self._took(seat, event.at), None
        if took is not None:
            self._challenge_index = len(self._decisions)
            chance = ONE - cups.chance_of(seat, standing)
            self._decide(_Move(version, event, standing, took), None, chance, cups.best(seat), bluff=False)

    def _decide(self, move: "_Move", bid: Bid | None, chance: int, best: Best, *, bluff: bool) -> None:
        version, event, standing, took = move
        cups, round_, seat = self._cups_now(), self._round, event.seat
        assert round_ is not None, "a round is being played"
        self._decisions.append(
            Decision(
                version=version,
                at=event.at,
                round=round_.number,
                seat=seat,
                action="challenge" if bid is None else "bid",
                bid=bid,
                standing=standing,
                hidden=cups.hidden[seat] or (),
                shown=cups.shown_by(seat),
                own_dice=round_.dice_counts[seat],
                dice_left=round_.dice,
                players_left=round_.players,
                opened=seat == round_.opener,
                phase=round_.phase,
                chance=chance,
                standing_chance=None if standing is None else cups.chance_of(seat, standing),
                best_chance=best.chance,
                best_bid=best.bid,
                regret=best.chance - chance,
                bluff=bluff,
                took=took,
            )
        )

    def _reroll(self, event: DiceRerolled) -> None:
        cups = self._cups_now()
        assert cups.standing is not None, "dice are shown after a bid"
        before = cups.chance_of(event.seat, cups.standing)
        cups.reroll(event)
        if self.counts and event.hand is not None:
            tally = self._tallies[event.seat]
            tally.sums["rerolls"] += 1
            tally.add("gain", cups.chance_of(event.seat, cups.standing) - before)

    def _resolve(self, event: ChallengeResolved) -> None:
        cups, bid, made = self._cups_now(), event.bid, self._decisions
        held = event.winner == bid.seat
        if self._challenge_index is not None:
            challenge = made[self._challenge_index]
            made[self._challenge_index] = replace(
                challenge, final_chance=challenge.chance, won=not held, challenged=bid.seat
            )
        if self._bid_index is not None:
            made[self._bid_index] = replace(
                made[self._bid_index],
                challenged_by=event.challenger,
                challenged_by_clock=self._challenge_index is None,
                final_chance=cups.chance_of(bid.seat, bid.bid),
                won=held,
                exact=event.actual == bid.quantity,
            )

    def _took(self, seat: int, at: int) -> int | None:
        """How long a move took; None if the clock made it, or if it does not count."""
        took, self._turn_at = min(max(at - self._turn_at, 0), TIME_MAX), at
        by_clock, self._clock = self._clock, False
        return None if by_clock or not self.counts or self._cups_now().hidden[seat] is None else took

    def _cups_now(self) -> Cups:
        assert self._cups is not None, "a round is being played"
        return self._cups
