"""Connections that ask for nothing: half requests, handshakes that never end, answers that nobody takes."""

import asyncio
import json
import os
import re
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from msgspec.structs import replace

from services.access import loop_share
from services.access.address import limit_key
from services.access.connections import Connections, in_all_max
from services.access.endpoint import Tls
from services.access.loop_share import LoopShare
from services.access.refusals import TooManyConnections
from services.http import connection, listener, request_metrics, server
from tests.certificates import made
from tests.http.readers import API, HTTP_SETTINGS, Site, on_site, site
from tests.infra.postgres.databases import folder_for_a_server, new_database
from tests.rpc.servers import Player
from tests.servers import KEYS_ENVIRONMENT, ROOT

HALF = b"GET /health/live HTTP/1.1\r\nHost: here\r\n"
PLACES = 8
SETTINGS = replace(HTTP_SETTINGS, address_connections=PLACES)
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that waits for a moment only."""
    monkeypatch.setattr(connection, "SECONDS", {"head": 0.5, "body": 0.5, "rest": 0.5})
    monkeypatch.setattr(listener, "HANDSHAKE_SECONDS", 0.5)
    monkeypatch.setattr(server, "_TICKS_A_SECOND", 1)


@asynccontextmanager
async def connected(site: Site, count: int, sent: bytes, source: str = "127.0.0.1") -> AsyncIterator[list[Streams]]:
    """Connections from an address, on each of which something was sent."""
    url = httpx.URL(site.url)
    async with AsyncExitStack() as stack:
        streams = [await asyncio.open_connection(url.host, url.port, local_addr=(source, 0)) for _ in range(count)]
        for _, writer in streams:
            stack.callback(writer.close)
            writer.write(sent)
        await asyncio.sleep(0.05)
        yield streams


async def answer_from(site: Site, source: str) -> int:
    """The status of an answer to somebody at an address."""
    async with connected(site, 1, HALF + b"Connection: close\r\n\r\n", source) as ((reader, _),):
        return int((await reader.read()).split()[1])


async def taken(reader: asyncio.StreamReader) -> int:
    """How many bytes still come until the connection ends, in order or not."""
    count = 0
    with suppress(ConnectionResetError):
        while piece := await reader.read(1_000_000):
            count += len(piece)
    return count


def test_half_a_request_is_answered_and_closed_in_time() -> None:
    async def story(site: Site) -> None:
        async with connected(site, 3, b"") as halves, asyncio.timeout(5):
            for (_, writer), sent in zip(halves, (b"", b"GET", HALF), strict=True):
                writer.write(sent)
            for reader, _ in halves:
                head, _, body = (await reader.read()).partition(b"\r\n\r\n")
                assert head.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
                assert json.loads(body)["reason"] == "REQUEST_INCOMPLETE"

    on_site(story, SETTINGS)


def test_a_request_that_comes_byte_by_byte_has_no_more_time_than_others() -> None:
    async def story(site: Site) -> None:
        async with connected(site, 1, b"") as ((reader, writer),), asyncio.timeout(5):
            told = asyncio.create_task(taken(reader))
            for byte in HALF:
                writer.write(bytes([byte]))
                await asyncio.sleep(0.05)
            assert told.done()

    on_site(story, SETTINGS)


HALF_A_CALL = (
    b"POST /liarsdice.v1.PlayerService/Register HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n"
    b"Content-Length: 100\r\n\r\n{"
)


def test_half_the_body_of_a_call_is_answered_and_closed_in_time() -> None:
    async def story(site: Site) -> None:
        async with connected(site, 1, HALF_A_CALL) as ((reader, _),), asyncio.timeout(8):
            assert (await reader.read()).startswith(b"HTTP/1.1 408")

    on_site(story, SETTINGS)


def test_half_the_body_of_a_call_does_not_hold_up_a_server_that_goes_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "SECONDS", {"head": 60.0, "body": 60.0, "rest": 60.0})
    database = new_database(lanes=2)

    async def story() -> tuple[bytes, float]:
        async with site(database, replace(SETTINGS, grace_seconds=30.0)) as running:
            url = httpx.URL(running.url)
            reader, writer = await asyncio.open_connection(url.host, url.port)
            writer.write(HALF_A_CALL)
            await asyncio.sleep(0.2)
            began = asyncio.get_running_loop().time()
        seconds = asyncio.get_running_loop().time() - began
        told = await reader.read()
        writer.close()
        return told, seconds

    told, seconds = asyncio.run(story())

    assert told.startswith(b"HTTP/1.1 408")
    assert seconds < 10


@pytest.mark.parametrize("path", ["/health/live", f"{API}/games"])
def test_a_body_that_never_ends_is_cut_off(path: str) -> None:
    """No route reads a body, so the answer may come first; the connection is closed all the same."""

    async def story(site: Site) -> None:
        sent = f"POST {path} HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\nhalf".encode()
        async with connected(site, 1, sent) as ((reader, writer),), asyncio.timeout(8):
            told = asyncio.create_task(reader.read())
            while not told.done():
                writer.write(b"x")
                await asyncio.sleep(0.2)
            assert told.exception() is not None or told.result().startswith(b"HTTP/1.1 4") or not told.result()

    on_site(story, SETTINGS)


def test_an_address_has_so_many_places_and_others_have_theirs() -> None:
    async def story(site: Site) -> None:
        async with connected(site, PLACES, HALF) as held:
            async with connected(site, 1, HALF) as ((reader, _),):
                head, _, body = (await reader.read()).partition(b"\r\n\r\n")
                assert head.startswith(b"HTTP/1.1 429 ")
                assert b"Retry-After: 1" in head
                assert json.loads(body)["reason"] == "TOO_MANY_CONNECTIONS"
            assert await answer_from(site, "127.0.0.2") == 200
            async with asyncio.timeout(5):
                for reader, _ in held:
                    assert b" 408 " in await reader.read()
        assert await answer_from(site, "127.0.0.1") == 200

    on_site(story, SETTINGS)


def test_a_handshake_that_never_ends_takes_a_place_and_is_cut_off(tmp_path: Path) -> None:
    identity, certificate, key = made(tmp_path, "server")

    async def story(site: Site) -> None:
        async with connected(site, PLACES, b"\x16\x03\x01") as held:
            async with connected(site, 1, b"") as ((reader, _),), asyncio.timeout(1):
                assert await reader.read() == b""
            async with asyncio.timeout(5):
                for reader, _ in held:
                    await reader.read()
        trusting = ssl.create_default_context(cadata=identity.certificate.decode())
        async with httpx.AsyncClient(verify=trusting) as client:
            assert (await client.get(f"{site.url}/health/live")).status_code == 200

    on_site(story, replace(SETTINGS, tls=Tls(certificate, key)))


def test_answers_that_nobody_takes_do_not_stay_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_metrics, "SEND_SECONDS_MAX", 0.3)

    async def story(site: Site) -> None:
        sent = b"GET /schema/openapi.json HTTP/1.1\r\nHost: here\r\n\r\n" * 200
        async with connected(site, 1, sent) as ((reader, writer),), asyncio.timeout(20):
            transport: Any = writer.transport
            transport.pause_reading()
            await asyncio.sleep(3)
            transport.resume_reading()
            assert await taken(reader) < 200 * len((await site.get("/schema/openapi.json")).content)

    on_site(story, SETTINGS)


def test_if_too_much_is_unsent_in_all_the_connection_with_most_of_it_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "UNSENT_BYTES_MAX", 10_000)

    async def story(site: Site) -> None:
        sent = b"GET /schema/openapi.json HTTP/1.1\r\nHost: here\r\n\r\n" * 200
        async with connected(site, 1, sent) as ((reader, writer),), asyncio.timeout(20):
            transport: Any = writer.transport
            transport.pause_reading()
            await asyncio.sleep(1)
            transport.resume_reading()
            assert await taken(reader) < 200 * len((await site.get("/schema/openapi.json")).content)

    on_site(story, SETTINGS)


def test_a_stream_lives_longer_than_any_deadline() -> None:
    async def story(site: Site) -> None:
        ann = await site.server.player()
        game_id = await site.server.table([ann])
        await site.listed(game_id)
        async with site.stream(f"/games/{game_id}/live") as events:
            assert (await anext(events)).kind == ""
            heard = [await anext(events) for _ in range(4)]
            assert heard

    on_site(story, replace(SETTINGS, heartbeat_seconds=0.5))


def test_bytes_that_are_no_request_are_told_so() -> None:
    async def story(site: Site) -> None:
        async with connected(site, 1, b"\x00\xff nonsense\r\n\r\n") as ((reader, _),), asyncio.timeout(5):
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 400 ")
            assert b"X-Content-Type-Options: nosniff" in head
            assert json.loads(body)["reason"] == "NO_HTTP"

    on_site(story, SETTINGS)


def test_nothing_is_answered_after_a_request_that_has_two_ends() -> None:
    """RFC 9112, 6.1: a proxy that goes by the other of the two would take the second answer for somebody else's."""

    async def story(site: Site) -> None:
        sent = HALF + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HALF + b"\r\n"
        async with connected(site, 1, sent) as ((reader, _),), asyncio.timeout(5):
            assert (await reader.read()).count(b"HTTP/1.1 ") == 1

    on_site(story, SETTINGS)


