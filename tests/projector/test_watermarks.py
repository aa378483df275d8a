"""Watermarks promise no more than the read models have, and as much as they have."""

import asyncio
import time
from collections.abc import Sequence
from random import Random

import pytest

from domain.freshness import Freshness, ModelFreshness
from infra.postgres.queries import query
from services.app.readiness import ModelReadiness
from services.http.health import Ready
from services.projector import watermarks
from services.projector.background import projecting
from services.projector.models import PROJECTIONS
from services.projector.watermarks import Watermarks, milliseconds_now
from tests.archive.stored import Made, store
from tests.audit.stored_games import games, store_games
from tests.infra.postgres.databases import new_database
from tests.projector.models import Models, on_models, play_into
from tests.projector.test_projector import Poisoned

NOW = 1_900_000_000_000
LATE_SECONDS = 10**10
NAMES = {projection.MODEL.name for projection in PROJECTIONS}
COMPLETE = Freshness(complete=True, caught_up_to=NOW - 2_000)


def marks_of(models: Models) -> Watermarks:
    """The watermarks as a process knows them that has just started, and whose clock stands still."""
    return Watermarks(models.pool, models.store.lanes, lambda: NOW)


@pytest.fixture(name="hasty")
def short_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times that a test can wait for."""
    monkeypatch.setattr(watermarks, "TOLERANCE_SECONDS", 0.02)
    monkeypatch.setattr(watermarks, "LOOK_SECONDS", 0.0)


def test_a_model_is_complete_once_it_has_taken_in_everything_and_not_before() -> None:
    async def work(models: Models) -> None:
        assert await marks_of(models).of("games") == COMPLETE, "nothing is missing of an empty store"
        await play_into(models, 8)
        marks = marks_of(models)
        for model in NAMES:
            assert await marks.of(model) == Freshness(complete=False), "it has never caught up"
        projector = models.projector(batch_max=200)
        await projector.advance(0)
        await asyncio.sleep(watermarks.LOOK_SECONDS)
        halfway = {one.model: one for one in await marks.every()}
        assert all(not one.freshness.complete and 0 < one.percent < 100 for one in halfway.values())
        assert set(await marks.catching_up()) == NAMES
        await models.caught_up(projector)
        await asyncio.sleep(watermarks.LOOK_SECONDS)
        assert {one.model: one.freshness for one in await marks.every()} == dict.fromkeys(NAMES, COMPLETE)
        assert {one.percent for one in await marks.every()} == {100}
        assert not await marks.catching_up()

    on_models(new_database(2), work)


@pytest.mark.usefixtures("hasty")
def test_without_a_projector_the_watermark_stands_still_and_after_a_while_nothing_is_complete() -> None:
    async def work(models: Models) -> None:
        await play_into(models, 3)
        await models.caught_up()
        marks = Watermarks(models.pool, models.store.lanes, milliseconds_now)
        assert (await marks.of("history")).complete
        before = milliseconds_now()
        await play_into(models, 3, seed=2)
        await asyncio.sleep(0.1)
        behind = await marks.of("history")
        assert not behind.complete
        assert behind.caught_up_to is not None
        assert behind.caught_up_to <= before + 1
        assert behind.caught_up_to > before - 500
        await asyncio.sleep(0.1)
        later = (await marks.of("history")).caught_up_to
        assert later is not None
        assert abs(later - behind.caught_up_to) <= 2

    on_models(new_database(2), work)


@pytest.mark.usefixtures("hasty")
def test_a_process_that_has_just_started_knows_from_the_projector_when_a_model_last_had_everything() -> None:
    async def work(models: Models) -> None:
        await play_into(models, 3)
        before = milliseconds_now()
        await models.caught_up()
        after = milliseconds_now()
        await play_into(models, 3, seed=2)
        told = await Watermarks(models.pool, models.store.lanes, milliseconds_now).of("statistics")
        assert told.caught_up_to is not None
        assert before - 20 <= told.caught_up_to <= after + 20

    on_models(new_database(2), work)


def test_moves_that_change_no_list_change_no_watermark() -> None:
    """Otherwise a stranger could see when somebody bids at a private table."""

    async def work(models: Models) -> None:
        ((game_id, events),) = games(1).items()
        await store_games(models.store, {game_id: events[:20]})
        await models.caught_up()
        await store_games(models.store, {game_id: events[20:40]})
        told = await marks_of(models).every()
        assert {one.freshness for one in told} == {COMPLETE}

    on_models(new_database(1), work)


def test_while_models_are_complete_nothing_that_happens_anywhere_changes_a_watermark() -> None:
    """A stranger who asks all the time sees no game begin or end, and not when the delay of one is over."""

    async def work(models: Models) -> None:
        seconds = [0.0]
        marks = Watermarks(models.pool, models.store.lanes, lambda: NOW, monotonic=lambda: seconds[0])

        async def watched(until: float) -> set[ModelFreshness]:
            told = set()
            while seconds[0] < until:
                seconds[0] += 0.1
                told |= set(await marks.every())
            return told

        usual = await watched(1.0)
        assert {one.freshness for one in usual} == {COMPLETE}
        await store(models, [Made(game_id="late", players=("ann", "bob"), private=True, delay_seconds=LATE_SECONDS)])
        assert await watched(2.9) == usual, "the game is over, and the projector is slow"
        await models.caught_up()
        assert await watched(4.0) == usual
        changed = await models.pool.execute(
            f"UPDATE {(await models.live('statistics')).schema}.waiting SET shown_at = 0 WHERE game_id = 'late'"  # noqa: S608 - a name of ours
        )
        assert changed == "UPDATE 2", "the delay is over, and the projector has not looked yet"
        assert await watched(5.9) == usual
        assert not {one.freshness.complete for one in await watched(6.5)} <= {True}, "or this shows nothing"

    on_models(new_database(2), work)


def test_a_model_that_has_stopped_is_never_complete_and_is_not_waited_for() -> None:
    async def work(models: Models) -> None:
        await models.caught_up()
        marks = marks_of(models)
        assert (await marks.of("history")).complete
        await play_into(models, 6)
        others = [one for one in PROJECTIONS if one.MODEL.name != "history"]
        await models.caught_up(models.projector([Poisoned("sim-1-000004"), *others]))
        await asyncio.sleep(watermarks.LOOK_SECONDS)
        told = {one.model: one for one in await marks.every()}
        assert not told["history"].freshness.complete
        assert told["history"].stopped
        assert all(told[name].freshness == COMPLETE and not told[name].stopped for name in NAMES - {"history"})
        assert await marks.catching_up() == ()

    on_models(new_database(1), work)


def test_statistics_are_not_complete_before_their_ratings_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [Made(game_id=f"game-{number}", players=("ann", "bob"), ended_at=1_000 * number) for number in range(1, 5)]

    async def work(models: Models) -> None:
        await store(models, made)
        with monkeypatch.context() as patched:
            patched.setattr("services.projector.projector.SETTLE_BEHIND_MAX", -1)  # As if other lanes were far behind.
            await models.caught_up()
        told = {one.model: one.freshness for one in await marks_of(models).every()}
        assert told.pop("statistics") == Freshness(complete=False)
        assert set(told.values()) == {COMPLETE}
        await models.projector().advance(0)
        assert await marks_of(models).of("statistics") == COMPLETE

    on_models(new_database(2), work)


@pytest.mark.usefixtures("hasty")
def test_everything_from_before_a_watermark_is_in_the_model_whatever_the_projector_does() -> None:
    async def work(models: Models) -> None:
        chance, committed, done = Random(3), dict[str, int](), asyncio.Event()
        marks = Watermarks(models.pool, models.store.lanes, milliseconds_now)
        played = games(30, seed=7)

        async def play() -> None:
            for game_id, events in played.items():
                await store_games(models.store, {game_id: events})
                committed[game_id] = milliseconds_now()
                await asyncio.sleep(chance.random() * 0.02)
            done.set()

        async def project() -> None:
            projector = models.projector(batch_max=400)
            while not done.is_set():
                await projector.advance(chance.randrange(models.store.lanes))
                await asyncio.sleep(chance.choice((0.0, 0.0, 0.1)))

        working = [asyncio.create_task(play()), asyncio.create_task(project())]

        async def promised() -> set[str]:
            told = await marks.of("history")
            rows = await models.pool.fetch("SELECT game_id FROM history_v2.records")
            before = {game_id for game_id, at in committed.items() if at < (told.caught_up_to or 0)}
            assert before <= {row["game_id"] for row in rows}
            return before

        while not done.is_set():
            await promised()
        await asyncio.gather(*working)
        await models.caught_up()
        await asyncio.sleep(0.05)
        assert await promised() == set(played)

    on_models(new_database(2), work)


def test_on_a_healthy_server_under_load_everything_stays_complete() -> None:
    async def work(models: Models) -> None:
        marks, played = marks_of(models), games(25, seed=8)
        told = [one.freshness.complete for one in await marks.every()]
        ends = time.monotonic() + 2.0
        async with projecting(models.url, models.store.lanes):
            for game_id, events in played.items():
                if time.monotonic() > ends:
                    break
                await store_games(models.store, {game_id: events})
                told += [one.freshness.complete for one in await marks.every()]
                await asyncio.sleep(0.1)
        assert len(told) > len(NAMES) * 4
        assert all(told)

    on_models(new_database(2), work)


def test_a_database_that_lost_what_was_projected_last_takes_the_promise_back() -> None:
    async def work(models: Models) -> None:
        await play_into(models, 3)
        await models.caught_up()
        marks = marks_of(models)
        assert (await marks.of("games")).complete
        owner = await models.store.connect_appender()
        await owner.execute("RESET ROLE; UPDATE liarsdice.model_positions SET position = 1, caught_up_at = NULL")
        await owner.close()
        await asyncio.sleep(watermarks.LOOK_SECONDS)
        assert await marks.of("games") == Freshness(complete=False)

    on_models(new_database(1), work)


def test_many_who_ask_at_once_cost_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(models: Models) -> None:
        marks, looks = marks_of(models), []
        rows = marks._rows  # noqa: SLF001 - to count them

        async def counted() -> Sequence[object]:
            looks.append(1)
            return await rows()

        monkeypatch.setattr(marks, "_rows", counted)
        await asyncio.gather(*(marks.of("games") for _ in range(50)))
        assert len(looks) <= 2

    on_models(new_database(1), work)


@pytest.mark.parametrize("waits", [True, False])
def test_who_only_reads_is_not_ready_before_the_models_have_caught_up_once_and_who_plays_is(
    *, waits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watermarks, "LOOK_SECONDS", 0.0)

    async def no_problem() -> None:
        return None

    async def work(models: Models) -> None:
        await play_into(models, 2)
        ready = ModelReadiness(no_problem, marks_of(models), waits_for_models=waits)
        behind = await ready()
        assert set(behind.catching_up) == NAMES
        assert behind.problem == ("the read models are catching up" if waits else None)
        await models.caught_up()
        assert await ready() == Ready()
        monkeypatch.setattr(watermarks, "TOLERANCE_SECONDS", -1.0)
        again = await ready()
        assert again.problem is None, "all processes read the same models, and must not go away together"
        assert set(again.catching_up) == NAMES

    on_models(new_database(1), work)


def test_the_scan_for_missing_events_asks_the_index() -> None:
    async def work(models: Models) -> None:
        await play_into(models, 6)
        async with models.pool.acquire() as connection:
            await connection.execute("SET enable_seqscan = off")
            plan = await connection.fetch(f"EXPLAIN {query('has_events_between', 'lane_0')}", 5, 300, ["game-ended.v1"])
        assert any("stored_events_notification_id_idx" in row[0] for row in plan)

    on_models(new_database(1), work)
