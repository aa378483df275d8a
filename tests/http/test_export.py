"""Bulk export over HTTP: every game once, in every format, and never more of it in memory than a piece."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from domain.history.record import decode_record, encode_record
from domain.history.recording import record_of
from domain.notation import read_games
from infra.postgres.store import EventStore
from services.archive.exports import Course, Exports, Part
from services.export.formats import FORMATS
from services.http import jobs
from tests.audit.stored_games import MAPPER, games, store_games
from tests.chaos.exporting import KIB_MORE_MAX, export
from tests.http.readers import API, Site, on_site
from tests.infra.postgres.databases import new_database

GAMES = 60


@pytest.fixture(scope="module")
def stored() -> tuple[str, list[bytes]]:
    """A database with games, and the records that the core makes of them."""
    url, played = new_database(), games(GAMES)

    async def write() -> None:
        store = await EventStore.open(url)
        await store_games(store, played)
        await store.close()

    asyncio.run(write())
    return url, [
        encode_record(record_of([MAPPER.to_domain_event(event).event for event in events]))
        for events in played.values()
    ]


async def numbered(found: AsyncIterator[Any]) -> AsyncIterator[tuple[int, Any]]:
    number = 0
    async for one in found:
        yield number, one
        number += 1


async def all_projected(site: Site, count: int = GAMES) -> None:
    pool = site.server.running.archive.pool
    while await pool.fetchval("SELECT count(*) FROM history_v2.records") < count:  # noqa: ASYNC110 - nobody tells when
        await asyncio.sleep(0.05)


def test_every_game_comes_once_in_every_format(stored: tuple[str, list[bytes]]) -> None:
    url, records = stored

    async def story(site: Site) -> None:
        await all_projected(site)
        lines = (await site.get(f"{API}/export")).content.splitlines()
        assert sorted(lines) == sorted(records)
        text = (await site.get(f"{API}/export?format=notation")).text
        assert list(read_games(text)) == [decode_record(line) for line in lines]
        table = (await site.get(f"{API}/export?format=csv")).content

        form = FORMATS["csv"].begin()
        assert table == form.head() + b"".join(map(form.take, lines)) + form.tail()

    on_site(story, url=url)


def test_the_next_export_has_only_what_is_new(stored: tuple[str, list[bytes]]) -> None:
    """The header comes with the first byte, because what an export has in it is settled when it begins."""
    url, records = stored

    async def story(site: Site) -> None:
        await all_projected(site)
        whole = await site.get(f"{API}/export")
        token = whole.headers["Resume-Token"]
        nothing = await site.get(f"{API}/export?after={token}&format=csv")
        assert nothing.content == FORMATS["csv"].begin().head()
        assert sorted(whole.content.splitlines()) == sorted(records)
        for wrong, problem in ((f"{token}&rulebook=pirates", "the same filters"), ("made-up", "unchanged")):
            refused = await site.get(f"{API}/export?after={wrong}")
            assert refused.status_code == 400
            assert refused.json()["violations"][0]["field"] == "after"
            assert problem in refused.text

    on_site(story, url=url)


def test_only_the_games_that_are_asked_for_come(stored: tuple[str, list[bytes]]) -> None:
    url, records = stored

    async def story(site: Site) -> None:
        await all_projected(site)
        book = decode_record(records[0]).rulebook
        lines = (await site.get(f"{API}/export?rulebook={book}")).content.splitlines()
        assert sorted(lines) == sorted(record for record in records if decode_record(record).rulebook == book)
        assert 0 < len(lines) < GAMES
        assert (await site.refused("export?player=nobody"))["reason"] == "NO_SUCH_PLAYER"
        assert (await site.get(f"{API}/export?player=bot.cautious&since=2100-01-01")).content == b""
        assert (await site.get(f"{API}/export?since=2100-01-01")).content == b""

    on_site(story, url=url)


def test_a_server_that_goes_down_breaks_an_export_off_so_that_it_is_not_taken_for_whole(
    stored: tuple[str, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "GAMES_IN_PART", GAMES // 2)
    url, _ = stored

    async def story(site: Site) -> None:
        await all_projected(site)
        assert site.server.running.reading is not None
        library = site.server.running.reading.library
        every = Exports.part

        async def interrupted(*asked: Any) -> Part:
            part = await every(*asked)
            library.draining.set()
            return part

        monkeypatch.setattr(Exports, "part", interrupted)
        heard = b""
        with pytest.raises(httpx.RemoteProtocolError):  # noqa: PT012 - what came before counts
            plain = {"Accept-Encoding": "identity"}  # A compressor would keep so short a part to itself.
            async with site.client.stream("GET", f"{API}/export", headers=plain) as answer:
                async for piece in answer.aiter_bytes():
                    heard += piece
        assert heard
        refused = await site.get(f"{API}/export")
        assert (refused.status_code, refused.json()["reason"]) == (503, "EXPORT_INTERRUPTED")

    on_site(story, url=url)


def test_an_export_counts_as_a_stream_before_its_first_part_is_made(
    stored: tuple[str, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a caller could ask for any number of them at once."""
    url, _ = stored

    async def story(site: Site) -> None:
        await all_projected(site)
        assert site.server.running.reading is not None
        library = site.server.running.reading.library
        every, counted = Exports.begin, list[int]()

        async def looked(*asked: Any) -> Course:
            counted.append(library.streams.count)
            return await every(*asked)

        monkeypatch.setattr(Exports, "begin", looked)
        await site.get(f"{API}/export")

        assert counted[0] == 1
        assert library.streams.count == 0

    on_site(story, url=url)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells how much memory a process had")
def test_the_memory_of_the_server_does_not_grow_with_the_export() -> None:
    """In the long form, `make chaos`, with a hundred thousand games."""
    report = export(8_000, warm_bytes=1_024 * 1_024)

    assert report.lines == 8_000
    assert sum(report.sizes.values()) > 2 * KIB_MORE_MAX * 1_024
    assert report.grown_kib < KIB_MORE_MAX
