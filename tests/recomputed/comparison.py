"""Everything that a reader is answered over HTTP, beside what follows from the reader's own export.

Like `game.py` and `answers.py` it uses nothing of the program: an outsider could run it against any server.
"""

import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import httpx

from tests.recomputed.answers import Answer, Asked, Own, Ratings, board, course, decision, groups, known, pair, player
from tests.recomputed.game import Game, games_of

API = "/api/v1"
NEAR = 2e-6
"""The program keeps sums of chances in billionths, and of their squares too."""
NEAR_ENDS = 2e-4
"""The ends of an interval follow from the root of such a sum."""
MEASURES = ("rating", "wins", "challenges", "bids", "decisions", "games")
GROUPINGS = (
    *("dice_left", "players_left", "opener", "phase", "bid_chance", "standing_chance"),
    *("seat", "players", "week", "game"),
)


@dataclass
class Differences:
    """How many fields were compared, and which of them differ."""

    fields: int = 0
    found: list[str] = field(default_factory=list)

    def compare(self, where: str, expected: Any, found: Any) -> None:
        """Note each field that differs."""
        if isinstance(expected, dict) and isinstance(found, dict):
            if set(expected) != set(found):
                self.found.append(f"{where}: fields {sorted(set(expected) ^ set(found))}")
            for name in set(expected) & set(found):
                self.compare(f"{where}.{name}", expected[name], found[name])
        elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
            for number, (one, other) in enumerate(zip(expected, found, strict=True)):
                self.compare(f"{where}[{number}]", one, other)
        else:
            self.fields += 1
            if not _same(expected, found, NEAR_ENDS if where.endswith((".low", ".high")) else NEAR):
                self.found.append(f"{where}: expected {expected}, found {found}"[:400])

    def compare_boards(self, where: str, expected: list[Answer], found: list[Answer]) -> None:
        """The same entries in the same order; ends of intervals that differ by less than a rounding may change places."""
        self.compare(f"{where} positions", [one["position"] for one in expected], [one["position"] for one in found])
        ends = [one["value"] if one["low"] is None else one["low"] for one in found]
        if any(one < other - NEAR for one, other in pairwise(ends)):
            self.found.append(f"{where}: {ends} is no order")
        by_player = [{one["player_id"]: {**one, "position": None} for one in entries} for entries in (expected, found)]
        self.compare(where, *by_player)


def _same(expected: Any, found: Any, near: float) -> bool:
    if isinstance(expected, float) and isinstance(found, float | int):
        return abs(expected - found) <= near * max(1.0, abs(expected))
    return bool(expected == found)


