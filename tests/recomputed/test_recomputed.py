"""Every field of every answer of statistics, computed once more from an export and the documents alone.

`game.py` and `answers.py` use nothing of the program. They read what `/export` gives a stranger and a player, and follow
docs/reference/statistics.md, rules.md and record.md.
"""

from collections.abc import AsyncIterator, Sequence
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from domain.commands import AbandonGame
from domain.deciding import decide
from domain.events import (
    AnyEvent,
    BidChallenged,
    BidPlaced,
    DiceRerolled,
    GameAbandoned,
    GameCreated,
    GameEnded,
    GameStarted,
    PlayerForfeited,
    PlayerJoined,
    Rolled,
    TurnTimedOut,
)
from domain.evolve import fold
from infra.events.mapping import EventMapper, EventTranscoder, GameEvent
from infra.postgres.players import PlayerStore
from services.access.identity import token_hash
from services.access.table_events import TABLE_TOPICS, TableOpened, table_stream
from services.simulation.simulation import play_game, setups_of_all
from tests.audit.stored_games import store_games, stored
from tests.domain.notation.play import SETTINGS, events_of
from tests.extent import extent
from tests.http.readers import HTTP_SETTINGS, Site, on_site
from tests.infra.postgres.databases import new_database
from tests.projector.models import Models, on_models
from tests.recomputed.answers import Answer, Asked, Own, Ratings, board, course, decision, groups, known, pair, player
from tests.recomputed.game import Game, games_of
from tests.rpc.servers import Player
from tests.servers import KEYS

TOKEN = "lqd_" + "a" * 43
PEOPLE = ("ann", "bob", "cleo", *(f"p{number}" for number in range(20)))
BEGAN = 1_700_000_000_000
APART = 5_000_000
DONE = (GameStarted, Rolled, BidPlaced, DiceRerolled, BidChallenged, TurnTimedOut, PlayerForfeited, GameAbandoned)
"""What players and the clock do. All else follows from it at the same moment."""
PAUSES = (0, 0, 300, 700, 1_500, 4_000, 12_000, 40_000, 200_000)
NEAR = 2e-6
"""The program keeps sums of chances in billionths, and of their squares too."""
NEAR_ENDS = 2e-4
"""The ends of an interval follow from the root of such a sum."""
MEASURES = ("rating", "wins", "challenges", "bids", "decisions", "games")
GROUPINGS = (
    "dice_left",
    "players_left",
    "opener",
    "phase",
    "bid_chance",
    "standing_chance",
    "seat",
    "players",
    "week",
    "game",
)
_TABLES = EventMapper(EventTranscoder(KEYS, must_open=True, topics=TABLE_TOPICS))


