"""Floods below our calls: an address that sends them is kept out, and everybody else plays on."""

import asyncio
import socket
import sys
import time
from contextlib import ExitStack, suppress

import pytest

from services.app.settings import Settings
from services.http.listener import NEW_A_SECOND_MAX
from tests.attacks.raw import PREFACE, SETTINGS, frame, headers, message
from tests.rpc.servers import Server, on_server

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what comes over a connection")
FOE = "127.0.0.3"
LIMITED = Settings(grace_seconds=1.0, address_rate=100.0, http="127.0.0.1:0")
SECONDS_MAX = 30.0


async def is_let_in(address: str, flood: bytes = b"") -> bool:
    """Whether the foe can connect to an address; if so, it sends something."""
    host, _, port = address.rpartition(":")

    def connect() -> bool:
        # The system connects by itself, however busy this process is.
        try:
            plug = socket.create_connection((host, int(port)), timeout=1, source_address=(FOE, 0))
        except TimeoutError:
            return False
        with plug, suppress(OSError):
            plug.sendall(flood)
        return True

    return await asyncio.to_thread(connect)


async def barred_after(server: Server, flood: bytes) -> bool:
    """Whether the foe is kept out after sending the same bytes again and again."""
    until = asyncio.get_running_loop().time() + SECONDS_MAX
    while await is_let_in(server.running.address, PREFACE + frame(SETTINGS, 0, 0) + flood):
        if asyncio.get_running_loop().time() > until:
            return False
    return True


@pytest.mark.parametrize(
    "flood",
    [
        frame(SETTINGS, 0, 0, bytes.fromhex("000400010000")) * 20_000,
        b"".join(headers(stream, "ListRulebooks") + message(stream, b"") for stream in range(1, 40, 2)),
    ],
    ids=["settings without end", "calls that nobody waits for"],
)
def test_an_address_that_floods_grpc_is_kept_out_and_others_play_on(flood: bytes) -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        assert await barred_after(server, flood)
        assert (await ann.ask("GetPlayer")).player.player_id == ann.player_id
        assert server.running.reading is not None
        assert not await is_let_in(server.running.reading.url.removeprefix("http://"))

    on_server(story, LIMITED)


def test_an_address_that_floods_over_few_connections_is_found_too() -> None:
    """Each connection lives for a while, so that few of them come and go within one look."""
    calls = [
        headers(stream, "ListRulebooks", ("grpc-encoding", "gzip")) + message(stream, b"not packed", compressed=True)
        for stream in range(1, 200, 2)
    ]

    async def flood(address: str) -> None:
        host, _, port = address.rpartition(":")
        while True:
            _, writer = await asyncio.open_connection(host, int(port), local_addr=(FOE, 0))
            writer.write(PREFACE + frame(SETTINGS, 0, 0) + b"".join(calls))
            await asyncio.sleep(0.25)
            writer.close()

    async def story(server: Server) -> None:
        ann = await server.player()
        flooding = [asyncio.create_task(flood(server.running.address)) for _ in range(4)]
        async with asyncio.timeout(SECONDS_MAX):
            while await is_let_in(server.running.address):  # noqa: ASYNC110 - the system tells nobody whom it drops
                await asyncio.sleep(0.5)
        for task in flooding:
            task.cancel()
        assert (await ann.ask("GetPlayer")).player.player_id == ann.player_id

    on_server(story, LIMITED)


def test_a_flood_is_found_while_the_loop_is_busy_with_it() -> None:
    """Nobody takes calls from gRPC meanwhile. So they are few and large: in a full queue it would drop Ann's call."""
    calls = b"".join(headers(stream, "ListRulebooks") + message(stream, b"0" * 2_000) for stream in range(1, 40, 2))

    async def story(server: Server) -> None:
        ann = await server.player()
        host, _, port = server.running.address.rpartition(":")
        # Nothing here waits, so the loop does nothing else: the server answers no call, and no task of it runs.
        until, is_barred = time.monotonic() + SECONDS_MAX, False
        with ExitStack() as plugs:
            while not is_barred and time.monotonic() < until:
                try:
                    plug = socket.create_connection((host, int(port)), timeout=1, source_address=(FOE, 0))
                except TimeoutError:
                    is_barred = True
                else:
                    with suppress(OSError):
                        plugs.enter_context(plug).sendall(PREFACE + frame(SETTINGS, 0, 0) + calls)
                    time.sleep(0.01)  # noqa: ASYNC251 - the loop must not run meanwhile
        assert is_barred
        assert (await ann.ask("GetPlayer")).player.player_id == ann.player_id

    on_server(story, LIMITED)


def test_an_address_that_comes_and_goes_over_http_without_end_is_kept_out() -> None:
    async def story(server: Server) -> None:
        assert server.running.reading is not None
        address = server.running.reading.url.removeprefix("http://")
        for _ in range(10 * NEW_A_SECOND_MAX):  # Counting begins anew each second.
            if not await is_let_in(address):
                break
        assert not await is_let_in(address)
        host, _, port = address.rpartition(":")
        with socket.create_connection((host, int(port)), timeout=5):
            pass  # We come from another address.

    on_server(story, LIMITED)


def test_where_all_callers_have_the_address_of_a_proxy_nobody_is_barred() -> None:
    async def story(server: Server) -> None:
        host, _, port = server.running.address.rpartition(":")
        _, writer = await asyncio.open_connection(host, int(port), local_addr=(FOE, 0))
        writer.write(PREFACE + frame(SETTINGS, 0, 0, bytes.fromhex("000400010000")) * 40_000)
        await asyncio.sleep(1)
        assert await is_let_in(server.running.address)
        writer.close()

    on_server(story, Settings(grace_seconds=1.0, address_connections=0))
