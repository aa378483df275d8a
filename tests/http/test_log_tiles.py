"""The published log over HTTP: what a client that knows only C2SP's tlog-tiles finds there, and what nobody finds."""

import asyncio
import json
from pathlib import Path

import pytest

from infra.log.checkpoints import open_checkpoint
from infra.log.notes import read_vkey
from services.audit.published_tiles import PublishedTiles
from services.cli.main import parser_for
from tests.http.readers import API, Site, on_site
from tests.infra.log.tiled_logs import hashed, tree_hash
from tests.infra.postgres.databases import new_database, on_connection
from tests.servers import LOG_KEYS


async def played(site: Site) -> tuple[str, str]:
    """An open game and a private one, of which the log has everything."""
    game_id, _ = await site.played("bidding-track", 3, options={"dice_each": 2})
    private, _ = await site.played(private=True)
    await site.server.running.logbook.caught_up(10)
    return game_id, private


async def file(site: Site, path: str) -> bytes:
    """A file of the published log."""
    answer = await site.get(f"{API}/log/{path}")
    assert answer.status_code == 200, answer.text
    kind, cache = answer.headers["content-type"], answer.headers["cache-control"]
    if path == "checkpoint":
        assert (kind, cache) == ("text/plain; charset=utf-8", "no-cache")
    else:
        assert (kind, cache) == ("application/octet-stream", "public, max-age=86400")
    return answer.content


def ran(flags: list[str]) -> int:
    """The exit code of a subcommand, run beside the server of the test."""
    arguments = parser_for(flags).parse_args(flags)
    return int(arguments.run(arguments))


def split(bundle: bytes) -> list[bytes]:
    """The entries of a bundle, as the specification says it."""
    entries = []
    while bundle:
        length = int.from_bytes(bundle[:2], "big")
        entries.append(bundle[2 : 2 + length])
        bundle = bundle[2 + length :]
    return entries


def test_a_client_that_knows_the_standard_alone_mirrors_the_log_and_reads_no_game_in_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(PublishedTiles, "AGE_SECONDS", 0)

    async def story(site: Site) -> None:
        games = await played(site)
        note = await file(site, "checkpoint")
        _, checkpoint = open_checkpoint(note, [read_vkey(key) for key in LOG_KEYS.vkeys])
        size = checkpoint.size
        bundle, leaves = await file(site, f"tile/entries/000.p/{size}"), await file(site, f"tile/0/000.p/{size}")
        entries = split(bundle)
        assert len(entries) == size > 3
        assert b"".join(map(hashed, entries)) == leaves
        assert tree_hash([hashed(entry) for entry in entries]) == checkpoint.root
        assert await file(site, "tile/0/000.p/2") == leaves[:64]
        assert not any(game.encode() in bundle for game in games)
        for path in ("0/000", f"0/000.p/{size + 1}", "1/000.p/1", "0/001.p/1", "entries/000"):
            assert (await site.refused(f"log/tile/{path}"))["reason"] == "NO_SUCH_TILE"
        for path in ("0/0", "9/000", "x", "0/000.p/256", "a" * 101):
            assert (await site.refused(f"log/tile/{path}"))["reason"] == "FIELD_INVALID"
        flags = [f"{site.url}{API}/log", "--log-key", LOG_KEYS.vkeys[0], "--state", str(tmp_path / "state"), "--once"]
        assert await asyncio.to_thread(ran, ["monitor", *flags, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["size"], found["previous_size"], found["contradictions"]) == (size, 0, [])
        assert await asyncio.to_thread(ran, ["monitor", *flags]) == 0
        assert capsys.readouterr().out == (
            f"{checkpoint.origin}: {size} leaves, 0 of them new.\nIt only grew, and no two entries contradict each other.\n"
        )

    on_site(story, url=new_database())


def test_what_is_not_yet_an_hour_old_is_not_published() -> None:
    url = new_database()

    async def story(site: Site) -> None:
        await played(site)
        assert (await site.refused("log/checkpoint"))["reason"] == "NOTHING_PUBLISHED"
        assert (await site.refused("log/tile/0/000.p/1"))["reason"] == "NO_SUCH_TILE"
        old = "ALTER TABLE liarsdice.checkpoints DISABLE TRIGGER append_only"
        change = "UPDATE liarsdice.checkpoints SET made_at = now() - interval '{}' WHERE number = {}"
        await asyncio.to_thread(on_connection, url, lambda connection: connection.execute(old))
        for number, age in ((1, "61 minutes"), (2, "59 minutes")):
            await asyncio.to_thread(on_connection, url, lambda one, at=(age, number): one.execute(change.format(*at)))
        size = int((await file(site, "checkpoint")).splitlines()[1])
        latest = int((await site.read("/checkpoint")).splitlines()[1])
        assert 0 < size < latest
        await file(site, f"tile/entries/000.p/{size}")
        for kind in ("entries", "0"):
            assert (await site.refused(f"log/tile/{kind}/000.p/{size + 1}"))["reason"] == "NO_SUCH_TILE"

    on_site(story, url=url)


def test_entries_of_the_first_form_have_ids_in_them_and_stay_unpublished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PublishedTiles, "AGE_SECONDS", 0)
    url = new_database()

    async def story(site: Site) -> None:
        await played(site)
        old = "ALTER TABLE liarsdice.log_leaves DISABLE TRIGGER append_only"
        await asyncio.to_thread(on_connection, url, lambda one: one.execute(old))
        change = "UPDATE liarsdice.log_leaves SET form = 1 WHERE index = 1"
        await asyncio.to_thread(on_connection, url, lambda one: one.execute(change))
        assert len(await file(site, "tile/0/000.p/2")) == 64
        await file(site, "tile/entries/000.p/1")
        assert (await site.refused("log/tile/entries/000.p/2"))["reason"] == "ENTRIES_NOT_PUBLISHED"

    on_site(story, url=url)