def played(number: int) -> list[AnyEvent]:
    """A game between bots with clocks, or one at random in which players give up and tables are closed."""
    if number % 2:
        setups = setups_of_all()
        return list(play_game(setups[number * 7 % len(setups)], 17, number).events)
    events = events_of(SETTINGS[number // 2 % len(SETTINGS)], number)
    if isinstance(events[-1], GameEnded | GameAbandoned):
        return events
    return [*events, *decide(AbandonGame(reason="the table was closed"), fold(events))]


def retold(number: int, chance: Random) -> tuple[str, list[AnyEvent], TableOpened]:
    """The game with other players, at other times, at a table of some kind."""
    game_id, at, events = f"game-{number:05}", BEGAN + number * APART, list[AnyEvent]()
    people, forked = chance.sample(PEOPLE[: 3 + number % 21], 3 + number % 21), None
    steps = [0]
    for event in played(number):
        if isinstance(event, DONE) and not isinstance(events[-1] if events else None, TurnTimedOut):
            at += 90_000_000 if chance.random() < 0.002 else chance.choice(PAUSES)
            steps.append(len(events))
        moved = replace(event, at=at)
        if isinstance(moved, GameCreated):
            moved = replace(moved, game_id=game_id)
        elif isinstance(moved, PlayerJoined):
            moved = seated(moved, people, chance)
        events.append(moved)
    if number % 9 == 0:
        # The next event is something that a player does, and enough of the game follows.
        forked = chance.choice(steps[max(2, len(steps) // 3) : max(3, 2 * len(steps) // 3)])
    table = TableOpened(
        owner_id="owner",
        private=number % 6 == 1,
        spectator_delay_seconds=chance.choice((0, 0, 60, 86_400)),
        rematch_of=None,
        seed=b"s" * 32,
        invitation_code=None,
        forked_from=None if forked is None else "past",
        forked_version=forked,
    )
    return game_id, events, table


def seated(event: PlayerJoined, people: list[str], chance: Random) -> PlayerJoined:
    if not people or chance.random() < 0.25:
        strategy = chance.choice(("cautious", "bluffing"))
        return replace(event, player_id=f"bot.{strategy}.{event.seat:08x}", name=strategy, kind="bot")
    player_id = people.pop()
    return replace(event, player_id=player_id, name=f"{player_id} {chance.randrange(3)}", kind="human")


async def fill(models: Models, count: int) -> None:
    """Store the games; the projector takes them in when all are there."""
    known_players = await PlayerStore.open(models.url)
    await known_players.add("ann", "Ann", token_hash(TOKEN), ("player",))
    await known_players.close()
    chance = Random(17)
    for number in range(count):
        game_id, events, table = retold(number, chance)
        opened = _TABLES.to_stored_event(GameEvent(table_stream(game_id), 1, table))  # type: ignore[arg-type]
        await models.store.append([opened], f"open {game_id}")
        await store_games(models.store, {game_id: stored(game_id, events)})
    await models.caught_up()


class Checked:
    """What a reader is answered, beside what follows from the reader's export."""

    def __init__(self, site: Site, reader: Player | None) -> None:
        self.site, self.reader = site, reader
        self.public: list[Game] = []
        self.own: list[Game] = []
        self.differences: list[str] = []
        self.fields = 0

    async def read(self, path: str, **query: Any) -> Any:
        answer = await self.site.read(
            path, self.reader, params={key: one for key, one in query.items() if one is not None}
        )
        if isinstance(answer, dict):
            answer.pop("freshness", None)
        return answer

    async def pages(self, path: str, part: str, **query: Any) -> AsyncIterator[Answer]:
        token: str | None = None
        while True:
            page = await self.read(path, **query, page_size=100, page_token=token)
            for one in page[part]:
                yield one
            token = page["next_page_token"]
            if token is None:
                return

    async def export(self) -> None:
        """Read the exports, and find out by them what is private."""
        public = await self.site.read("/export", params={"practice": "with"})
        own = await self.site.read("/export", self.reader, params={"practice": "with"})
        self.public, self.own = games_of(public.splitlines()), games_of(own.splitlines())

    @property
    def private(self) -> set[str]:
        return {game.game_id for game in self.own} - {game.game_id for game in self.public}

    def compare(self, where: str, expected: Any, found: Any) -> None:
        """Note each field that differs."""
        if isinstance(expected, dict) and isinstance(found, dict):
            if set(expected) != set(found):
                self.differences.append(f"{where}: fields {sorted(set(expected) ^ set(found))}")
            for name in set(expected) & set(found):
                self.compare(f"{where}.{name}", expected[name], found[name])
        elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
            for number, (one, other) in enumerate(zip(expected, found, strict=True)):
                self.compare(f"{where}[{number}]", one, other)
        else:
            self.fields += 1
            if not same(expected, found, NEAR_ENDS if where.endswith((".low", ".high")) else NEAR):
                self.differences.append(f"{where}: expected {expected}, found {found}"[:400])

    def compare_boards(self, where: str, expected: list[Answer], found: list[Answer]) -> None:
        """The same entries in the same order; ends of intervals that differ by less than a rounding may change places."""
        self.compare(f"{where} positions", [one["position"] for one in expected], [one["position"] for one in found])
        ends = [one["value"] if one["low"] is None else one["low"] for one in found]
        if any(one < other - NEAR for one, other in pairwise(ends)):
            self.differences.append(f"{where}: {ends} is no order")
        by_player = [{one["player_id"]: {**one, "position": None} for one in entries} for entries in (expected, found)]
        self.compare(where, *by_player)

    async def about(self, player_id: str, asked: Asked, ratings: Ratings) -> None:
        """Everything that can be asked about a player."""
        mine = self.reader is not None and player_id == "ann"
        games, query = (self.own if mine else self.public), spoken(asked)
        if known(player_id, games) is None:
            return
        path = f"/players/{player_id}"
        before = {key: value for key, value in query.items() if key == "rulebook"}
        rating = None if asked.until is not None else ratings.of(asked.rulebook or "", player_id)
        found = await self.read(f"{path}/statistics", **query)
        if asked.until is not None:
            rating = found["rating"]  # It is as at that time; the rating history is compared whole.
        self.compare(f"{path} {query}", player(player_id, games, asked, self.private, rating), found)
        for by in GROUPINGS:
            answer = [one async for one in self.pages(f"{path}/groups", "groups", by=by, **query)]
            self.compare(f"{path} by {by} {query}", groups(player_id, games, by, asked), answer)
        listed = [one async for one in self.pages(f"{path}/decisions", "decisions", **query)]
        made = list(Own.of(player_id, [game for game in games if asked.has(game)]).decisions)
        made.sort(key=lambda one: (one.game.ended_at, one.game.game_id, one.version), reverse=True)
        self.compare(f"{path}/decisions {query}", [decision(one) for one in made], listed)
        if asked == Asked(rulebook=asked.rulebook):
            points = [one async for one in self.pages(f"{path}/ratings", "points", **before)]
            after = ratings.after.get((asked.rulebook or "", player_id), [])
            way = [
                {"game_id": game_id, "rating": Ratings.written(number, mu, sigma)}
                for number, (game_id, mu, sigma) in enumerate(after, 1)
            ]
            for one in points:
                one.pop("at")  # No export says how long a table was delayed.
            self.compare(f"{path}/ratings {before}", way[::-1], points)

    async def everybody(self, asked: Asked, ratings: Ratings, players: Sequence[str]) -> None:
        """Boards, pairs and how games go."""
        query = spoken(asked)
        for measure in MEASURES:
            if measure == "rating" and asked.played != "ended":
                continue
            if measure == "rating" and (asked.since is not None or asked.until is not None):
                continue
            for kind, games_min in ((None, 1), ("human", 2)):
                found = await self.read(
                    "/leaderboards", measure=measure, kind=kind, games_min=games_min, page_size=100, **query
                )
                expected = board(measure, self.public, asked, ratings, kind=kind, games_min=games_min)
                self.compare_boards(f"/leaderboards {measure} {kind} {query}", expected, found["entries"])
        for by in ("rulebook", "players", "week"):
            found = await self.read("/statistics/games", by=by, **query)
            self.compare(f"/statistics/games by {by} {query}", course(self.public, by, asked), found["groups"])
        pairs = [
            pair(one, other, self.own if self.reader is not None and "ann" in (one, other) else self.public, asked)
            for one in players
            for other in players
            if one != other
        ]
        found = await self.read("/matrix", players=",".join(players), **query)
        self.compare(f"/matrix {query}", {**asked.repeated, "player_ids": list(players), "pairs": pairs}, found)
        one = await self.read("/head-to-head", player=players[0], other=players[1], **query)
        self.compare(f"/head-to-head {query}", {**asked.repeated, **pairs[0]}, one)


def spoken(asked: Asked) -> dict[str, Any]:
    """A choice of games as HTTP takes it."""
    return {key: value for key, value in asked.repeated.items() if value is not None}


def same(expected: Any, found: Any, near: float) -> bool:
    if isinstance(expected, float) and isinstance(found, float | int):
        return abs(expected - found) <= near * max(1.0, abs(expected))
    return bool(expected == found)


@pytest.mark.at_length
def test_every_field_of_every_answer_follows_from_the_export() -> None:
    count = extent(40, 1_000)
    url = new_database(2)
    on_models(url, lambda models: fill(models, count), seconds_max=600)
    middle = BEGAN + count // 2 * APART

    choices = (
        Asked(),
        Asked(rulebook="single-hand"),
        Asked(since=middle + 12_345),
        Asked(until=middle),
        Asked(played="abandoned"),
        Asked(played="practice"),
    )
    differences, fields = list[str](), 0
    for token, of_reader in (("", choices), (TOKEN, choices[:2])):
        # In the long form each has a server for itself, because a story may not take too long.
        for some in [of_reader[at : at + extent(6, 1)] for at in range(0, len(of_reader), extent(6, 1))]:
            checked = on_site(
                partial(check, token=token, choices=some), replace(HTTP_SETTINGS, projects=False), url=url
            )
            differences += checked.differences
            fields += checked.fields

    assert not differences, f"{len(differences)} of {fields} fields differ:\n" + "\n".join(differences[:40])
    assert fields > 50_000


async def check(site: Site, *, token: str, choices: Sequence[Asked]) -> Checked:
    """Compare everything that a reader can ask about some choices of games."""
    reader = Player(site.server.channel, token) if token else None
    checked = Checked(site, reader)
    await checked.export()
    assert bool(checked.private) == (reader is not None)
    ratings = Ratings(checked.public)
    for asked in choices:
        for player_id in ("ann", "bob", "bot.cautious")[: 3 if reader is None else 1]:
            await checked.about(player_id, asked, ratings)
        await checked.everybody(asked, ratings, ("ann", "bob", "cleo", "bot.cautious", "bot.bluffing"))
    return checked
