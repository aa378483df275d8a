"""A game as a table: a row for every action of a player, with what the player saw and what the action led to.

`docs/reference/export.md` describes every column. A new one goes to the end, and none is renamed.

Many cells are the same in all rows of a game, of a round or of a seat. So the cells of a row come in groups that rows
share, and a format may write each group once.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, NewType

from msgspec import Struct, UnsetType

from domain.events import Hand
from domain.history.record import (
    Action,
    BidAction,
    ChallengeAction,
    ForfeitAction,
    ForfeitRecord,
    GameRecord,
    RollAction,
    RoundRecord,
    ShowAndRerollAction,
    TimeoutAction,
)
from domain.refusals import Malformed
from domain.rulebooks import Rules, rules_of
from domain.statistics.cups import Cups
from domain.statistics.facts import ONE
from domain.values import FACES, Bid

_NEVER_BEGUN = 0
"""The round number in the record of a forfeit before the first round."""

Moment = NewType("Moment", int)
"""Milliseconds since 1970."""
Group = tuple[Any, ...]


class Row(Struct, frozen=True):
    """An action of a player. A cell is None if it does not apply or nobody knows it."""

    game_id: str
    rulebook: str
    rulebook_version: int
    chips: bool
    wild_aces: bool
    raise_rule: str
    dice_each: int
    players: int
    result: str
    winner: int | None

    round: int
    palafico: bool
    opener: int | None
    dice_counts: Hand | None
    dice_in_play: int | None

    step: int

    seat: int
    player_id: str
    name: str
    kind: str
    place: int | None
    chips_end: int | None

    action: str
    dice_own: int | None
    dice_shown: Hand | None
    dice_hidden: Hand | None
    standing_seat: int | None
    standing_quantity: int | None
    standing_face: int | None
    quantity: int | None
    face: int | None
    actual: int | None
    bid_held: bool | None
    challenge_winner: int | None
    dice_lost: Hand | None
    showing: Hand | None
    rerolled: int | None
    became: Hand | None
    forfeit_reason: str | None

    forked_from: str | None
    forked_version: int | None
    created_at: Moment | None
    started_at: Moment | None
    ended_at: Moment | None

    at: Moment | None
    version: int | None
    bid_chance: float | None
    best_chance: float | None
    regret: float | None


COLUMNS = Row.__struct_fields__


class Cells(NamedTuple):
    """The cells of a row, in groups: one for each paragraph of `Row`."""

    game: Group
    round: Group
    step: int
    seat: Group
    acted: Group
    game_times: Group
    judged: Group

    @property
    def flat(self) -> Group:
        """All cells in the order of the columns."""
        return (*self.game, *self.round, self.step, *self.seat, *self.acted, *self.game_times, *self.judged)


class _Act(NamedTuple):
    seat: int
    round: Group
    acted: Group
    judged: Group


_NOT_PLAYED = (None,) * 5
"""The cells that a forfeit before the first round leaves empty after its kind, three times over."""


def rows_of(record: GameRecord) -> list[Row]:
    """The rows of a game, in the order of the actions."""
    return [Row(*cells.flat) for cells in cells_of(record)]


def cells_of(record: GameRecord) -> list[Cells]:
    """The same rows in groups of cells."""
    try:
        game, times = _game(record), _game_times(record)
        seats = [_seat(record, seat) for seat in range(len(record.seats))]
        rules = _rules(record)
        acts = [
            *_before_the_rounds(record),
            *(act for played in record.rounds for act in _Round(record, played, rules).acts()),
        ]
        return [
            Cells(game, act.round, step, seats[act.seat], act.acted, times, act.judged)
            for step, act in enumerate(acts, 1)
        ]
    except LookupError:
        # A record may come from outside and name any seat.
        raise Malformed(what="game record", problem="it names seats that are not there") from None


def _game(record: GameRecord) -> Group:
    ended = "running" if record.winner is None else "ended"
    options = record.options
    return (
        record.game_id,
        record.rulebook,
        record.rulebook_version,
        options.chips,
        options.wild_aces,
        options.raise_rule,
        options.dice_each,
        len(record.seats),
        ended if record.abandoned is None else "abandoned",
        record.winner,
    )


def _game_times(record: GameRecord) -> Group:
    return (
        record.forked_from or None,
        record.forked_version or None,
        _known(record.created_at),
        _known(record.started_at),
        _known(record.ended_at),
    )


def _known(value: int | UnsetType | None) -> int | None:
    return None if isinstance(value, UnsetType) else value


def _seat(record: GameRecord, seat: int) -> Group:
    sits = record.seats[seat]
    better = 0
    place = None
    for seats in record.places:
        place = better + 1 if seat in seats else place
        better += len(seats)
    chips_end = None if record.chips is None else record.chips[seat]
    return seat, sits.player_id, sits.name, sits.kind, place, chips_end


def _before_the_rounds(record: GameRecord) -> Iterator[_Act]:
    for gone in record.forfeits:
        if gone.round == _NEVER_BEGUN:
            acted = ("forfeit", *_NOT_PLAYED * 3, gone.reason)
            judged = (_known(gone.at), _known(gone.version), None, None, None)
            yield _Act(gone.seat, (gone.round, False, None, None, None), acted, judged)


class _Round:
    """One round, followed from action to action."""

    def __init__(self, record: GameRecord, played: RoundRecord, rules: Rules | None) -> None:
        self._played = played
        self._forfeits = {gone.seat: gone for gone in record.forfeits if gone.round == played.number}
        self._copied = 0 if isinstance(record.forked_version, UnsetType) else record.forked_version
        self._cups = None if rules is None else Cups(rules, played)
        self._actual = {} if rules is None else _actual(played, rules)
        self._standing: BidAction | None = None
        self._by_clock = False
        """Whether the next decision is one of the clock."""
        self._hidden: list[Hand | None] = list(played.dealt) if any(played.dealt) else [None] * len(record.seats)
        self._shown: list[Hand] = [()] * len(record.seats)
        if self._cups is not None:
            self._cups.fall(self._hidden)
        counts = played.dice_counts
        self._round = (played.number, played.palafico, played.opener, counts, sum(counts))

    def acts(self) -> Iterator[_Act]:
        """What was done, with the cells that differ from action to action."""
        for action in self._played.actions:
            acted = (*self._seen(action), *self._done(action))
            yield _Act(
                action.seat, self._round, acted, (_known(action.at), _known(action.version), *self._judged(action))
            )
            self._take(action)

    def _seen(self, action: Action) -> Group:
        """The kind of the action, and what the seat saw when it acted."""
        seat, standing = action.seat, self._standing
        hidden = None if isinstance(action, RollAction) else self._hidden[seat]
        return (
            action.__struct_config__.tag,
            self._played.dice_counts[seat],
            None if hidden is None else self._shown[seat],
            hidden,
            *((None, None, None) if standing is None else (standing.seat, standing.quantity, standing.face)),
        )

    def _done(self, action: Action) -> Group:
        """From the quantity to the reason of a forfeit."""
        match action:
            case BidAction(quantity=quantity, face=face):
                actual = self._actual.get(face)
                held = None if actual is None else actual >= quantity
                return quantity, face, actual, held, None, None, None, None, None, None
            case ShowAndRerollAction(shown=shown, rerolled=rerolled, hand=hand):
                return None, None, None, None, None, None, shown, rerolled, hand or None, None
            case ChallengeAction():
                return None, None, *self._resolved(), None, None, None, None
            case ForfeitAction(seat=seat):
                gone: ForfeitRecord | None = self._forfeits.get(seat)
                return *(None,) * 9, gone and gone.reason
            case _:
                return (None,) * 10

    def _resolved(self) -> Group:
        result = self._played.result
        if result is None:
            return None, None, None, None
        lost = {loss.seat: loss.lost for loss in result.penalties}
        every = tuple(lost.get(seat, 0) for seat in range(len(self._played.dice_counts)))
        return result.actual, result.winner != result.challenger, result.winner, every

    def _judged(self, action: Action) -> Group:
        """The chance of the bid as the seat saw it, the best chance that it had, and by how much it missed that.

        They are those of `domain/statistics`: what the clock does, and what a practice game copied, is nobody's decision.
        """
        cups = self._cups
        if cups is None or not isinstance(action, BidAction | ChallengeAction):
            return None, None, None
        copied = not isinstance(action.version, UnsetType) and action.version <= self._copied
        if self._by_clock or copied or cups.hidden[action.seat] is None:
            return None, None, None
        if isinstance(action, BidAction):
            chance = value = cups.chance_of(action.seat, Bid(action.quantity, action.face))
        elif cups.standing is None:
            return None, None, None
        else:
            chance = cups.chance_of(action.seat, cups.standing)
            value = ONE - chance
        best = cups.best_value(action.seat)
        return chance / ONE, best / ONE, (best - value) / ONE

    def _take(self, action: Action) -> None:
        match action:
            case BidAction():
                self._standing, self._by_clock = action, False
                if self._cups is not None:
                    self._cups.place(action)
            case ShowAndRerollAction(seat=seat, shown=shown, hand=hand):
                self._shown[seat] += shown
                self._hidden[seat] = hand or None
                if self._cups is not None:
                    self._cups.reroll(action)
            case TimeoutAction():
                self._by_clock = True
            case _:
                pass


def _rules(record: GameRecord) -> Rules | None:
    """The rules of the game; None if this program does not know the book."""
    try:
        return rules_of(record.rulebook, record.rulebook_version, record.options)
    except KeyError:
        return None


def _actual(played: RoundRecord, rules: Rules) -> dict[int, int]:
    """How many dice counted for each face once the cups were lifted; nothing if they never were."""
    dice = [die for hand in played.dice for die in hand]
    of_round = rules.of_round(palafico=played.palafico)
    return {face: sum(map(dice.count, of_round.counting_faces(face))) for face in FACES} if dice else {}
