"""Exports that go on where the one before ended: each reader gets every game that the reader may see exactly once."""

from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Sequence
from itertools import count
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from domain.events import AnyEvent, GameCreated, PlayerJoined
from domain.history.record import decode_record
from domain.options import Options
from services.access.caller import Caller
from services.access.refusals import FieldInvalid
from services.access.sight import Sight
from services.archive.archive import Wanted
from services.archive.exports import Course, Exports
from services.archive.refusals import ExportNotReady
from services.projector.history import HistoryProjection
from services.projector.rebuild import Rebuild
from services.simulation.simulation import Setup, play_game
from tests.audit.stored_games import store_games, stored
from tests.extent import extent
from tests.infra.postgres.databases import new_database
from tests.projector.models import Models, on_models, open_table

LANES = 4
SETUP = Setup("single-hand", Options(dice_each=1), 2)
STRANGER, PLAYER, OWNER = Caller("", "", ()), Caller("bot-0", "bot", ("player",)), Caller("owner", "owner", ("player",))
AUDITOR = Caller("auditor", "auditor", ("auditor",))
READERS = (STRANGER, PLAYER, OWNER, AUDITOR)
EVERYTHING = Wanted(practice=None)


class Reader:
    """Somebody who exports again and again, loses the line now and then, and keeps what came."""

    def __init__(self, models: Models, caller: Caller, chance: Random) -> None:
        self._exports, self._caller, self._chance = Exports(models.pool, models.store.lanes), caller, chance
        self.token = ""
        self.got: Counter[str] = Counter()

    async def export(self, now: int, *, may_break: bool = True) -> None:
        """Export what is new. If the line breaks, go on after the last token another time."""
        sight = Sight(self._caller, now)
        course = await self._exports.begin(EVERYTHING, sight, self.token, "after")
        while not course.is_over:
            if may_break and self._chance.random() < 0.2:
                return
            part = await self._exports.part(EVERYTHING, sight, course, "record", self._chance.randint(1, 7))
            self.got.update(place.game_id for place, _ in part.games)
            course = part.course
            self.token = course.token
        self.token = course.last_token


class World:
    """Tables of all kinds whose games end, and a projector that takes in one lane or another."""

    def __init__(self, models: Models, chance: Random) -> None:
        self.models, self._chance, self._numbers = models, chance, count()
        self.projector = models.projector([HistoryProjection()])
        self.now = 1_000_000_000
        self.may_see: dict[Caller, dict[str, int]] = {caller: {} for caller in READERS}
        """The games that each reader may see, and from when on."""

    async def play(self) -> None:
        """Let a game end: now, or long ago as if it had been stored by hand."""
        number, chance = next(self._numbers), self._chance
        game_id, delay, private = f"g{number}", chance.choice((0, 0, 5, 60)), chance.random() < 0.2
        at, mine = self.now - chance.choice((0, 0, 0, 90_000, 10_000_000)), chance.random() < 0.3
        await open_table(self.models.store, game_id, private=private, delay_seconds=delay)
        events = renamed(number % 20, game_id, at, PLAYER.player_id if mine else "somebody")
        await store_games(self.models.store, {game_id: stored(game_id, events)})
        shown_at = at + delay * 1_000
        self.may_see[AUDITOR][game_id] = self.may_see[OWNER][game_id] = shown_at
        if not private:
            self.may_see[STRANGER][game_id] = shown_at
        if mine or not private:
            self.may_see[PLAYER][game_id] = 0 if mine else shown_at

    async def project(self, lanes: Sequence[int]) -> None:
        for lane in lanes:
            await self.projector.catch_up(lane)


@pytest.mark.at_length
def test_every_reader_gets_every_game_exactly_once() -> None:
    """Tables have delays or are private, lanes lag, old games are stored late, lines break and the model is rebuilt."""
    chance, games = Random(20), extent(150, 10_000)

    async def story(models: Models) -> None:
        world = World(models, chance)
        readers = [Reader(models, caller, chance) for caller in READERS]
        for number in range(games):
            await world.play()
            world.now += chance.choice((0, 1, 1_000, 20_000))
            await world.project([lane for lane in range(LANES) if chance.random() < 0.2])
            if chance.random() < 0.2:
                await chance.choice(readers).export(world.now)
            if number == games // 2:
                await Rebuild(models.url, HistoryProjection(), LANES).run(lambda _: None)
                world.projector = models.projector([HistoryProjection()])
        await world.project(range(LANES))
        for now in (world.now, world.now + 100_000):
            for caller, reader in zip(READERS, readers, strict=True):
                await reader.export(now, may_break=False)
                assert reader.got == Counter([one for one, at in world.may_see[caller].items() if at <= now])
        assert all(len(seen) > 0 for seen in world.may_see.values())

    on_models(new_database(LANES), story, seconds_max=extent(120, 3_600))


