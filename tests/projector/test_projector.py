"""The projector writes what the core says, once, whenever it is stopped and however many share the work."""

import asyncio
from random import Random
from typing import Any

import pytest

from domain.history.record import encode_record
from domain.history.recording import record_of
from domain.history.replaying import odds_of
from infra.postgres.generations import Model, known_models
from services.archive.steps import StoredSteps, decode_replay
from services.projector.batches import replace_rows
from services.projector.history import HistoryProjection
from services.projector.models import PROJECTIONS
from services.projector.projection import Rows, StoredGame
from services.projector.projector import Projector
from services.projector.rebuild import Rebuild
from services.projector.status import status_of
from services.simulation.simulation import play_game, setups_of_all
from tests.audit.stored_games import store_games, stored
from tests.extent import extent
from tests.infra.postgres.databases import new_database
from tests.projector.models import Models, on_models, play_into


def test_the_records_of_whole_games_of_every_kind_are_those_of_the_core_byte_for_byte() -> None:
    setups = setups_of_all()[:: len(setups_of_all()) // 60]
    played = {f"game-{index}": play_game(setup, 7, index).events for index, setup in enumerate(setups)}

    async def work(models: Models) -> None:
        for game_id, events in played.items():
            await store_games(models.store, {game_id: stored(game_id, events)})
        await models.caught_up()
        rows = await models.pool.fetch("SELECT game_id, record FROM history_v2.records")
        assert {row["game_id"]: row["record"] for row in rows} == {
            game_id: encode_record(record_of(events)) for game_id, events in played.items()
        }

    assert {setup.rulebook for setup in setups} >= {"bidding-track", "single-hand", "pirates", "palafico"}
    on_models(new_database(2), work)


def test_stored_steps_are_the_events_with_every_die_although_nobody_had_a_key() -> None:
    table = play_game(setups_of_all()[11], 3, 0)

    async def work(models: Models) -> None:
        await store_games(models.store, {"game": stored("game", table.events)})
        await models.caught_up()
        row = await models.pool.fetchrow("SELECT events, digests, odds FROM replays_v1.replays")
        assert row is not None
        replay = decode_replay("game", StoredSteps(*row))
        steps = replay.steps
        assert replay.events == tuple(table.events)
        assert replay.odds == odds_of(table.events)
        assert [step.version for step in steps] == list(range(1, len(table.events) + 1))
        assert all(step.digest is not None for step in steps)
        assert any(step.odds is not None for step in steps)

    on_models(new_database(1), work)


def test_a_game_that_goes_on_is_listed_and_has_no_record_yet() -> None:
    table = play_game(setups_of_all()[0], 3, 0)

    async def work(models: Models) -> None:
        await store_games(models.store, {"game": stored("game", table.events)[:20]})
        await models.caught_up()
        assert await models.pool.fetchval("SELECT result FROM games_v1.games") == "running"
        assert await models.pool.fetchval("SELECT count(*) FROM history_v2.records") == 0
        assert await models.pool.fetchval("SELECT count(*) FROM replays_v1.replays") == 0

    on_models(new_database(1), work)


def test_two_projectors_share_the_lanes_and_write_everything_once() -> None:
    async def work(models: Models) -> None:
        projectors = [models.projector(batch_max=37), models.projector(batch_max=53)]
        stop = asyncio.Event()

        async def follow(projector: Projector) -> None:
            while not stop.is_set():
                for lane in range(models.store.lanes):
                    await projector.advance(lane)

        following = [asyncio.create_task(follow(projector)) for projector in projectors]
        await play_into(models, 25)
        stop.set()
        await asyncio.gather(*following)
        await models.caught_up(projectors[0])
        assert await models.pool.fetchval("SELECT count(*) FROM history_v2.records") == 25
        assert await models.pool.fetchval("SELECT count(*) FROM games_v1.games") == 25
        assert all(not one.lag for one in await status_of(models.pool))

    on_models(new_database(3), work)


@pytest.mark.at_length
def test_a_projector_that_is_stopped_at_any_moment_leaves_nothing_out_and_nothing_twice() -> None:
    """Cancelled in the middle of whatever it does, again and again; a new one takes over each time."""

    async def work(models: Models) -> None:
        chance = Random(4)
        await play_into(models, 30, seed=2)
        interrupted = 0
        for _ in range(extent(200, 1_000)):
            projector = models.projector(batch_max=chance.choice((3, 40, 300)))
            try:
                async with asyncio.timeout(chance.random() * 0.01):
                    await projector.advance(chance.randrange(models.store.lanes))
            except TimeoutError:
                interrupted += 1
        await models.caught_up()
        assert interrupted > extent(10, 50)
        for projection in PROJECTIONS:
            lived = await models.rows(await models.live(projection.MODEL.name))
            rebuilt = await Rebuild(models.url, projection, models.store.lanes).run(lambda _: None)
            assert lived == await models.rows(rebuilt)
            assert {table for table, rows in lived.items() if not rows} == projection.QUEUES

    on_models(new_database(2), work)


def test_a_game_that_ends_while_it_is_taken_in_is_added_to_sums_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The batch sees that the game was created. By the time that the game is read, it is over: its end is in the next batch."""
    events = stored("game", play_game(setups_of_all()[0], 3, 0).events)

    async def work(models: Models) -> None:
        async def replaced_late(*asked: Any) -> None:
            while later:
                await models.store.append([later.pop(0)], f"later {len(later)}")
            await replace_rows(*asked)

        later = events[3:]
        await models.store.append(events[:3], "first")
        monkeypatch.setattr("services.projector.projector.replace_rows", replaced_late)
        await models.caught_up()
        assert not later
        await models.caught_up()
        games = await models.pool.fetchval("SELECT sum(games) FROM statistics_v2.sums WHERE day < 0 AND dimension = ''")
        assert games == await models.pool.fetchval("SELECT count(*) FROM statistics_v2.seats") > 0

    on_models(new_database(1), work)


class Poisoned(HistoryProjection):
    """A history that can't take in one game."""

    def __init__(self, game_id: str) -> None:
        self.game_id: str | None = game_id

    def rows(self, game: StoredGame) -> Rows:
        if game.game_id == self.game_id:
            raise ZeroDivisionError("a secret that must not be told")
        return super().rows(game)


def test_an_event_that_a_model_cannot_take_in_stops_that_model_there_and_no_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def work(models: Models) -> None:
        await play_into(models, 12)
        poisoned = Poisoned("sim-1-000004")
        others = [one for one in PROJECTIONS if not isinstance(one, HistoryProjection)]
        projector = models.projector([poisoned, *others])
        await models.caught_up(projector)
        status = [one for one in await status_of(models.pool) if one.lag]
        assert [one.name for one in status] == ["history"]
        assert status[0].fault is not None
        assert status[0].fault.startswith("ZeroDivisionError at position ")
        assert "sim-1-000004" in status[0].fault
        assert await models.pool.fetchval("SELECT count(*) FROM replays_v1.replays") == 12
        before = await models.pool.fetch("SELECT game_id FROM history_v2.records")
        assert len(before) < 12
        assert "sim-1-000004" not in {row["game_id"] for row in before}

        poisoned.game_id = None  # It was mended; whoever comes next goes on from there.
        await models.caught_up(models.projector([poisoned, *others]))
        assert await models.pool.fetchval("SELECT count(*) FROM history_v2.records") == 12
        assert not any(one.fault or one.lag for one in await status_of(models.pool))

    on_models(new_database(1), work)
    assert "secret" not in caplog.text


def test_bytes_that_are_no_event_stop_the_models_at_their_game_and_are_told() -> None:
    async def work(models: Models) -> None:
        await play_into(models, 3)
        broken = stored("broken", play_game(setups_of_all()[0], 3, 0).events)
        broken[5] = type(broken[5])("broken", 6, broken[5].topic, b'{"at":1,"nonsense":true}')
        await store_games(models.store, {"broken": broken})
        await models.caught_up()
        faults = {one.name: one.fault for one in await status_of(models.pool) if one.fault}
        assert set(faults) == {projection.MODEL.name for projection in PROJECTIONS} - {"clubs"}  # It reads no games.
        assert all("Malformed" in str(fault) and "game broken" in str(fault) for fault in faults.values())
        assert await models.pool.fetchval("SELECT count(*) FROM history_v2.records") == 3

    on_models(new_database(1), work)


def test_every_model_of_the_program_has_a_projection_and_the_other_way_round() -> None:
    assert sorted(known_models(), key=_by_name) == sorted((one.MODEL for one in PROJECTIONS), key=_by_name)


def _by_name(model: Model) -> str:
    return model.name
