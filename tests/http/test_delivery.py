"""How answers are delivered: entity tags, what caches may keep, compression, and heads alone."""

import gzip

import httpx
import pytest
import zstandard

from tests.http.readers import API, Site, on_site

PLAIN = {"Accept-Encoding": "identity"}


def test_who_has_an_answer_already_is_told_so_and_nothing_else() -> None:
    async def story(site: Site) -> None:
        game_id, _ = await site.played()
        for path in ("games", f"games/{game_id}", f"games/{game_id}/record", f"games/{game_id}/steps/9", "rulebooks"):
            first = await site.get(f"{API}/{path}")
            tag = first.headers["etag"]
            assert not tag.startswith("W/")
            for sent in (tag, f"W/{tag}", f'"other", {tag}', "*"):
                again = await site.get(f"{API}/{path}", headers={"If-None-Match": sent})
                assert (again.status_code, again.content) == (304, b"")
                assert again.headers["etag"] == tag
                assert again.headers["cache-control"] == first.headers["cache-control"]
                assert "content-length" not in again.headers
            assert (await site.get(f"{API}/{path}", headers={"If-None-Match": '"other"'})).content == first.content

    on_site(story)


def test_the_tag_of_a_game_changes_with_the_game() -> None:
    async def story(site: Site) -> None:
        players = await site.server.players(2)
        game_id = await site.server.bidding(players)
        await site.listed(game_id)
        path = f"{API}/games/{game_id}/steps"
        tag = (await site.get(path)).headers["etag"]
        assert (await site.get(path, headers={"If-None-Match": tag})).status_code == 304
        await players[0].ask("PlaceBid", game_id=game_id, quantity=1, face=2)
        moved = await site.get(path, headers={"If-None-Match": tag})
        assert moved.status_code == 200
        assert moved.headers["etag"] != tag

    on_site(story)


def test_caches_may_keep_what_is_over_and_for_everybody_only_what_is_public() -> None:
    async def story(site: Site) -> None:
        public, _ = await site.played()
        private, clients = await site.played(private=True)
        late, late_clients = await site.played(spectator_delay_seconds=3_600)
        running = await site.server.bidding(await site.server.players(2))

        async def kept(game_id: str, reader: object = None) -> set[str]:
            paths = ("record", "steps", "steps/3", "steps/3?seat=0", "record?format=notation")
            answers = [await site.get(f"{API}/games/{game_id}/{path}", reader) for path in paths]  # type: ignore[arg-type]
            assert {answer.status_code for answer in answers} == {200}
            assert all({"Authorization", "Accept-Encoding"} <= varied(answer) for answer in answers)
            return {answer.headers["cache-control"] for answer in answers}

        assert await kept(public) == {"public, max-age=86400"}
        assert await kept(public, clients[0].player) == {"public, max-age=86400"}
        assert await kept(private, clients[0].player) == {"private, max-age=86400"}
        assert await kept(late, late_clients[0].player) == {"private, max-age=86400"}
        assert await kept(late) == {"no-cache"}
        assert await kept(running) == {"no-cache"}
        assert await kept(running, clients[0].player) == {"private, no-cache"}

    on_site(story)


def varied(answer: httpx.Response) -> set[str]:
    return {name.strip() for name in answer.headers["vary"].split(",")}


@pytest.mark.parametrize(
    "path", ["games?page_size=100", "export", "export?format=csv", "record", "/schema/openapi.json"]
)
def test_an_answer_is_compressed_as_its_reader_takes_it(path: str) -> None:
    async def story(site: Site) -> None:
        game_id, _ = await site.played()
        where = path if path.startswith("/") else f"{API}/{path}"
        where = where if path != "record" else f"{API}/games/{game_id}/record"

        async def asked(accepted: str) -> tuple[str | None, bytes, str | None]:
            async with site.client.stream("GET", where, headers={"Accept-Encoding": accepted}) as answer:
                raw = b"".join([piece async for piece in answer.aiter_raw()])
            return answer.headers.get("content-encoding"), raw, answer.headers.get("etag")

        none, plain, tag = await asked("identity")
        assert none is None
        assert plain
        for accepted in ("gzip", "gzip;q=0.5, br", "GZIP", "zstd;q=0, *"):
            encoding, raw, other = await asked(accepted)
            assert (encoding, gzip.decompress(raw)) == ("gzip", plain)
            assert tag is None or other == f'{tag[:-1]}-gzip"'
        for accepted in ("zstd", "gzip, deflate, br, zstd", "*", "gzip;q=0.2, zstd;q=0.3"):
            encoding, raw, other = await asked(accepted)
            assert (encoding, zstandard.ZstdDecompressor().decompressobj().decompress(raw)) == ("zstd", plain)
            assert tag is None or other == f'{tag[:-1]}-zstd"'
        for accepted in ("", "br", "gzip;q=0", "gzip;q=nonsense"):
            assert await asked(accepted) == (None, plain, tag)

    on_site(story)


def test_what_is_small_and_what_is_streamed_as_events_is_not_compressed() -> None:
    async def story(site: Site) -> None:
        game_id, _ = await site.played()
        for path in ("/health/live", f"{API}/games/{game_id}/replay?wait_seconds_max=0", f"{API}/games/nothing"):
            assert "content-encoding" not in (await site.get(path)).headers

    on_site(story)


def test_the_head_of_an_answer_can_be_asked_for_alone() -> None:
    async def story(site: Site) -> None:
        game_id, _ = await site.played()
        paths = (
            "rulebooks",
            f"games/{game_id}/record",
            "export",
            f"games/{game_id}/replay?speed=0.01",
            "games/nothing",
        )
        for path in paths:
            head = await site.client.head(f"{API}/{path}", headers=PLAIN)
            assert head.content == b""
            assert head.status_code == (404 if path == "games/nothing" else 200)
        whole = await site.get(f"{API}/rulebooks", headers=PLAIN)
        head = await site.client.head(f"{API}/rulebooks", headers=PLAIN)
        for name in ("etag", "content-length", "content-type", "cache-control"):
            assert head.headers[name] == whole.headers[name]

    on_site(story)
