"""A game as a table: a row for every action of a player, with what the player saw and what the action led to.

`docs/reference/export.md` describes every column. A new one goes to the end, and none is renamed.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

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
)
from domain.refusals import Malformed
from domain.rulebooks import rules_of
from domain.rulebooks.rulebook import RoundRules
from domain.values import PlacedBid

_NEVER_BEGUN = 0
"""The round number in the record of a forfeit before the first round."""


class Row(Struct, frozen=True, kw_only=True):
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
    palafico: bool = False
    opener: int | None = None
    dice_counts: Hand | None = None
    dice_in_play: int | None = None
    step: int
    seat: int
    player_id: str
    name: str
    kind: str
    place: int | None
    chips_end: int | None
    action: str
    dice_own: int | None = None
    dice_shown: Hand | None = None
    dice_hidden: Hand | None = None
    standing_seat: int | None = None
    standing_quantity: int | None = None
    standing_face: int | None = None
    quantity: int | None = None
    face: int | None = None
    actual: int | None = None
    bid_held: bool | None = None
    challenge_winner: int | None = None
    dice_lost: Hand | None = None
    showing: Hand | None = None
    rerolled: int | None = None
    became: Hand | None = None
    forfeit_reason: str | None = None
    forked_from: str | None
    forked_version: int | None


COLUMNS = Row.__struct_fields__


def rows_of(record: GameRecord) -> list[Row]:
    """The rows of a game, in the order of the actions."""
    try:
        game, seats = _game(record), [_seat(record, seat) for seat in range(len(record.seats))]
        cells = [
            *_before_the_rounds(record),
            *(row for played in record.rounds for row in _Round(record, played).rows()),
        ]
        return [Row(**game, step=step, **seats[one["seat"]], **one) for step, one in enumerate(cells, 1)]
    except LookupError:
        # A record may come from outside and name any seat.
        raise Malformed(what="game record", problem="it names seats that are not there") from None


def _game(record: GameRecord) -> dict[str, Any]:
    """The cells that are the same in all rows of a game."""
    ended = "running" if record.winner is None else "ended"
    return {
        "game_id": record.game_id,
        "rulebook": record.rulebook,
        "rulebook_version": record.rulebook_version,
        "chips": record.options.chips,
        "wild_aces": record.options.wild_aces,
        "raise_rule": record.options.raise_rule,
        "dice_each": record.options.dice_each,
        "players": len(record.seats),
        "result": ended if record.abandoned is None else "abandoned",
        "winner": record.winner,
        "forked_from": record.forked_from or None,
        "forked_version": record.forked_version or None,
    }


def _seat(record: GameRecord, seat: int) -> dict[str, Any]:
    """The cells that are the same in all rows of a seat."""
    sits = record.seats[seat]
    better = 0
    place = None
    for seats in record.places:
        place = better + 1 if seat in seats else place
        better += len(seats)
    chips_end = None if record.chips is None else record.chips[seat]
    return {"player_id": sits.player_id, "name": sits.name, "kind": sits.kind, "place": place, "chips_end": chips_end}


def _before_the_rounds(record: GameRecord) -> Iterator[dict[str, Any]]:
    for gone in record.forfeits:
        if gone.round == _NEVER_BEGUN:
            yield {"round": gone.round, "seat": gone.seat, "action": "forfeit", "forfeit_reason": gone.reason}


class _Round:
    """One round, followed from action to action."""

    def __init__(self, record: GameRecord, played: RoundRecord) -> None:
        self._played = played
        self._forfeits = {gone.seat: gone for gone in record.forfeits if gone.round == played.number}
        self._rules = _rules(record, played)
        self._standing: PlacedBid | None = None
        self._hidden: list[Hand | None] = list(played.dealt) if any(played.dealt) else [None] * len(record.seats)
        self._shown: list[Hand] = [()] * len(record.seats)
        self._round = {
            "round": played.number,
            "palafico": played.palafico,
            "opener": played.opener,
            "dice_counts": played.dice_counts,
            "dice_in_play": sum(played.dice_counts),
        }

    def rows(self) -> Iterator[dict[str, Any]]:
        """The cells of each action that differ from action to action."""
        for action in self._played.actions:
            yield {**self._round, **self._seen(action), **self._done(action)}
            self._take(action)

    def _seen(self, action: Action) -> dict[str, Any]:
        """The cells about what the seat saw when it acted."""
        fallen = not isinstance(action, RollAction) and self._hidden[action.seat] is not None
        standing = self._standing
        return {
            "seat": action.seat,
            "action": str(action.__struct_config__.tag),
            "dice_own": self._played.dice_counts[action.seat],
            "dice_shown": self._shown[action.seat] if fallen else None,
            "dice_hidden": self._hidden[action.seat] if fallen else None,
            "standing_seat": standing and standing.seat,
            "standing_quantity": standing and standing.quantity,
            "standing_face": standing and standing.face,
        }

    def _done(self, action: Action) -> dict[str, Any]:
        match action:
            case BidAction(quantity=quantity, face=face):
                actual = self._actual(face)
                held = None if actual is None else actual >= quantity
                return {"quantity": quantity, "face": face, "actual": actual, "bid_held": held}
            case ShowAndRerollAction(shown=shown, rerolled=rerolled, hand=hand):
                return {"showing": shown, "rerolled": rerolled, "became": hand or None}
            case ChallengeAction():
                return self._resolved()
            case ForfeitAction(seat=seat):
                gone: ForfeitRecord | None = self._forfeits.get(seat)
                return {"forfeit_reason": gone and gone.reason}
            case _:
                return {}

    def _resolved(self) -> dict[str, Any]:
        result = self._played.result
        if result is None:
            return {}
        lost = {loss.seat: loss.lost for loss in result.penalties}
        return {
            "actual": result.actual,
            "bid_held": result.winner != result.challenger,
            "challenge_winner": result.winner,
            "dice_lost": tuple(lost.get(seat, 0) for seat in range(len(self._played.dice_counts))),
        }

    def _actual(self, face: int) -> int | None:
        """How many dice counted for a face once the cups were lifted."""
        if self._rules is None or not any(self._played.dice):
            return None
        counting = self._rules.counting_faces(face)
        return sum(die in counting for hand in self._played.dice for die in hand)

    def _take(self, action: Action) -> None:
        match action:
            case BidAction(seat=seat, quantity=quantity, face=face):
                self._standing = PlacedBid(seat, quantity, face)
            case ShowAndRerollAction(seat=seat, shown=shown, hand=hand):
                self._shown[seat] += shown
                self._hidden[seat] = hand or None
            case _:
                pass


def _rules(record: GameRecord, played: RoundRecord) -> RoundRules | None:
    """The rules of a round; None if this program does not know the book."""
    try:
        return rules_of(record.rulebook, record.rulebook_version, record.options).of_round(palafico=played.palafico)
    except KeyError:
        return None
