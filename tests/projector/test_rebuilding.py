"""Rebuilding a model: beside the one that answers, resumable, and without a moment in which nothing answers."""

import asyncio

import pytest

from services.projector.history import HistoryProjection
from services.projector.models import PROJECTIONS
from services.projector.rebuild import ModelFaulty, Progress, Rebuild
from services.projector.status import status_of
from tests.infra.postgres.databases import new_database
from tests.projector.models import Models, on_models, play_into
from tests.projector.test_projector import Poisoned

HISTORY = HistoryProjection()
COUNT = "SELECT count(*) FROM history_v2.records"


def quiet(_: Progress) -> None:
    """Tell nobody."""


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda projection: str(projection.MODEL.name))
def test_what_is_rebuilt_is_what_was_there_byte_for_byte(projection: HistoryProjection) -> None:
    async def work(models: Models) -> None:
        await play_into(models, 15)
        await models.caught_up()
        before = await models.live(projection.MODEL.name)
        rows = await models.rows(before)
        after = await Rebuild(models.url, projection, models.store.lanes, batch_max=100).run(quiet)
        assert after.number == before.number + 1
        assert await models.live(projection.MODEL.name) == after
        assert await models.rows(after) == rows
        assert all(rows.values())
        assert await models.rows(before) == {}, "what answered before is gone"

    on_models(new_database(2), work)


def test_readers_never_see_less_while_a_model_is_rebuilt_and_games_are_played() -> None:
    async def work(models: Models) -> None:
        await play_into(models, 10)
        await models.caught_up()
        counts: list[int] = []
        done = asyncio.Event()

        async def read() -> None:
            while not done.is_set():
                counts.append(await models.pool.fetchval(COUNT))

        async def follow() -> None:
            while not done.is_set():
                await models.caught_up()

        others = [asyncio.create_task(read()), asyncio.create_task(follow())]
        for seed in (2, 3):
            playing = asyncio.create_task(play_into(models, 6, seed))
            await Rebuild(models.url, HISTORY, models.store.lanes, batch_max=50).run(quiet)
            await playing
        await models.caught_up()
        done.set()
        await asyncio.gather(*others)
        assert counts == sorted(counts)
        assert counts[0] == 10
        assert await models.pool.fetchval(COUNT) == 22
        assert (await models.live("history")).number == 3

    on_models(new_database(2), work)


def test_a_rebuild_that_was_stopped_goes_on_where_it_was() -> None:
    async def work(models: Models) -> None:
        await play_into(models, 20)
        await models.caught_up()
        told: list[Progress] = []

        def stop_soon(progress: Progress) -> None:
            told.append(progress)
            if len(told) == 3:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            await Rebuild(models.url, HISTORY, models.store.lanes, batch_max=60).run(stop_soon)
        building = [one for one in await status_of(models.pool) if one.state == "building"]
        assert sum(one.position for one in building) == told[-1].done > 0
        again: list[Progress] = []
        await Rebuild(models.url, HISTORY, models.store.lanes, batch_max=60).run(again.append)
        assert again[0].done > told[-1].done
        assert again[-1].done == again[-1].total
        assert await models.pool.fetchval(COUNT) == 20

    on_models(new_database(1), work)


def test_a_rebuild_can_be_given_up() -> None:
    async def work(models: Models) -> None:
        await play_into(models, 5)
        await models.caught_up()
        rebuild = Rebuild(models.url, HISTORY, models.store.lanes, batch_max=20)

        def stop(_: Progress) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            await rebuild.run(stop)
        assert await rebuild.cancel()
        assert not await rebuild.cancel()
        assert {one.state for one in await status_of(models.pool)} == {"live"}
        assert await models.pool.fetchval(COUNT) == 5

    on_models(new_database(1), work)


def test_a_rebuild_that_meets_what_it_cannot_take_in_leaves_the_old_one_answering() -> None:
    async def work(models: Models) -> None:
        await play_into(models, 5)
        await models.caught_up()
        with pytest.raises(ModelFaulty, match=r"history can't process event \d+ of lane 0, of game sim-1-000003"):
            await Rebuild(models.url, Poisoned("sim-1-000003"), models.store.lanes).run(quiet)
        assert await models.pool.fetchval(COUNT) == 5
        assert (await models.live("history")).number == 1

    on_models(new_database(1), work)


def test_a_reader_that_takes_long_delays_the_switch_and_not_the_other_readers() -> None:
    async def work(models: Models) -> None:
        await play_into(models, 3)
        await models.caught_up()
        connection = await models.pool.acquire()
        reading = connection.transaction()
        await reading.start()
        await connection.fetchval(COUNT)
        rebuilding = asyncio.create_task(Rebuild(models.url, HISTORY, models.store.lanes).run(quiet))
        async with asyncio.timeout(20):
            while not any(one.state == "building" and not one.lag for one in await status_of(models.pool)):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            for _ in range(20):
                async with asyncio.timeout(1):
                    assert await models.pool.fetchval(COUNT) == 3
                await asyncio.sleep(0.05)
            assert not rebuilding.done()
            await reading.rollback()
            await rebuilding
        assert (await models.live("history")).number == 2

    on_models(new_database(1), work)