class Comparison:
    """The answers to one reader: a stranger, or the player of a token."""

    def __init__(self, client: httpx.AsyncClient, player_id: str | None = None, token: str = "") -> None:
        self.client, self.player_id = client, player_id
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.differences = Differences()
        self.public: list[Game] = []
        self.own: list[Game] = []
        self.private: set[str] = set()
        """Games of the reader that are private."""
        self.hidden: set[str] = set()
        """Games of the reader whose end not everybody may know yet. They count for nothing."""
        self.tables: dict[str, Answer] = {}
        """What the list of games says about each of them."""

    async def read(self, path: str, **query: Any) -> Any:
        """An answer, which must be complete."""
        params = {key: one for key, one in query.items() if one is not None}
        answer = await self.client.get(API + path, params=params, headers=self.headers)
        assert answer.status_code == 200, f"{path} {params}: {answer.text}"
        assert answer.headers["Liarsdice-Complete"] == "true", f"{path}: the server is still catching up"
        if not answer.headers["content-type"].startswith("application/json"):
            return answer.text
        found = answer.json()
        found.pop("freshness")
        return found

    async def pages(self, path: str, part: str, **query: Any) -> AsyncIterator[Answer]:
        """The entries of a list."""
        token: str | None = None
        while True:
            page = await self.read(path, **query, page_size=100, page_token=token)
            for one in page[part]:
                yield one
            token = page["next_page_token"]
            if token is None:
                return

    async def export(self) -> None:
        """Read the exports, and find out what kind of table each game had."""
        own = games_of((await self.read("/export", practice="with")).splitlines())
        self.tables = {one["game_id"]: one async for one in self.pages("/games", "games", practice="with")}
        now = time.time() * 1_000
        for game in own:
            table = self.tables[game.game_id]
            if table["ended_at"] + table["spectator_delay_seconds"] * 1_000 > now:
                self.hidden.add(game.game_id)
            elif table["private"]:
                self.private.add(game.game_id)
        self.own = [game for game in own if game.game_id not in self.hidden]
        self.public = [game for game in self.own if game.game_id not in self.private]
        if self.player_id is None:
            leaked = sorted(self.hidden | self.private)
            self.differences.found += [f"/export: a stranger gets {game_id}" for game_id in leaked]

    async def everything(self, asked: Asked, players: Sequence[str], alone: int) -> None:
        """Compare everything that can be asked about a choice of games and some players, so many of them alone."""
        ratings = Ratings(sorted(self.public, key=lambda game: (self._shown_at(game.game_id), game.game_id)))
        for player_id in players[:alone] if self.player_id is None else (self.player_id,):
            await self.about(player_id, asked, ratings)
        await self.everybody(asked, ratings, players)

    async def about(self, player_id: str, asked: Asked, ratings: Ratings) -> None:
        """Everything that can be asked about a player."""
        games, query = (self.own if player_id == self.player_id else self.public), _spoken(asked)
        if known(player_id, games) is None:
            return
        compare, path = self.differences.compare, f"/players/{player_id}"
        rating = None if asked.until is not None else ratings.of(asked.rulebook or "", player_id)
        found = await self.read(f"{path}/statistics", **query)
        if asked.until is not None:
            rating = found["rating"]  # It is as at that time; the rating history is compared whole.
        compare(f"{path} {query}", player(player_id, games, asked, self.private, rating), found)
        for by in GROUPINGS:
            answer = [one async for one in self.pages(f"{path}/groups", "groups", by=by, **query)]
            compare(f"{path} by {by} {query}", groups(player_id, games, by, asked), answer)
        listed = [one async for one in self.pages(f"{path}/decisions", "decisions", **query)]
        made = list(Own.of(player_id, [game for game in games if asked.has(game)]).decisions)
        made.sort(key=lambda one: (one.game.ended_at, one.game.game_id, one.version), reverse=True)
        compare(f"{path}/decisions {query}", [decision(one) for one in made], listed)
        if asked == Asked(rulebook=asked.rulebook):
            await self._way_of_rating(player_id, asked, ratings)

    async def _way_of_rating(self, player_id: str, asked: Asked, ratings: Ratings) -> None:
        path = f"/players/{player_id}/ratings"
        points = [one async for one in self.pages(path, "points", rulebook=asked.rulebook)]
        after = ratings.after.get((asked.rulebook or "", player_id), [])
        way = [
            {
                "game_id": game_id,
                "at": self._shown_at(game_id),
                "rating": Ratings.written(number, mu, sigma),
            }
            for number, (game_id, mu, sigma) in enumerate(after, 1)
        ]
        self.differences.compare(f"{path} {asked.rulebook}", way[::-1], points)

    def _shown_at(self, game_id: str) -> int:
        """From when on everybody may know how a game ended."""
        table = self.tables[game_id]
        return int(table["ended_at"] + table["spectator_delay_seconds"] * 1_000)

    async def everybody(self, asked: Asked, ratings: Ratings, players: Sequence[str]) -> None:
        """Boards, pairs and how games go."""
        compare, query = self.differences.compare, _spoken(asked)
        for measure in MEASURES:
            if measure == "rating" and asked not in (Asked(), Asked(rulebook=asked.rulebook)):
                continue  # A board of the past needs ratings of the past.
            for kind, games_min in ((None, 1), ("human", 2)):
                found = await self.read(
                    "/leaderboards", measure=measure, kind=kind, games_min=games_min, page_size=100, **query
                )
                expected = board(measure, self.public, asked, ratings, kind=kind, games_min=games_min)
                self.differences.compare_boards(f"/leaderboards {measure} {kind} {query}", expected, found["entries"])
        for by in ("rulebook", "players", "week"):
            found = await self.read("/statistics/games", by=by, **query)
            compare(f"/statistics/games by {by} {query}", course(self.public, by, asked), found["groups"])
        pairs = [
            pair(one, other, self.own if self.player_id in (one, other) else self.public, asked)
            for one in players
            for other in players
            if one != other
        ]
        found = await self.read("/matrix", players=",".join(players), **query)
        compare(f"/matrix {query}", {**asked.repeated, "player_ids": list(players), "pairs": pairs}, found)
        one = await self.read("/head-to-head", player=players[0], other=players[1], **query)
        compare(f"/head-to-head {query}", {**asked.repeated, **pairs[0]}, one)

    def contents(self) -> Counter[str]:
        """How much there is of each kind in what was compared, and of what must not count."""
        found = Counter[str]({"games": len(self.own), "tables whose end is hidden still": len(self.hidden)})
        for game in self.own:
            table, record = self.tables[game.game_id], game.record
            found[f"games of {game.rulebook}"] += 1
            found[f"games {game.played}"] += 1
            found["games with a clock"] += record["options"]["turn_seconds"] is not None
            found["moves of the clock"] += sum(seat.clock_moves for seat in game.seats)
            found["forfeits"] += sum(seat.forfeits for seat in game.seats)
            found["decisions"] += len(game.decisions)
            found["delayed tables"] += table["spectator_delay_seconds"] > 0
            found["forks"] += "forked_from" in record
            found["private tables"] += table["private"]
        return found


def _spoken(asked: Asked) -> dict[str, Any]:
    """A choice of games as HTTP takes it."""
    return {key: value for key, value in asked.repeated.items() if value is not None}
