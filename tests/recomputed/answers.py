"""The answers of docs/reference/statistics.md, added up from games that were read from an export."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from math import exp, sqrt
from typing import Any

from tests.recomputed.game import DAY_SECONDS, ONE, Decision, Game, Seat, strength_of

Z = 1.959963984540054
"""Nineteen of twenty results of chance are less than so many standard deviations away."""
DAY = DAY_SECONDS * 1_000


@dataclass(frozen=True)
class Asked:
    """A choice of games."""

    rulebook: str | None = None
    since: int | None = None
    until: int | None = None
    played: str = "ended"

    def has(self, game: Game, *, of_any_kind: bool = False) -> bool:
        """Whether a game belongs to it."""
        return (
            self.rulebook in (None, game.rulebook)
            and (self.since is None or self.since <= game.ended_at)
            and (self.until is None or game.ended_at < self.until)
            and (of_any_kind or game.played == self.played)
        )

    @property
    def repeated(self) -> dict[str, Any]:
        """What an answer repeats of it."""
        return {"rulebook": self.rulebook, "since": self.since, "until": self.until, "played": self.played}


Answer = dict[str, Any]


def rate(count: int, out_of: int) -> Answer:
    """A rate with its Wilson interval."""
    if not out_of:
        return {"count": count, "out_of": 0, "rate": None, "low": None, "high": None}
    share, square = count / out_of, Z * Z
    middle, width = share + square / (2 * out_of), Z * sqrt(share * (1 - share) / out_of + square / (4 * out_of**2))
    whole = 1 + square / out_of
    low, high = max(0.0, (middle - width) / whole), min(1.0, (middle + width) / whole)
    return {"count": count, "out_of": out_of, "rate": share, "low": low, "high": high}


def mean(numbers: Sequence[float], least: float | None = 0.0, most: float | None = 1.0) -> Answer:
    """A mean with its interval, which ends where the numbers do."""
    if not numbers:
        return {"count": 0, "mean": None, "low": None, "high": None}
    middle, low, high = sum(numbers) / len(numbers), None, None
    if len(numbers) > 1:
        variance = sum((one - middle) ** 2 for one in numbers) / (len(numbers) - 1)
        width = Z * sqrt(variance / len(numbers))
        low = middle - width if least is None else max(least, middle - width)
        high = middle + width if most is None else min(most, middle + width)
    return {"count": len(numbers), "mean": middle, "low": low, "high": high}


def expectation(count: int, expected: float, actual: int, variance: float) -> Answer:
    """What chance promised, beside what came."""
    width = Z * sqrt(variance)
    low, high = max(0.0, expected - width), expected + width
    return {"count": count, "expected": expected, "actual": actual, "low": low, "high": high}


def share(billionths: int) -> float:
    """A chance as answers have it."""
    return billionths / ONE


class Own:
    """The games of a player, seat by seat."""

    def __init__(self, seats: Sequence[tuple[Game, int]], decisions: Sequence[Decision]) -> None:
        self.seats, self.decisions = seats, decisions
        self.bids = [one for one in decisions if one.action == "bid"]
        self.challenges = [one for one in decisions if one.action == "challenge"]
        self.doubted = [one for one in self.bids if one.won is not None]

    @classmethod
    def of(cls, player_id: str, games: Iterable[Game]) -> "Own":
        """Everything of a player."""
        seats = [(game, seat) for game in games for seat, sits in enumerate(game.seats) if sits.player_id == player_id]
        return cls(seats, [one for game, seat in seats for one in game.decisions if one.seat == seat])

    @property
    def sits(self) -> list[Seat]:
        """Its seats."""
        return [game.seats[seat] for game, seat in self.seats]

    def wins(self) -> Answer:
        """Games won, of those that have a winner."""
        placed = [game.places[seat] for game, seat in self.seats if seat in game.places]
        return rate(placed.count(1), len(placed))

    def luck(self) -> Answer:
        """The strength of hands beside that of all hands."""
        hands = [hand for sits in self.sits for hand in sits.hands]
        means = [strength_of(dice) for _, dice in hands]
        expected, variance = sum((one for one, _ in means), Fraction(0)), sum((one for _, one in means), Fraction(0))
        return expectation(len(hands), float(expected), sum(one for one, _ in hands), float(variance))

    def outcomes(self) -> Answer:
        """Challenges won beside what the odds promised."""
        party = [one for one in self.decisions if one.final_chance is not None]
        chances = [share(one.final_chance or 0) for one in party]
        variance = sum(one * (1 - one) for one in chances)
        return expectation(len(party), sum(chances), sum(bool(one.won) for one in party), variance)

    def brier(self) -> Answer:
        """The mean square of chance less outcome."""
        return mean([(share(one.final_chance or 0) - bool(one.won)) ** 2 for one in self.doubted])

    def decided(self) -> Answer:
        """The numbers that players and groups both have."""
        own, bluffs = self.doubted, [one for one in self.bids if one.bluff]
        return {
            "best_decisions": rate(sum(not one.regret for one in self.decisions), len(self.decisions)),
            "regret": mean([share(one.regret) for one in self.decisions]),
            "risk": mean([share(ONE - one.chance) for one in self.bids]),
            "bluffs": rate(len(bluffs), len(self.bids)),
            "bluffs_caught": rate(sum(one.won is False for one in bluffs), len(bluffs)),
            "challenges_won": rate(sum(bool(one.won) for one in self.challenges), len(self.challenges)),
            "bids_held": rate(sum(bool(one.won) for one in own), len(own)),
            "exact_bids": rate(sum(one.exact for one in own), len(own)),
            "brier": self.brier(),
            "challenge_outcomes": self.outcomes(),
            "move_seconds": mean([one.milliseconds / 1_000 for one in self.decisions], 0.0, None),
        }


def known(player_id: str, games: Sequence[Game]) -> tuple[str, str] | None:
    """The newest name of a player and the kind."""
    seats = [
        (game.ended_at, game.game_id, sits) for game in games for sits in game.seats if sits.player_id == player_id
    ]
    if not seats:
        return None
    newest = max(seats, key=lambda one: one[:2])[2]
    return newest.name, newest.kind


def player(player_id: str, games: Sequence[Game], asked: Asked, private: set[str], rating: Answer | None) -> Answer:
    """The statistics of a player."""
    of_kind, private_games = dict.fromkeys(("ended", "practice", "abandoned"), 0), 0
    for game in games:
        if asked.has(game, of_any_kind=True):
            seats = sum(sits.player_id == player_id for sits in game.seats)
            of_kind[game.played] += seats
            private_games += seats * (game.game_id in private)
    own = Own.of(player_id, [game for game in games if asked.has(game)])
    name, kind = known(player_id, games) or (None, None)
    counts, bluffs = len(own.seats), [one for one in own.bids if one.bluff]
    places = [game.places[seat] for game, seat in own.seats if seat in game.places]
    placed = [game for game, seat in own.seats if seat in game.places]
    return {
        "player_id": player_id,
        "name": name,
        "kind": kind,
        **asked.repeated,
        **{f"{one}_games": count for one, count in of_kind.items()},
        "private_games": private_games,
        "games": counts,
        "rounds": sum(sits.rounds for sits in own.sits),
        "wins": own.wins(),
        "expected_wins": sum(1 / len(game.seats) for game in placed),
        "places": [{"place": one, "games": places.count(one)} for one in sorted(set(places))],
        "forfeits": rate(sum(sits.forfeits for sits in own.sits), counts),
        "rating": rating,
        **own.decided(),
        "bluffs_challenged": rate(sum(one.won is not None for one in bluffs), len(bluffs)),
        "calibration": [_bin(number, own.doubted) for number in range(10)],
        "reroll_gain": mean([share(gain) for sits in own.sits for gain in sits.gains], -1.0),
        "dice_luck": own.luck(),
        "move_times": _times(own.decisions),
        "clock_moves": sum(sits.clock_moves for sits in own.sits),
    }


def decile(chance: int) -> int:
    """In which of ten bins a chance is."""
    return min(chance * 10 // ONE, 9)


def _bin(number: int, doubted: Sequence[Decision]) -> Answer:
    found = [one for one in doubted if decile(one.final_chance or 0) == number]
    chance = sum(share(one.final_chance or 0) for one in found) / len(found) if found else None
    held = rate(sum(bool(one.won) for one in found), len(found))
    return {"low": number / 10, "high": (number + 1) / 10, "chance": chance, "held": held}


TIMES = (500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 900_000, None)


def _times(decisions: Sequence[Decision]) -> list[Answer]:
    found, least = [], 0
    for below in TIMES:
        moves = sum(least <= one.milliseconds and (below is None or one.milliseconds < below) for one in decisions)
        found.append({"below_milliseconds": below, "moves": moves})
        least = below or 0
    return found


def monday(ended_at: int) -> datetime:
    """The beginning of the week of a moment."""
    day = datetime.fromtimestamp(ended_at // DAY * DAY_SECONDS, UTC)
    return day - timedelta(days=day.weekday())


def _in_milliseconds(moment: datetime) -> int:
    return int(moment.timestamp()) * 1_000


BY_DECISION: dict[str, Callable[[Decision], Any]] = {
    "dice_left": lambda one: one.dice_left,
    "players_left": lambda one: one.players_left,
    "opener": lambda one: one.opened,
    "phase": lambda one: ("early", "middle", "late").index(one.phase),
    "bid_chance": lambda one: None if one.bid is None else decile(one.chance),
    "standing_chance": lambda one: None if one.standing_chance is None else decile(one.standing_chance),
}
BY_GAME: dict[str, Callable[[Game, int], Any]] = {
    "seat": lambda _, seat: seat,
    "players": lambda game, _: len(game.seats),
    "week": lambda game, _: monday(game.ended_at),
    "game": lambda game, _: (-game.ended_at, game.game_id),
}


def groups(player_id: str, games: Sequence[Game], by: str, asked: Asked) -> list[Answer]:
    """The numbers of a player, group by group."""
    chosen = [game for game in games if asked.has(game)]
    if by == "game":
        found = [_group(game.game_id, game.ended_at, Own.of(player_id, [game])) for game in chosen]
        found = [one for one in found if one["games"]]
        return sorted(found, key=lambda one: (one["at"], one["group"]), reverse=True)
    own = Own.of(player_id, chosen)
    parts: dict[Any, Own] = {}
    if by in BY_DECISION:
        keys = {BY_DECISION[by](one) for one in own.decisions} - {None}
        for key in keys:
            made = [one for one in own.decisions if BY_DECISION[by](one) == key]
            there = {(one.game.game_id, one.seat) for one in made}
            parts[key] = Own([one for one in own.seats if (one[0].game_id, one[1]) in there], made)
    else:
        for key in {BY_GAME[by](*one) for one in own.seats}:
            seats = [one for one in own.seats if BY_GAME[by](*one) == key]
            there = {(game.game_id, seat) for game, seat in seats}
            made = [one for one in own.decisions if (one.game.game_id, one.seat) in there]
            parts[key] = Own(seats, made)
    return [
        _group(_named(by, key), _in_milliseconds(key) if by == "week" else None, parts[key], whole=by in BY_GAME)
        for key in sorted(parts)
    ]


def _named(by: str, key: Any) -> str:
    match by:
        case "opener":
            return "true" if key else "false"
        case "phase":
            return ("early", "middle", "late")[key]
        case "bid_chance" | "standing_chance":
            return f"{key / 10:.1f}"
        case "week":
            return f"{key:%Y-%m-%d}"
        case _:
            return str(key)


def _group(name: str, at: int | None, own: Own, *, whole: bool = True) -> Answer:
    return {
        "group": name,
        "at": at,
        "games": len(own.seats),
        "decisions": len(own.decisions),
        **own.decided(),
        "doubted": rate(len(own.doubted), len(own.bids)),
        "doubts": rate(len(own.challenges), sum(one.standing is not None for one in own.decisions)),
        "wins": own.wins() if whole else rate(0, 0),
        "dice_luck": own.luck() if whole else expectation(0, 0.0, 0, 0.0),
    }


def pair(player_id: str, other_id: str, games: Sequence[Game], asked: Asked) -> Answer:
    """Two players at the same tables."""
    count = placed = ahead = level = behind = 0
    made: list[bool] = []
    held: list[bool] = []
    for game in games:
        if not asked.has(game):
            continue
        own = {seat for seat, sits in enumerate(game.seats) if sits.player_id == player_id}
        others = {seat for seat, sits in enumerate(game.seats) if sits.player_id == other_id}
        count += len(own) * len(others)
        for one, other in ((one, other) for one in own for other in others):
            if one in game.places:
                placed += 1
                ahead += game.places[one] < game.places[other]
                level += game.places[one] == game.places[other]
                behind += game.places[one] > game.places[other]
        made += [won for who, whose, won in game.challenges if who in own and whose in others]
        held += [it_held for whose, by, it_held in game.doubts if whose in own and by in others]
    return {
        "player_id": player_id,
        "other_id": other_id,
        "games": count,
        "ahead": rate(ahead, placed),
        "level": level,
        "behind": behind,
        "challenges_won": rate(sum(made), len(made)),
        "bids_held": rate(sum(held), len(held)),
    }


def course(games: Sequence[Game], by: str, asked: Asked) -> list[Answer]:
    """How games go, group by group."""
    keys: dict[str, Callable[[Game], Any]] = {
        "rulebook": lambda game: game.rulebook,
        "players": lambda game: len(game.seats),
        "week": lambda game: monday(game.ended_at),
    }
    chosen = [game for game in games if asked.has(game)]
    found = []
    for key in sorted({keys[by](game) for game in chosen}):
        of_key = [game for game in chosen if keys[by](game) == key]
        won = [game for game in of_key if game.places and game.opener is not None]
        tables = [1 / len(game.seats) for game in won]
        rounds = [one for game in of_key for one in game.opener_rounds]
        found.append(
            {
                "group": _named(by, key),
                "at": _in_milliseconds(key) if by == "week" else None,
                "games": len(of_key),
                "rounds": mean([game.rounds for game in of_key], 0.0, None),
                "moves": mean([game.moves for game in of_key], 0.0, None),
                "game_seconds": mean([game.milliseconds / 1_000 for game in of_key], 0.0, None),
                "opener_wins": _of_opener(tables, sum(game.places[game.opener or 0] == 1 for game in won)),
                "opener_rounds": _of_opener([1 / count for _, count in rounds], sum(won for won, _ in rounds)),
            }
        )
    return found


def _of_opener(chances: Sequence[float], actual: int) -> Answer:
    middle = sum(chances) / len(chances) if chances else 0.0
    return expectation(len(chances), sum(chances), actual, len(chances) * middle * (1 - middle))


def decision(one: Decision) -> Answer:
    """A decision as it is listed."""

    def bid(of: Any) -> Answer | None:
        return None if of is None else {"quantity": of.quantity, "face": of.face}

    return {
        "game_id": one.game.game_id,
        "version": one.version,
        "at": one.at,
        "rulebook": one.game.rulebook,
        "player_id": one.game.seats[one.seat].player_id,
        "seat": one.seat,
        "round": one.round,
        "action": one.action,
        "bid": bid(one.bid),
        "standing": bid(one.standing),
        "hidden": list(one.hidden),
        "shown": list(one.shown),
        "own_dice": len(one.hidden) + len(one.shown),
        "dice_left": one.dice_left,
        "players_left": one.players_left,
        "opened": one.opened,
        "phase": one.phase,
        "chance": share(one.chance),
        "standing_chance": None if one.standing_chance is None else share(one.standing_chance),
        "best_action": "challenge" if one.best_bid is None else "bid",
        "best_bid": bid(one.best_bid),
        "best_chance": share(one.best_chance),
        "regret": share(one.regret),
        "bluff": one.bluff,
        "took_seconds": one.milliseconds / 1_000,
        "challenged_by": one.challenged_by,
        "challenged_by_clock": one.challenged_by_clock,
        "challenged": one.challenged,
        "final_chance": None if one.final_chance is None else share(one.final_chance),
        "won": one.won,
        "exact": one.exact,
    }


class Ratings:
    """The ratings of everybody after each game, in the order of an export (Plackett-Luce as openskill has it)."""

    MU, SIGMA = 25.0, 25.0 / 3
    BETA, TAU, KAPPA = 25.0 / 6, 25.0 / 300, 0.0001

    def __init__(self, games: Iterable[Game]) -> None:
        self.after: dict[tuple[str, str], list[tuple[str, float, float]]] = {}
        """By ladder and player, for each game its id, mu and sigma."""
        for game in games:
            if game.played == "ended" and len({sits.player_id for sits in game.seats}) > 1:
                self._rate(game, game.rulebook)
                self._rate(game, "")

    def of(self, ladder: str, player_id: str) -> Answer | None:
        """The newest rating."""
        found = self.after.get((ladder, player_id))
        return self.written(len(found), *found[-1][1:]) if found else None

    @staticmethod
    def written(games: int, mu: float, sigma: float) -> Answer:
        """A rating as answers have it."""
        return {"mu": mu, "sigma": sigma, "ordinal": mu - 3 * sigma, "games": games}

    def _rate(self, game: Game, ladder: str) -> None:
        ids = [sits.player_id for sits in game.seats]
        before = [self.after.get((ladder, one), [("", self.MU, self.SIGMA)])[-1][1:] for one in ids]
        ranks = [game.places[seat] for seat in range(len(ids))]
        after = self._rated(before, ranks)
        for one in dict.fromkeys(ids):
            mine = [after[seat] for seat, other in enumerate(ids) if other == one]
            mu, sigma = (sum(part) / len(mine) for part in zip(*mine, strict=True))
            self.after.setdefault((ladder, one), []).append((game.game_id, mu, sigma))

    def _rated(self, before: Sequence[tuple[float, ...]], ranks: Sequence[int]) -> list[tuple[float, float]]:
        mus = [mu for mu, _ in before]
        squares = [sigma**2 + self.TAU**2 for _, sigma in before]
        width = sqrt(sum(square + self.BETA**2 for square in squares))
        sums = [sum(exp(mus[i] / width) for i, rank in enumerate(ranks) if rank >= of) for of in ranks]
        found = []
        for i, (mu, square) in enumerate(zip(mus, squares, strict=True)):
            omega = delta = 0.0
            for q, rank in enumerate(ranks):
                if rank <= ranks[i]:
                    quotient = exp(mu / width) / sums[q]
                    omega += ((1.0 if i == q else 0.0) - quotient) / ranks.count(rank)
                    delta += quotient * (1 - quotient) / ranks.count(rank)
            delta *= square / width**2 * sqrt(square) / width
            found.append((mu + omega * square / width, sqrt(square * max(1 - delta, self.KAPPA))))
        return found


def board(
    measure: str, games: Sequence[Game], asked: Asked, ratings: Ratings, *, kind: str | None, games_min: int
) -> list[Answer]:
    """A leaderboard."""
    entries = []
    for player_id in sorted({sits.player_id for game in games for sits in game.seats}):
        own = Own.of(player_id, [game for game in games if asked.has(game)])
        name, of_kind = known(player_id, games) or ("", "")
        if kind not in (None, of_kind):
            continue
        found = _measured(measure, own, ratings.of(asked.rulebook or "", player_id))
        if found is not None and found["games"] >= games_min:
            entries.append({"player_id": player_id, "name": name, "kind": of_kind, **found})
    entries.sort(key=lambda one: one["player_id"])
    entries.sort(key=lambda one: -one["games"])
    entries.sort(key=lambda one: -(one["value"] if one["low"] is None else one["low"]))
    return [{"position": position, **one} for position, one in enumerate(entries, 1)]


def _measured(measure: str, own: Own, rating: Answer | None) -> Answer | None:
    if measure == "rating":
        if rating is None:
            return None
        wide = 3 * rating["sigma"]
        ends = {"low": rating["mu"] - wide, "high": rating["mu"] + wide}
        return {"games": rating["games"], "count": rating["games"], "value": rating["mu"], **ends}
    games = len(own.seats)
    if measure == "games":
        return {"games": games, "count": games, "value": games, "low": None, "high": None} if games else None
    of_all = own.decided()
    found = {
        "wins": own.wins(),
        "challenges": of_all["challenges_won"],
        "bids": of_all["bids_held"],
        "decisions": of_all["best_decisions"],
    }[measure]
    if not found["out_of"]:
        return None
    return {
        "games": games,
        "count": found["out_of"],
        "value": found["rate"],
        "low": found["low"],
        "high": found["high"],
    }
