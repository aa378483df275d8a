"""What a record says about each decision, seat and round of a game, worked out from the documents alone.

Nothing here comes from the program that is checked: it reads a line of docs/reference/record.md, and follows
docs/reference/rules.md and docs/reference/statistics.md. Chances are whole billionths.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb
from typing import Any

ONE = 1_000_000_000
DAY_SECONDS = 86_400
QUANTITY_MAX = 1_000
WILD_BOOKS = ("bidding-track", "prediction-track", "pirates", "palafico")
TRACKS = ("bidding-track", "prediction-track")
BOT = "bot."


@dataclass(frozen=True)
class Bid:
    """So many dice of a face."""

    quantity: int
    face: int


@dataclass
class Decision:
    """A bid or a challenge that a player made in turn."""

    game: "Game"
    version: int
    seat: int
    round: int
    at: int
    action: str
    bid: Bid | None
    standing: Bid | None
    hidden: tuple[int, ...]
    shown: tuple[int, ...]
    dice_left: int
    players_left: int
    opened: bool
    chance: int
    standing_chance: int | None
    best_chance: int
    best_bid: Bid | None
    bluff: bool
    milliseconds: int
    challenged_by: int | None = None
    challenged_by_clock: bool = False
    challenged: int | None = None
    final_chance: int | None = None
    won: bool | None = None
    exact: bool = False

    @property
    def regret(self) -> int:
        """By how much the best decision was better."""
        return self.best_chance - self.chance

    @property
    def phase(self) -> str:
        """How far the game was, by the share of its dice that was left."""
        whole = sum(self.game.record["rounds"][0]["dice_counts"])
        return "early" if 3 * self.dice_left > 2 * whole else "middle" if 3 * self.dice_left > whole else "late"


@dataclass
class Seat:
    """What a game says about one seat as a whole."""

    player_id: str
    name: str
    kind: str
    rounds: int = 0
    forfeits: int = 0
    clock_moves: int = 0
    gains: list[int] = field(default_factory=list)
    hands: list[tuple[int, int]] = field(default_factory=list)
    """The strength of each hand, and of how many dice it was; a negative number of dice stands for dice without wilds."""


@dataclass
class Game:
    """A game with all that its record says."""

    record: dict[str, Any]
    game_id: str
    rulebook: str
    played: str
    ended_at: int
    seats: list[Seat]
    places: dict[int, int]
    decisions: list[Decision] = field(default_factory=list)
    challenges: list[tuple[int, int, bool]] = field(default_factory=list)
    """The challenges that players made themselves: who challenged whose bid, and whether the challenger won."""
    doubts: list[tuple[int, int, bool]] = field(default_factory=list)
    """The bids that players made themselves and that were challenged: whose bid, by whom, and whether it held."""
    rounds: int = 0
    moves: int = 0
    milliseconds: int = 0
    opener: int | None = None
    opener_rounds: list[tuple[bool, int]] = field(default_factory=list)
    """For each challenge whether the opener won it, and how many players had dice."""


def games_of(lines: Sequence[str]) -> list[Game]:
    """The games of an export that count, in its order."""
    records = [json.loads(line) for line in lines]
    return [game_of(record) for record in records if record["started_at"] is not None]


def game_of(record: dict[str, Any]) -> Game:
    """A game that began and is over."""
    forked = "forked_from" in record
    places: dict[int, int] = {}
    for tied in record["places"]:
        place = len(places) + 1
        places.update(dict.fromkeys(tied, place))
    game = Game(
        record=record,
        game_id=record["game_id"],
        rulebook=record["rulebook"],
        played="practice" if forked else "abandoned" if record["winner"] is None else "ended",
        ended_at=record["ended_at"],
        seats=[Seat(*_player(seat)) for seat in record["seats"]],
        places=places,
    )
    begins = record["forked_version"] if forked else 0
    for forfeit in record["forfeits"]:
        if forfeit["version"] > begins:
            game.seats[forfeit["seat"]].forfeits += 1
            if forfeit["round"] == 0 and forfeit["reason"] == "time":
                game.seats[forfeit["seat"]].clock_moves += 1
    for one in record["rounds"]:
        _Round(game, one, begins).read()
    game.milliseconds = record["ended_at"] - (_first_after(record, begins) if forked else record["started_at"])
    if record["rounds"]:
        game.opener = record["rounds"][0]["opener"]
    return game


def _first_after(record: dict[str, Any], version: int) -> int:
    """When the first action of a round was done after a version; the end of the game if there was none."""
    done = (one for played in record["rounds"] for one in played["actions"])
    ended_at: int = record["ended_at"]
    return min((one["at"] for one in done if one["version"] > version), default=ended_at)


def _player(seat: dict[str, Any]) -> tuple[str, str, str]:
    """The bots of the server with one strategy are one player."""
    player_id = seat["player_id"]
    if player_id.startswith(BOT) and seat["kind"] == "bot":
        strategy = player_id.split(".")[1]
        return BOT + strategy, strategy, "bot"
    return player_id, seat["name"], seat["kind"]


class _Round:
    """A round that is read action by action."""

    def __init__(self, game: Game, record: dict[str, Any], begins: int) -> None:
        self.game, self.record, self.begins = game, record, begins
        self.counts: list[int] = record["dice_counts"]
        self.wild = game.rulebook in WILD_BOOKS and not record["palafico"]
        if game.rulebook == "single-hand":
            self.wild = game.record["options"]["wild_aces"]
        self.hidden = [tuple(dice) for dice in record["dealt"]]
        self.shown: list[tuple[int, ...]] = [()] * len(self.counts)
        self.standing: Bid | None = None
        self.bidder = -1
        self.own_bid: Decision | None = None
        """The decision behind the standing bid; none if the clock made it."""
        self.since = 0
        self.by_clock = False

    def read(self) -> None:
        """Count what happened."""
        actions = self.record["actions"]
        counts_at_all = self._was_closed() or actions[-1]["version"] > self.begins
        if counts_at_all:
            self.game.rounds += 1
            for seat, dice in enumerate(self.counts):
                self.game.seats[seat].rounds += dice > 0
        rolls = [one for one in actions if one["type"] == "roll"]
        if any(self.hidden):
            self.since = rolls[-1]["at"]
            if rolls[-1]["version"] > self.begins:
                self._count_hands()
        for action in actions:
            self._take(action)
        result = self.record["result"]
        if result is not None and counts_at_all:
            opener = self.record["opener"]
            self.game.opener_rounds.append((result["winner"] == opener, sum(dice > 0 for dice in self.counts)))

    def _was_closed(self) -> bool:
        """Whether it ended only because the game was abandoned, which nobody at the table did."""
        game = self.game.record
        return game["abandoned"] is not None and self.record is game["rounds"][-1]

    def _take(self, action: dict[str, Any]) -> None:
        seat, counts = action["seat"], action["version"] > self.begins
        match action["type"]:
            case "timeout":
                self.by_clock = True
                self.game.seats[seat].clock_moves += counts
                return
            case "bid":
                self._bid(action, counts=counts)
            case "show_and_reroll":
                before = self._chance(seat, self._standing())
                self.shown[seat] += tuple(action["shown"])
                self.hidden[seat] = tuple(action["hand"])
                if counts:
                    self.game.seats[seat].gains.append(self._chance(seat, self._standing()) - before)
            case "challenge":
                self._challenge(action, counts=counts)
            case _:
                pass
        self.by_clock = False

    def _bid(self, action: dict[str, Any], *, counts: bool) -> None:
        seat, bid = action["seat"], Bid(action["quantity"], action["face"])
        self.own_bid = None
        self.game.moves += counts
        if counts and not self.by_clock:
            own = (*self.hidden[seat], *self.shown[seat])
            bluff = not any(self._counts(die, bid.face) for die in own)
            self.own_bid = self._decided(action, "bid", bid, self._chance(seat, bid), bluff=bluff)
        self.standing, self.bidder, self.since = bid, seat, action["at"]

    def _challenge(self, action: dict[str, Any], *, counts: bool) -> None:
        seat, result = action["seat"], self.record["result"]
        if not counts:
            return
        self.game.moves += 1
        bid = self._standing()
        held, exact = result["actual"] >= bid.quantity, result["actual"] == bid.quantity
        if self.own_bid is not None:
            made = self.own_bid
            made.challenged_by, made.challenged_by_clock = seat, self.by_clock
            made.final_chance, made.won, made.exact = self._chance(self.bidder, bid), held, exact
            self.game.doubts.append((self.bidder, seat, held))
        if not self.by_clock:
            made = self._decided(action, "challenge", None, ONE - self._chance(seat, bid), bluff=False)
            made.challenged, made.final_chance = self.bidder, made.chance
            made.won = not held
            self.game.challenges.append((seat, self.bidder, not held))

    def _decided(self, action: dict[str, Any], kind: str, bid: Bid | None, chance: int, *, bluff: bool) -> Decision:
        seat = action["seat"]
        standing_chance = None if self.standing is None else self._chance(seat, self.standing)
        best_chance, best_bid = -1, None
        for one in self._lowest_bids():
            value = self._chance(seat, one)
            if value > best_chance:
                best_chance, best_bid = value, one
        if standing_chance is not None and ONE - standing_chance > best_chance:
            best_chance, best_bid = ONE - standing_chance, None
        made = Decision(
            game=self.game,
            version=action["version"],
            seat=seat,
            round=self.record["number"],
            at=action["at"],
            action=kind,
            bid=bid,
            standing=self.standing,
            hidden=self.hidden[seat],
            shown=self.shown[seat],
            dice_left=sum(self.counts),
            players_left=sum(dice > 0 for dice in self.counts),
            opened=self.record["opener"] == seat,
            chance=chance,
            standing_chance=standing_chance,
            best_chance=best_chance,
            best_bid=best_bid,
            bluff=bluff,
            milliseconds=min(max(action["at"] - self.since, 0), DAY_SECONDS * 1_000),
        )
        self.game.decisions.append(made)
        return made

    def _standing(self) -> Bid:
        assert self.standing is not None, "a challenge or a reroll follows a bid"
        return self.standing

    def _counts(self, die: int, face: int) -> bool:
        return die == face or (die == 1 and self.wild)

    def _chance(self, seat: int, bid: Bid) -> int:
        """The chance that a bid holds, as a seat sees it."""
        known = [*self.hidden[seat], *(die for shown in self.shown for die in shown)]
        needed = bid.quantity - sum(self._counts(die, bid.face) for die in known)
        unknown = sum(len(hidden) for other, hidden in enumerate(self.hidden) if other != seat)
        return chance_of(needed, unknown, 2 if self.wild and bid.face != 1 else 1)

    def _lowest_bids(self) -> Iterator[Bid]:
        """The lowest legal bid on each face."""
        for face in range(1, 7):
            quantity = self._lowest(face)
            if quantity is not None and quantity <= QUANTITY_MAX:
                yield Bid(quantity, face)

    def _lowest(self, face: int) -> int | None:
        book, standing = self.game.rulebook, self.standing
        if book == "pirates" and face == 1:
            return None  # PI-6
        if standing is None:
            return None if book == "palafico" and face == 1 and not self.record["palafico"] else 1  # PA-5
        if book in TRACKS:
            return _next_on_track(standing, face)
        if self.record["palafico"]:
            return standing.quantity + 1 if face == standing.face else None  # PA-14
        if book == "single-hand":
            match self.game.record["options"]["raise_rule"]:
                case "same_face_or_higher_face":  # SH-9
                    if face < standing.face:
                        return None
                    return 1 if face > standing.face else standing.quantity + 1
                case "beat_the_higher_number":  # SH-11
                    higher = max(standing.quantity, standing.face)
                    return 1 if face > higher else higher + 1
                case _:
                    pass
        return standing.quantity + (face <= standing.face)

    def _count_hands(self) -> None:
        for seat, hand in enumerate(self.hidden):
            if hand:
                strength = max(sum(self._counts(die, face) for die in hand) for face in range(1, 7))
                self.game.seats[seat].hands.append((strength, len(hand) if self.wild else -len(hand)))


def _next_on_track(standing: Bid, face: int) -> int:
    """Number n stands at 2n, and wild space k between the numbers 2k - 1 and 2k (R6), at 4k - 1."""
    if standing.face == 1:
        return standing.quantity + 1 if face == 1 else 2 * standing.quantity
    if face == 1:
        return (2 * standing.quantity + 1) // 4 + 1
    return standing.quantity + (face <= standing.face)


@cache
def chance_of(needed: int, unknown: int, faces: int) -> int:
    """The chance that of so many unknown dice at least `needed` show one of so many faces, to the nearest billionth."""
    if needed <= 0:
        return ONE
    ways = sum(
        comb(unknown, count) * faces**count * (6 - faces) ** (unknown - count) for count in range(needed, unknown + 1)
    )
    return round(Fraction(ways * ONE, 6**unknown))


@cache
def strength_of(dice: int) -> tuple[Fraction, Fraction]:
    """The mean strength of so many dice and its variance; a negative number of dice stands for dice without wilds."""
    wild, count = dice > 0, abs(dice)
    total = squares = Fraction(0)
    # By how many dice show each face: few enough to go through, each as often as dice can fall so.
    for falls in product(range(count + 1), repeat=6):
        if sum(falls) != count:
            continue
        ways, rest = 1, count
        for fallen in falls:
            ways *= comb(rest, fallen)
            rest -= fallen
        strength = max(falls[0], *(other + (falls[0] if wild else 0) for other in falls[1:]))
        total += ways * strength
        squares += ways * strength**2
    mean = total / 6**count
    return mean, squares / 6**count - mean**2
