"""Decisions in bulk over HTTP and gRPC: every one of them once, in every format, and only new ones after a token."""

import asyncio
import csv
import json
from importlib import import_module
from io import BytesIO, StringIO
from typing import Any

import pytest
from liarsdice.v1 import statistics_service_pb2 as wire

from domain.statistics.answers import DecisionMade
from infra.postgres.store import EventStore
from services.http import decision_jobs
from services.rpc import decision_jobs as rpc_jobs
from services.wire.translation import from_message
from tests.audit.stored_games import games, store_games
from tests.http.readers import API, Site, on_site
from tests.infra.postgres.databases import new_database

GAMES, MORE = 12, 4
_COUNTED = "SELECT count(*) FROM history_v2.records JOIN statistics_v2.courses USING (game_id)"
_BUSIEST = (
    "SELECT player_id FROM statistics_v2.decisions WHERE played = 'ended' GROUP BY 1 ORDER BY count(*) DESC LIMIT 1"
)


async def stored(url: str, count: int, seed: int) -> None:
    store = await EventStore.open(url)
    await store_games(store, games(count, seed))
    await store.close()


@pytest.fixture(scope="module")
def url() -> str:
    """A database with games."""
    found = new_database()
    asyncio.run(stored(found, GAMES, 1))
    return found


async def busiest(site: Site, count: int = GAMES) -> str:
    """The player with the most decisions, once all games are there."""
    pool = site.server.running.archive.pool
    while await pool.fetchval(_COUNTED) < count:  # noqa: ASYNC110 - nobody tells when
        await asyncio.sleep(0.05)
    return str(await pool.fetchval(_BUSIEST))


async def listed(site: Site, player: str, filters: str = "") -> list[Any]:
    """The same decisions from the list, page by page."""
    found: list[Any] = []
    page: dict[str, Any] = {"next_page_token": ""}
    while page["next_page_token"] is not None:
        page = await site.read(
            f"/players/{player}/decisions?page_size=100&page_token={page['next_page_token']}{filters}"
        )
        found += page["decisions"]
    return found


def lines(raw: bytes) -> list[Any]:
    return [json.loads(line) for line in raw.splitlines()]


def names(decisions: list[Any]) -> list[tuple[str, int]]:
    return [(made["game_id"], int(made["version"])) for made in decisions]


def test_every_decision_of_a_player_comes_once_in_every_format_in_the_order_asked_for(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decision_jobs, "DECISIONS_IN_PART", 7)

    async def story(site: Site) -> None:
        path = f"{API}/players/{await busiest(site)}/decisions/export"
        for filters in ("", "&order=worst&action=bid", "&regret_min=0.2&phase=early"):
            expected = await listed(site, await busiest(site), filters)
            assert len(expected) > decision_jobs.DECISIONS_IN_PART
            assert lines((await site.get(f"{path}?{filters[1:]}")).content) == expected
            table = (await site.get(f"{path}?format=csv{filters}")).text
            assert names(list(csv.DictReader(StringIO(table, newline="")))) == names(expected)
            raw = (await site.get(f"{path}?format=parquet{filters}")).content
            found = import_module("pyarrow.parquet").read_table(BytesIO(raw)).to_pylist()
            assert names(found) == names(expected)
            assert [one["regret"] for one in found] == [one["regret"] for one in expected]

    on_site(story, url=url)


def test_too_many_decisions_for_parquet_are_refused_with_what_to_do(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision_jobs, "PARQUET_DECISIONS_MAX", 10)

    async def story(site: Site) -> None:
        path = f"{API}/players/{await busiest(site)}/decisions/export?format=parquet"
        problem = await site.refused(path)
        assert problem["violations"][0]["field"] == "format"
        assert "at most 10 decisions" in problem["detail"]

    on_site(story, url=url)


def test_the_decisions_of_a_game_come_in_every_format(url: str) -> None:
    async def story(site: Site) -> None:
        game_id = next(iter(games(1)))
        await busiest(site)
        expected = (await site.read(f"/games/{game_id}/decisions"))["decisions"]
        path = f"{API}/games/{game_id}/decisions/export"
        answer = await site.get(path)
        assert lines(answer.content) == expected
        assert answer.headers["liarsdice-complete"] == "true"
        table = (await site.get(f"{path}?format=csv")).text
        assert names(list(csv.DictReader(StringIO(table, newline="")))) == names(expected)
        raw = (await site.get(f"{path}?format=parquet")).content
        assert names(import_module("pyarrow.parquet").read_table(BytesIO(raw)).to_pylist()) == names(expected)

    on_site(story, url=url)


def test_the_next_export_has_only_the_decisions_of_new_games() -> None:
    url = new_database()
    asyncio.run(stored(url, GAMES, 1))

    async def story(site: Site) -> None:
        player = await busiest(site)
        path = f"{API}/players/{player}/decisions/export"
        whole = await site.get(path)
        token = whole.headers["Resume-Token"]
        before = names(lines(whole.content))
        assert (await site.get(f"{path}?after={token}")).content == b""
        await stored(url, MORE, 2)
        await busiest(site, GAMES + MORE)
        after = names(lines((await site.get(f"{path}?after={token}")).content))
        assert after
        assert sorted(before + after) == sorted(names(lines((await site.get(path)).content)))
        assert len(set(before + after)) == len(before + after)
        for wrong, problem in ((f"{token}&action=bid", "the same filters"), ("made-up", "unchanged")):
            assert problem in (await site.refused(f"{path}?after={wrong}"))["detail"]
        stranger = await site.refused(f"{API}/players/nobody-at-all/decisions/export")
        assert stranger["reason"] == "NO_SUCH_PLAYER"

    on_site(story, url=url)


def test_a_call_goes_on_after_each_of_its_tokens_without_a_gap_or_a_duplicate(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rpc_jobs, "DECISIONS_IN_MESSAGE", 20)

    async def story(site: Site) -> None:
        player_id, reader = await busiest(site), await site.server.player()
        expected = lines((await site.get(f"{API}/players/{player_id}/decisions/export?order=worst")).content)

        async def told(**asked: Any) -> list[Any]:
            stream = reader.export(
                "ExportPlayerDecisions", player_id=player_id, order=wire.DECISION_ORDER_WORST, **asked
            )
            return [answer async for answer in stream]

        answers = await told()
        assert answers[0].freshness.complete
        assert len(answers) > 3
        made = [from_message(one, DecisionMade) for answer in answers for one in answer.decisions]
        assert [(one.game_id, one.version) for one in made] == names(expected)
        for index, answer in enumerate(answers):
            rest = [one for more in await told(after=answer.resume_token) for one in more.decisions]
            assert rest == [one for more in answers[index + 1 :] for one in more.decisions]

    on_site(story, url=url)