async def exported(exports: Exports, sight: Sight, token: str = "") -> tuple[list[str], str]:
    """The ids of all games after a token, and the token after them."""
    course, found = await exports.begin(EVERYTHING, sight, token, "after"), list[str]()
    while not course.is_over:
        part = await exports.part(EVERYTHING, sight, course, "record", 10)
        found += [decode_record(record).game_id for _, record in part.games]
        course = part.course
    return found, course.last_token


def renamed(number: int, game_id: str, at: int, player_id: str) -> list[AnyEvent]:
    """The events of a game under another name, all at one time, with this player and another one."""
    events: list[AnyEvent] = []
    for event in play_game(SETUP, 5, number).events:
        moved = replace(event, at=at)
        if isinstance(moved, GameCreated):
            moved = replace(moved, game_id=game_id)
        elif isinstance(moved, PlayerJoined):
            moved = replace(moved, player_id="other" if moved.seat else player_id)
        events.append(moved)
    return events


async def ends(models: Models, game_id: str, at: int, **table: Any) -> None:
    """Let a game of `PLAYER` end at a table, and the projector take it in."""
    await open_table(models.store, game_id, **table)
    await store_games(models.store, {game_id: stored(game_id, renamed(0, game_id, at, PLAYER.player_id))})
    await models.caught_up()


def test_a_game_of_a_delayed_table_comes_when_it_is_shown_although_later_games_came_before() -> None:
    async def story(models: Models) -> None:
        exports = Exports(models.pool, LANES)
        await ends(models, "late", 1_000, delay_seconds=60)
        await ends(models, "soon", 2_000)

        first, token = await exported(exports, Sight(STRANGER, 10_000))
        own, own_token = await exported(exports, Sight(PLAYER, 10_000))
        assert (first, own) == (["soon"], ["soon", "late"])

        await ends(models, "next", 70_000)
        assert (await exported(exports, Sight(STRANGER, 50_000), token))[0] == []
        assert (await exported(exports, Sight(STRANGER, 80_000), token))[0] == ["late", "next"]
        assert (await exported(exports, Sight(PLAYER, 80_000), own_token))[0] == ["next"]

    on_models(new_database(LANES), story)


def test_a_token_tells_nothing_of_games_that_its_reader_may_not_see() -> None:
    async def story(models: Models) -> None:
        exports = Exports(models.pool, LANES)
        await ends(models, "seen", 1_000)
        before = await exported(exports, Sight(STRANGER, 10_000))
        await ends(models, "private", 2_000, private=True)
        await ends(models, "delayed", 2_000, delay_seconds=60)

        assert await exported(exports, Sight(STRANGER, 10_000)) == before

    on_models(new_database(1), story)


def test_a_token_is_for_its_reader_and_filters_and_no_other() -> None:
    async def story(models: Models) -> None:
        exports, sight = Exports(models.pool, LANES), Sight(STRANGER, 10_000)
        await ends(models, "game", 1_000)
        _, token = await exported(exports, sight)
        others = [(Wanted(), sight), (EVERYTHING, Sight(PLAYER, 10_000)), (EVERYTHING, Sight(AUDITOR, 10_000))]
        for wanted, other in others:
            with pytest.raises(FieldInvalid, match="the same reader with the same filters"):
                await exports.begin(wanted, other, token, "after")
        nested = (urlsafe_b64encode(b'["a",[0,[0]' + end + b"[" * 9_000).decode() for end in (b",", b"],null,null,"))
        for made_up in ("x", "W10", token[:-4], token + "AAAA", *nested):
            with pytest.raises(FieldInvalid):
                await exports.begin(EVERYTHING, sight, made_up, "after")

    on_models(new_database(LANES), story)


def test_a_server_that_is_behind_another_waits_instead_of_handing_out_a_game_twice_or_early() -> None:
    """Its clock may be behind, or its model is being filled. A token from the future would show what is not shown yet."""

    async def story(models: Models) -> None:
        exports = Exports(models.pool, LANES)
        await ends(models, "delayed", 1_000, delay_seconds=60)
        course = await exports.begin(EVERYTHING, Sight(STRANGER, 10_000), "", "after")
        forged = replace(course, until=replace(course.until, at=10**12), last=replace(course.last, at=10**13))
        full = replace(course.last, ends=tuple(end + 1 for end in course.last.ends))
        further = Course(course.asked, full, full, None, full)
        for token in (forged.token, forged.last_token, further.token):
            with pytest.raises(ExportNotReady):
                await exports.begin(EVERYTHING, Sight(STRANGER, 10_000), token, "after")

    on_models(new_database(LANES), story)