def test_places_are_counted_by_address_and_given_back() -> None:
    places = Connections(3, 2)
    for address in ("a", "a", "b"):
        places.enter(address)
    for address, whose in (("a", "from your address"), ("b", "to this server"), ("c", "to this server")):
        with pytest.raises(TooManyConnections, match=whose):
            places.enter(address)
    places.leave("a")
    places.enter("c")
    for address in ("a", "b", "c"):
        places.leave(address)
    assert places.count == 0
    assert (in_all_max(1_024, 2), in_all_max(300, 2), in_all_max(1 << 20, 1)) == (384, 22, 2_000)


@pytest.mark.parametrize(
    ("peer", "key"),
    [
        ("ipv4:127.0.0.1:5000", "127.0.0.1"),
        ("ipv6:%5B::1%5D:5000", "::/64"),
        ("ipv6:[2001:db8:1:2:3:4:5:6]:5000", "2001:db8:1:2::/64"),
        ("ipv6:%5B2001:db8:1:2:ffff:4:5:6%5D:9", "2001:db8:1:2::/64"),
        ("ipv6:%5Bfe80::1%25eth0%5D:9", "fe80::/64"),
        ("ipv6:%5B::ffff:10.0.0.1%5D:9", "10.0.0.1"),
        ("unix:", "unix"),
        ("unix:/run/socket", "unix"),
        ("10.0.0.1", "10.0.0.1"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("", ""),
    ],
)
def test_limits_know_an_address_of_ipv4_and_a_network_of_ipv6(peer: str, key: str) -> None:
    assert limit_key(peer) == key


@contextmanager
def server_with_few_descriptors(log: Path, *given: str) -> Iterator[tuple[str, str]]:
    """The addresses for gRPC and HTTP of a server process that may open a thousand files, and logs to a file."""
    program = (
        "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024));"
        "runpy.run_module('services.cli', run_name='__main__')"
    )
    environment = {**os.environ, **KEYS_ENVIRONMENT, "DATABASE_URL": new_database(lanes=2)}
    environment["PYTHONPATH"] = f"{ROOT}:{ROOT / 'proto' / 'gen'}"
    with folder_for_a_server() as folder, log.open("wb") as errors:
        flags = ["serve", "--data", folder, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", *given]
        command = [sys.executable, "-c", program, *flags]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True)
        assert process.stdout is not None
        try:
            told = [process.stdout.readline() for _ in range(2)]
            yield (re.split(r"[ /]", told[0].strip())[-1], re.split(r"[ /]", told[1].strip())[-1])
        finally:
            process.kill()
            process.communicate()


def test_a_thousand_half_requests_starve_nobody(tmp_path: Path) -> None:
    """Of gRPC, of the database, and of HTTP for others."""
    # Without a rate nobody is barred, and only the places count.
    with server_with_few_descriptors(tmp_path / "log", "--address-rate", "0") as (rpc, http):
        host, port = http.split(":")
        held = []
        for _ in range(1_100):
            half = socket.create_connection((host, int(port)), timeout=5, source_address=("127.0.0.3", 0))
            half.send(HALF)
            held.append(half)

        async def story() -> None:
            async with grpc.aio.insecure_channel(rpc) as channel:
                assert (await Player(channel).ask("Register", name="Ann")).token
            transport = httpx.AsyncHTTPTransport(local_address="127.0.0.2")
            async with httpx.AsyncClient(transport=transport) as client:
                assert (await client.get(f"http://{http}{API}/games")).status_code == 200

        asyncio.run(story())
        for half in held:
            half.close()


@pytest.mark.parametrize("with_tls", [False, True])
def test_garbage_on_connections_does_not_fill_the_log(tmp_path: Path, *, with_tls: bool) -> None:
    _, certificate, key = made(tmp_path, "server")
    flags = ["--tls-certificate", str(certificate), "--tls-key", str(key)] if with_tls else []
    garbage = (
        b"\x16\x03\x01\x00\x05garbage garbage",
        b"\x00 nonsense\r\n\r\n",
        HALF + b"Upgrade: x\r\nConnection: upgrade\r\n\r\n",
    )
    with server_with_few_descriptors(tmp_path / "log", *flags) as addresses:
        for address in addresses:
            for number in range(150):
                host, port = address.split(":")
                with socket.create_connection((host, int(port)), timeout=5) as client:
                    client.sendall(garbage[number % 3])
                    client.shutdown(socket.SHUT_WR)
                    with suppress(OSError):
                        while client.recv(4_096):
                            pass
    assert len((tmp_path / "log").read_bytes()) < 8_000


def test_an_address_that_asks_for_a_lot_at_once_lets_others_go_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its requests wait in the buffers of the system, and all of them are answered in the end."""
    monkeypatch.setattr(loop_share, "SHARE", 0.02)
    monkeypatch.setattr(loop_share, "BURST_SECONDS", 0.0)
    requests = 20
    sent = HALF.replace(b"/health/live", f"{API}/games".encode()) + b"Connection: close\r\n\r\n"

    async def story(site: Site) -> None:
        url, answered = httpx.URL(site.url), 0
        async with connected(site, requests, sent) as streams:
            other, asking = await asyncio.open_connection(url.host, url.port, local_addr=("127.0.0.2", 0))
            asking.write(sent)

            async def take(reader: asyncio.StreamReader) -> None:
                nonlocal answered
                while piece := await reader.read(65_536):
                    answered += piece.count(b"HTTP/1.1 ")

            taking = [asyncio.create_task(take(reader)) for reader, _ in streams]
            assert b" 200 " in await other.readline()
            before = answered
            async with asyncio.timeout(60):
                await asyncio.gather(*taking)
        asking.close()

        assert before < requests / 2
        assert answered == requests

    on_site(story, replace(HTTP_SETTINGS, address_rate=1e9, address_connections=200), own=True)


def test_a_request_that_we_hold_back_is_not_told_that_it_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    until = time.monotonic() + 60
    monkeypatch.setattr(LoopShare, "wait_seconds", lambda *_: max(0.0, until - time.monotonic()))

    async def story(site: Site) -> None:
        nonlocal until
        until = time.monotonic() + 3 * connection.SECONDS["head"]
        assert await answer_from(site, "127.0.0.1") == 200
        assert time.monotonic() >= until

    on_site(story, replace(HTTP_SETTINGS, address_rate=1e9), own=True)
