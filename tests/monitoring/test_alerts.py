"""Every alert fires in a fault that is really made, is silent before it, and has its section on the page for operators."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn, ParamSpec

import asyncpg
import httpx
import pytest
from eventsourcing.persistence import StoredEvent
from msgspec.structs import replace

from infra.embedded.postgres import EmbeddedPostgres
from infra.log.notes import Cosigner
from infra.log.policy import read_policy
from infra.postgres.migrating import migrate
from infra.postgres.store import EventStore
from services.audit.logbook import Logbook
from services.live import mailbox
from tests.audit.stored_games import games
from tests.audit.test_signing import forge, leaves_of
from tests.http.readers import API, HTTP_SETTINGS, Site, on_site, site
from tests.infra.postgres.databases import (
    QUICK_SETTINGS,
    empty_database,
    folder_for_a_server,
    made_store,
    new_database,
    on_connection,
)
from tests.monitoring.promql import Scrape, evaluated, scraped
from tests.monitoring.rules import ALERTS, FOLDER, PROMTOOL, checked_by_promtool, fires_by_promtool
from tests.rpc.servers import Told
from tests.servers import free_ports

PAGE = Path(__file__).parents[2] / "docs" / "operate" / "alerts.md"
PARTS = ("What it means.", "How to see it.", "What to do.")
MADE: set[str] = set()
"""The alerts for which a test makes a fault."""
Given = ParamSpec("Given")
Scrapes = tuple[Scrape, Scrape]


def makes(*alerts: str) -> Callable[[Callable[Given, Scrapes]], Callable[Given, None]]:
    """The fault that a test makes raises these alerts: it returns what the server said before the fault and in it."""
    MADE.update(alerts)

    def wrapped(fault: Callable[Given, Scrapes]) -> Callable[Given, None]:
        @wraps(fault)
        def made(*given: Given.args, **named: Given.kwargs) -> None:
            before, during = fault(*given, **named)
            for alert in alerts:
                expression = ALERTS[alert]["expr"]
                assert not evaluated(expression, before, before), f"{alert} before the fault"
                assert evaluated(expression, before, during), f"{alert} in the fault"
                if PROMTOOL is not None:
                    assert not fires_by_promtool(alert, before, before), f"{alert} before the fault, in Prometheus"
                    assert fires_by_promtool(alert, before, during), f"{alert} in the fault, in Prometheus"

        return made

    return wrapped


async def seen(of: Site) -> Scrape:
    return scraped((await of.get("/metrics")).text, job="liarsdice", instance="one")


async def seen_once(of: Site, fits: Callable[[Scrape], bool]) -> Scrape:
    while not fits(found := await seen(of)):  # noqa: ASYNC110 - nobody tells when
        await asyncio.sleep(0.1)
    return found


def value(scrape: Scrape, name: str, **labels: str) -> float:
    """The sum of the series of a metric that have these labels."""
    wanted = set(labels.items())
    return sum(number for one, number in scrape.values.items() if one.name == name and wanted <= one.labels)


@asynccontextmanager
async def locked(url: str, *statements: str) -> AsyncIterator[None]:
    """Hold locks, as a careless administrator might."""
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            for statement in statements:
                await connection.execute(statement)
            yield
    finally:
        await connection.close()


async def store_nonsense(url: str, events: int) -> None:
    """Store events of streams that mean nothing to anybody, some in each lane."""
    store = await EventStore.open(url)
    try:
        for stream in map("nonsense-{}".format, range(8)):
            stored = [StoredEvent(stream, version, "nonsense", b"{}") for version in range(1, events + 1)]
            await store.append(stored, stream)
    finally:
        await store.close()


@makes("LiarsDiceProcessDown", "LiarsDiceNoServer")
def test_a_server_that_ends_is_missed() -> Scrapes:
    url = new_database(lanes=2)

    async def story() -> Scrapes:
        async with site(url) as running:
            before, there = await seen(running), running.url
        async with httpx.AsyncClient() as client:
            with pytest.raises(httpx.ConnectError):
                await client.get(f"{there}/metrics")
        return before, scraped(None, job="liarsdice", instance="one")

    return asyncio.run(story())


@makes("LiarsDiceDatabaseAway", "LiarsDiceCommandsFail", "LiarsDiceCommitsBreak", "LiarsDiceHttpFails")
def test_a_database_that_is_gone_is_told() -> Scrapes:
    async def story(running: Site, database: EmbeddedPostgres) -> Scrapes:
        ann, bob = await running.server.players(2)
        game_id = await running.server.bidding([ann, bob])
        await running.read("/games")
        before = await seen(running)
        await asyncio.to_thread(database.stop)
        with pytest.raises(Told, match="STORE_UNREACHABLE"):
            await ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2)
        first = await running.get(f"{API}/games")
        # A series that was not there has no rate. A real fault goes on, so the second request has one.
        before = without_new(before, await seen(running), "liarsdice_http_requests_total")
        second = await running.get(f"{API}/games")
        assert {first.status_code, second.status_code} == {503}
        return before, await seen(running)

    with folder_for_a_server() as folder:
        database = EmbeddedPostgres(made_store(Path(folder) / "data"), QUICK_SETTINGS)
        database.start()
        try:
            url = empty_database(database.url)
            on_connection(url, lambda connection: migrate(connection, 2))
            return on_site(lambda running: story(running, database), url=url)
        finally:
            database.stop()


def without_new(before: Scrape, then: Scrape, name: str) -> Scrape:
    """A scrape in which every series of a counter that came later is there too, with zero."""
    came = {one: 0.0 for one in then.values if one.name == name and one not in before.values}
    return Scrape({**before.values, **came}, before.kinds)


@makes("LiarsDiceCommandsSlow", "LiarsDiceCommitsSlow", "LiarsDiceStewardLate")
def test_lanes_that_somebody_locks_make_everybody_wait() -> Scrapes:
    url = new_database(lanes=2)

    async def story(running: Site) -> Scrapes:
        clock = [running.server.running.host.now()]
        running.server.running.host.now = lambda: clock[0]
        ann, bob = await running.server.players(2)
        game_id = await running.server.bidding([ann, bob])
        await running.server.bidding([ann, bob], options={"turn_seconds": 1})
        before = await seen(running)
        async with locked(url, *(f"SELECT FROM lane_{lane}.head FOR UPDATE" for lane in range(2))):
            bid = asyncio.create_task(ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2))
            clock[0] += 1_000
            waiting = await seen_once(
                running, lambda found: value(found, "liarsdice_steward_wait_seconds", waiter="people") > 5
            )
        await bid
        # The bid is counted when it ends; the game that waited for the clock was counted while it waited.
        during = await seen(running)
        gauges = {one: number for one, number in waiting.values.items() if one.name.startswith("liarsdice_steward_")}
        return before, Scrape({**during.values, **gauges}, during.kinds)

    return on_site(story, url=url)


@makes("LiarsDiceFault")
def test_a_fault_of_the_program_is_told(monkeypatch: pytest.MonkeyPatch) -> Scrapes:
    async def story(running: Site) -> Scrapes:
        ann = await running.server.player()
        before = await seen(running)

        async def failing(*_: Any) -> NoReturn:
            raise RuntimeError

        monkeypatch.setattr(running.server.running.host, "visible", failing)
        with pytest.raises(Told, match="INTERNAL"):
            await ann.ask("GetGame", game_id="any")
        return before, await seen(running)

    return on_site(story, own=True)


@makes("LiarsDiceLaneWithoutKeeper")
def test_a_lane_whose_keeper_is_not_there_is_told() -> Scrapes:
    url = new_database(lanes=2)

    async def story(running: Site) -> Scrapes:
        before = await seen(running)
        connection = await asyncpg.connect(url)
        # A server that took the lane and then stopped without an end.
        await connection.execute("UPDATE lane_1.duty SET term = term + 1, until = now() + interval '1 hour'")
        await connection.close()
        return before, await seen_once(running, lambda found: not value(found, "liarsdice_lane_kept", lane="1"))

    return on_site(story, url=url)


@makes("LiarsDiceFollowerBehind", "LiarsDiceModelBehind")
def test_followers_and_read_models_that_can_not_write_are_told() -> Scrapes:
    url = new_database(lanes=2)
    tables = ("lane_0.notification_tracking", "lane_1.notification_tracking", "liarsdice.model_positions")

    async def story() -> Scrapes:
        # The locks are held until the server has ended: nobody should take in what is stored here.
        connection = await asyncpg.connect(url)
        try:
            async with site(url) as running:
                before = await seen(running)
                lock = connection.transaction()
                await lock.start()
                for table in tables:
                    await connection.execute(f"LOCK TABLE {table} IN EXCLUSIVE MODE")
                await store_nonsense(url, 500)
                return before, await seen_once(running, _is_behind)
        finally:
            await connection.close()

    return asyncio.run(story())


def _is_behind(scrape: Scrape) -> bool:
    return bool(evaluated(ALERTS["LiarsDiceFollowerBehind"]["expr"], scrape, scrape))


@makes("LiarsDiceModelStopped")
def test_a_read_model_that_has_stopped_is_told() -> Scrapes:
    url = new_database(lanes=1)

    async def story(running: Site) -> Scrapes:
        await running.played()
        before = await seen(running)
        connection = await asyncpg.connect(url)
        await connection.execute(
            "UPDATE liarsdice.model_positions SET fault = 'ValueError', fault_position = 7, fault_game = 'any',"
            " fault_since = now() WHERE name = 'history'"
        )
        await connection.close()
        return before, await seen(running)

    return on_site(story, url=url)


@makes("LiarsDiceStreamsDropped")
def test_watchers_who_are_too_slow_are_told(monkeypatch: pytest.MonkeyPatch) -> Scrapes:
    async def story(running: Site) -> Scrapes:
        ann, bob = await running.server.players(2)
        game_id = await running.server.table([ann, bob])
        before = await seen(running)
        monkeypatch.setattr(mailbox, "MAILBOX_MAX", 0)
        for _ in range(3):
            with pytest.raises(Told, match="WATCHER_TOO_SLOW"):
                await ann.watch(game_id).next("update")
        await running.listed(game_id)
        await running.events(f"/games/{game_id}/live")
        during = await seen(running)
        assert value(during, "liarsdice_http_streams_dropped_total") == 1
        return before, during

    return on_site(story, own=True)


@makes("LiarsDiceCallersHeldBack")
def test_callers_who_are_over_their_limits_are_told() -> Scrapes:
    async def story(running: Site) -> Scrapes:
        ann = await running.server.player()
        before = await seen(running)
        asked = (ann.ask("GetGame", game_id="any") for _ in range(200))
        answers = await asyncio.gather(*asked, return_exceptions=True)
        assert sum("TOO_FAST" in str(answer) for answer in answers) > 150
        return before, await seen(running)

    return on_site(story, replace(HTTP_SETTINGS, player_rate=2.0))


@makes("LiarsDiceSigningStopped")
def test_a_log_that_is_not_the_signed_one_is_told() -> Scrapes:
    url = new_database(lanes=1)

    async def story(running: Site) -> Scrapes:
        await running.played()
        await running.server.running.logbook.caught_up(30)
        before = await seen(running)
        connection = await asyncpg.connect(url)
        async with connection.transaction():
            await forge(connection, leaves_of(games(1, seed=77)))
        await connection.close()
        logbook: Logbook = running.server.running.logbook
        await running.played()
        async with asyncio.timeout(30):
            while logbook.problem is None:  # noqa: ASYNC110 - it is asked
                await asyncio.sleep(0.02)
        return before, await seen(running)

    return on_site(story, url=url)


@makes("LiarsDiceWitnessAway")
def test_a_witness_that_does_not_answer_is_told() -> Scrapes:
    (port,) = free_ports(1)
    vkey = Cosigner("example.org/away", b"1" * 32).verifier.vkey
    policy = read_policy(f"witness away {vkey} http://127.0.0.1:{port}/\nquorum none\n".encode())

    async def story(running: Site) -> Scrapes:
        before = await seen(running)
        await running.played()
        return before, await seen_once(running, lambda found: value(found, "liarsdice_log_witnesses_away") > 0)

    return on_site(story, replace(HTTP_SETTINGS, policy=policy))


def test_every_alert_has_a_made_fault() -> None:
    assert set(ALERTS) == MADE


def test_every_alert_has_its_section_that_says_what_it_means_how_to_see_it_and_what_to_do() -> None:
    sections = dict(re.findall(r"^## (LiarsDice\w+)\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL))

    assert list(sections) == list(ALERTS)
    for name, rule in ALERTS.items():
        assert [part for part in PARTS if f"**{part}**" in sections[name]] == [*PARTS], name
        assert rule["annotations"]["runbook"] == f"docs/operate/alerts.md#{name.lower()}"
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert re.search(r"[.!]$", rule["annotations"]["summary"])


def test_the_alerts_are_asked_of_every_pod_that_has_metrics() -> None:
    """The operator's own objects are in no schema that we have, so what counts in them is looked at here."""
    text = (FOLDER / "scraping.yaml").read_text()

    assert "kind: PodMonitor" in text
    assert re.findall(r"port: (\w+)", text) == ["metrics", "health"]
    assert "jobLabel: app.kubernetes.io/name" in text


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed")
def test_prometheus_accepts_the_rules() -> None:
    assert f"SUCCESS: {len(ALERTS)} rules found" in checked_by_promtool()
