"""Event streams over HTTP: live games and replays, with every event once."""

import asyncio
import socket
import time
from itertools import pairwise

import httpx
import pytest
from msgspec.structs import replace

from tests.http.readers import API, HTTP_SETTINGS, Site, on_site
from tests.rpc.clients import Client
from tests.rpc.servers import Player

IMPATIENT = replace(HTTP_SETTINGS, heartbeat_seconds=0.1)


async def play_on(game_id: str, players: list[Player]) -> None:
    clients = [Client(player, game_id, seed) for seed, player in enumerate(players)]
    await asyncio.gather(*[client.play() for client in clients])


def test_who_watches_a_table_sees_it_and_then_every_step_once_up_to_the_end() -> None:
    async def story(site: Site) -> None:
        players = await site.server.players(2)
        game_id = await site.server.bidding(players)
        async with site.stream(f"/games/{game_id}/live", params={"view": "true"}) as events:
            await anext(events)  # How long to wait before connecting again.
            first = await anext(events)
            playing = asyncio.create_task(play_on(game_id, players))
            rest = [event async for event in events if event.kind]
            await playing
        assert (first.kind, first.number) == ("game", first.data["version"])
        *steps, end = rest
        assert [step.number for step in steps] == list(
            range(first.data["version"] + 1, steps[-1].data["step"]["version"] + 1)
        )
        assert end.kind == "end"
        assert end.data == {"version": steps[-1].number, "final": True}
        for step in steps[::5]:
            shown = await site.read(f"/games/{game_id}/steps/{step.number}")
            assert step.data["view"] == shown["view"]
            assert (
                step.data["step"]["event"] == shown["step"]["event"]
                or step.data["step"]["event"]["type"] == "dice_dealt"
            )

    on_site(story)


def test_who_comes_back_goes_on_after_what_was_seen_last() -> None:
    async def story(site: Site) -> None:
        game_id, clients = await site.played()
        last = len(clients[0].events)
        for after in (0, 1, 17, last - 1):
            events = await site.events(f"/games/{game_id}/live", after=after)
            assert [event.number for event in events] == [*range(after + 1, last + 1), None]
            assert {event.kind for event in events} == {"step", "end"}
            replayed = await site.events(f"/games/{game_id}/replay?wait_seconds_max=0", after=after)
            assert [event.number for event in replayed] == [*range(after + 1, last + 1), None]
        for path in ("live", "replay"):
            done = await site.get(f"{API}/games/{game_id}/{path}", headers={"Last-Event-ID": str(last)})
            assert (done.status_code, done.content) == (204, b"")
            ahead = await site.refused(f"games/{game_id}/{path}", headers={"Last-Event-ID": str(last + 1)})
            assert ahead["reason"] in ("VERSION_AHEAD", "NO_SUCH_STEP")
            problem = await site.refused(f"games/{game_id}/{path}", headers={"Last-Event-ID": "x"})
            assert problem["reason"] == "FIELD_INVALID"

    on_site(story)


def test_a_quiet_stream_shows_that_it_lives() -> None:
    async def story(site: Site) -> None:
        game_id = await site.server.bidding(await site.server.players(2))
        async with site.client.stream("GET", f"{API}/games/{game_id}/live") as answer:
            beats = 0
            async for line in answer.aiter_lines():
                beats += line.startswith(":")
                if beats == 3:
                    break
        assert beats == 3

    on_site(story, IMPATIENT)


def test_who_watches_a_table_with_a_delay_sees_every_step_that_late() -> None:
    async def story(site: Site) -> None:
        players = await site.server.players(2)
        game_id = await site.server.table(players, spectator_delay_seconds=2)
        seen: dict[int, float] = {}
        async with site.stream(f"/games/{game_id}/live", players[0]) as events:
            await anext(events)
            assert (await anext(events)).data["view"]["phase"] == "gathering"
            await players[0].ask("StartGame", game_id=game_id, opener=0)
            async for event in events:
                if event.kind == "step":
                    seen[event.data["step"]["event"]["at"]] = time.time() * 1_000
                    if event.data["step"]["event"]["type"] == "dice_dealt":
                        break
        assert len(seen) > 1
        assert all(2_000 <= shown - at < 20_000 for at, shown in seen.items())

    on_site(story)


def test_a_stream_ends_when_its_token_is_revoked() -> None:
    async def story(site: Site) -> None:
        players = await site.server.players(2)
        game_id = await site.server.bidding(players, private=True)
        async with site.stream(f"/games/{game_id}/live", players[0]) as events:
            await anext(events)
            assert (await anext(events)).kind == "game"
            await players[0].ask("RevokeToken")
            assert [event async for event in events if event.kind] == []

    on_site(story, IMPATIENT)


def test_streams_end_when_the_server_goes_down_and_it_goes_down_soon() -> None:
    async def story(site: Site) -> float:
        game_id = await site.server.bidding(await site.server.players(2))
        assert site.server.running.reading is not None
        library = site.server.running.reading.library
        async with site.stream(f"/games/{game_id}/live") as events:
            await anext(events)
            assert (await anext(events)).kind == "game"
            library.draining.set()
            assert [event async for event in events if event.kind] == []
        assert (await site.get("/health/ready")).status_code == 503
        return time.monotonic()

    began = on_site(story, own=True)

    assert time.monotonic() - began < 15


@pytest.mark.parametrize("speed", [100.0, 1.0])
def test_a_replay_takes_the_time_that_the_game_took_at_its_speed(speed: float) -> None:
    async def story(site: Site) -> None:
        game_id, _ = await site.played()
        steps = (await site.read(f"/games/{game_id}/steps"))["steps"]
        at = [step["event"]["at"] for step in steps]
        whole = sum(min((after - before) / 1_000 / speed, 5) for before, after in pairwise(at))
        began = time.monotonic()
        events = await site.events(f"/games/{game_id}/replay?speed={speed}")
        assert [event.number for event in events if event.kind == "step"] == list(range(1, len(at) + 1))
        assert whole <= time.monotonic() - began < whole + 10

    on_site(story)


def test_a_replay_begins_where_it_is_told_to_through_the_eyes_it_is_told_to() -> None:
    async def story(site: Site) -> None:
        game_id, clients = await site.played()
        last = len(clients[0].events)
        for asked in ({"seat": 1}, {}, {"everything": "true"}):
            given = {**asked, "from": 10, "view": "true", "wait_seconds_max": 0}
            *steps, end = await site.events(f"/games/{game_id}/replay", params=given)
            assert [step.number for step in steps] == list(range(10, last + 1))
            for step in steps[::9]:
                shown = await site.read(f"/games/{game_id}/steps/{step.number}", params=asked)
                assert step.data == {"step": shown["step"], "view": shown["view"]}
            assert end.data == {"version": last, "final": True}

    on_site(story)


def test_who_takes_nothing_is_let_go_and_disturbs_nobody(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("services.http.request_metrics.SEND_SECONDS_MAX", 0.5)

    async def story(site: Site) -> None:
        game_id, _ = await site.played("bidding-track", 3)
        place = httpx.URL(site.url)
        with socket.socket() as lazy:
            lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            lazy.connect((place.host, place.port))
            # More than all buffers on the way hold.
            path = f"{API}/games/{game_id}/replay?wait_seconds_max=0&view=true"
            lazy.sendall(f"GET {path} HTTP/1.1\r\nHost: here\r\n\r\n".encode() * 120)
            while "cut off (TimeoutError)" not in caplog.text:
                await site.events(f"/games/{game_id}/replay?wait_seconds_max=0")

    on_site(story, own=True)
