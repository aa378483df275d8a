"""No byte that HTTP sends about a running game depends on dice under cups.

Only digests do, as in `tests/rpc/test_non_interference.py`, which makes the two games that differ only in hidden dice.
"""

import asyncio
import re

import pytest

from services.access.identity import token_hash
from tests.extent import extent
from tests.http.readers import API, HTTP_SETTINGS, Site, site
from tests.infra.postgres.databases import new_database
from tests.rpc.servers import Player
from tests.rpc.test_non_interference import BOOKS, NOW, begun, copied

EYES = ("", "seat=0", "seat=1", "seat=2", "everything=true")
IN_PARTS = re.compile(r"\{(\w+)\}")
NOBODY = 99
"""A seat that there is not: every hidden die is another one."""


@pytest.mark.at_length
@pytest.mark.parametrize("rulebook", BOOKS[:: extent(4, 1)])
def test_with_other_dice_under_the_cups_every_route_tells_the_same_bytes(rulebook: str) -> None:
    one, other = new_database(), new_database()

    async def story() -> tuple[list[bytes], list[bytes], bool, set[str]]:
        async with site(one, HTTP_SETTINGS) as running:
            running.server.running.host.now = lambda: NOW
            players, game_id = await begun(running.server, rulebook)
            eve = await running.server.player("Eve", scopes=("player", "auditor"))
            changed = await copied(one, other, game_id, NOBODY, players)
            first, asked = await told(running, [players[0], eve], game_id)
        async with site(other, HTTP_SETTINGS) as running:
            running.server.running.host.now = lambda: NOW
            known = running.server.running.identities._players  # noqa: SLF001 - the same reader with the same token
            await known.add(eve.player_id, "Eve", token_hash(eve.token), ("player", "auditor"))
            readers = [Player(running.server.channel, player.token, player.player_id) for player in (players[0], eve)]
            second, _ = await told(running, readers, game_id)
        return first, second, changed, asked

    first, second, changed, asked = asyncio.run(story())

    assert changed
    assert len(first) > 100
    assert first == second
    assert asked >= {"/api/v1/games/{game_id}/live", "/api/v1/games/{game_id}/rounds/{number}/audit"}


async def told(running: Site, readers: list[Player], game_id: str) -> tuple[list[bytes], set[str]]:
    """Every byte that a player, an auditor and a stranger get from every route, and the list of routes."""
    await running.server.running.logbook.caught_up(30)
    await running.eventually(f"/games/{game_id}", lambda game: game["result"] == "running")
    schema = (await running.get("/schema/openapi.json")).json()
    routes = {path for path in schema["paths"] if path.startswith(API)}
    last = (await running.read(f"/games/{game_id}/steps"))["last_version"]
    values: dict[str, list[object]] = {
        "game_id": [game_id],
        "player_id": [readers[0].player_id],
        "club_id": ["nowhere"],
        "number": [1, 2],
        "size": [1, 2],
        "tile": ["0/000.p/1", "entries/000.p/1"],
    }
    values["version"] = [last - 2, last, last + 1]
    paths = [path for route in sorted(routes) for path in filled(route, values)]
    return [await bytes_of(running, path, reader, last) for reader in (None, *readers) for path in paths], routes


def filled(route: str, values: dict[str, list[object]]) -> list[str]:
    """The paths of a route, with every viewpoint if the route has viewpoints."""
    paths = [route]
    for name in IN_PARTS.findall(route):
        paths = [path.replace(f"{{{name}}}", str(value)) for path in paths for value in values[name]]
    match route.rsplit("/", 1)[-1]:
        case "{version}":
            return [f"{path}?{eyes}" for path in paths for eyes in EYES]
        case "replay":
            return [f"{path}?wait_seconds_max=0&view=true&{eyes}" for path in paths for eyes in EYES]
        case "live":
            return [f"{path}?view=true" for path in paths]
        case "export":
            return [f"{path}?format={form}" for path in paths for form in ("ndjson", "csv", "notation")]
        case "record":
            return [*paths, *(f"{path}?format=notation" for path in paths)]
        case _:
            return paths


async def bytes_of(running: Site, path: str, reader: Player | None, last: int) -> bytes:
    """The bytes of an answer without digests and without signatures over them."""
    headers = {"Authorization": f"Bearer {reader.token}"} if reader is not None and reader.token else {}
    if "/live" in path:
        # Once from where it stands, and once from the beginning, up to where it waits for what comes next.
        now = await begun_stream(running, path, headers, 2)
        return now + await begun_stream(running, path, {**headers, "Last-Event-ID": "0"}, last + 1)
    answer = await running.client.get(path, headers=headers)
    if path.startswith((f"{API}/checkpoint", f"{API}/leaderboards")) or path.endswith("/audit"):
        return str(answer.status_code).encode()  # Hashes of digests; numbers of ended games alone.
    kept = {name: value for name, value in answer.headers.items() if name not in ("date", "etag", "content-length")}
    return repr((path, answer.status_code, sorted(kept.items()))).encode() + undigested(answer.content)


async def begun_stream(running: Site, path: str, headers: dict[str, str], events: int) -> bytes:
    heard = b""
    async with running.client.stream("GET", path, headers=headers) as answer:
        assert answer.status_code == 200
        async for piece in answer.aiter_raw():
            heard += piece
            if heard.count(b"\n\n") == events:
                break
    return undigested(heard)


def undigested(content: bytes) -> bytes:
    return re.sub(rb'"digest":(?:"[^"]+"|null)', b'"digest":""', content)
