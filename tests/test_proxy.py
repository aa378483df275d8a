"""Behind nginx, set up as in `examples/nginx`, everything that the servers offer works as without it."""

import asyncio
import base64
import json
import os
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import httpx
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from tests.certificates import made
from tests.infra.postgres.databases import folder_for_a_server, new_database
from tests.rpc.servers import METHODS, Player
from tests.servers import ROOT, SECONDS_MAX, ServerProcess, free_ports

EXAMPLE = ROOT / "examples" / "nginx" / "liarsdice.conf"
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
CURL = shutil.which("curl")
AT_ONCE_SECONDS = 8.0
"""Less than the time to the first heartbeat: a message that was held back would come with one, or never."""
AROUND = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
events {{}}
http {{
    access_log off;
    gzip on; # As in the main file of many systems, and more of it.
    gzip_types *;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    # A test says from which address it calls.
    set_real_ip_from 127.0.0.1;
    real_ip_header X-Tested-Address;
    include {folder}/liarsdice.conf;
}}
"""

pytestmark = pytest.mark.skipif(NGINX is None or CURL is None, reason="nginx or curl is not installed")


class Front(NamedTuple):
    """A proxy that runs, and what is behind it."""

    address: str
    certificate: Path
    server: ServerProcess
    reads: str
    """The address of the service without keys."""
    client: httpx.Client

    @property
    def url(self) -> str:
        """Where callers find it."""
        return f"https://{self.address}"

    def post(self, method: str, content: bytes = b"{}", kind: str = "application/json", **headers: str) -> Any:
        """The answer to a call over HTTP/1.1."""
        given = {"Content-Type": kind, **{name.replace("_", "-"): value for name, value in headers.items()}}
        return self.client.post(self.url + METHODS[method][0], content=content, headers=given)

    def get(self, path: str, **headers: str) -> Any:
        """The answer to a read over HTTP/1.1."""
        return self.client.get(self.url + path, headers=headers)

    def curl(self, *arguments: str) -> list[str]:
        """The command that asks over HTTP/2."""
        assert CURL is not None
        return [CURL, "--silent", "--show-error", "--http2", "--cacert", str(self.certificate), *arguments]

    @asynccontextmanager
    async def player(self, name: str) -> AsyncIterator[Player]:
        """A player who calls over gRPC."""
        credentials = grpc.ssl_channel_credentials(self.certificate.read_bytes())
        async with grpc.aio.secure_channel(self.address, credentials) as channel:
            answer = await Player(channel).ask("Register", name=name)
            yield Player(channel, answer.token, answer.player.player_id)

    def streams_open(self) -> int:
        """How many streams the server has open."""
        (line,) = (
            line
            for line in httpx.get(f"http://{self.server.http}/metrics").text.splitlines()
            if line.startswith("liarsdice_rpc_streams_open ")
        )
        return int(float(line.split()[1]))


@contextmanager
def reader_process(server: ServerProcess) -> Iterator[str]:
    """`liarsdice http` on the store of a server; yields its address."""
    command = [sys.executable, "-m", "services.cli", "http", "--listen", "127.0.0.1:0"]
    environment = {name: value for name, value in server.environment.items() if not name.endswith("_KEYS")}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1].removeprefix("http://")
    finally:
        process.terminate()
        process.communicate(timeout=SECONDS_MAX)


def example_for(server: ServerProcess, reads: str, folder: Path, port: int, other: int) -> str:
    """The example as it stands, but for its addresses and the place of the certificate."""
    text = EXAMPLE.read_text()
    for named, real in {
        "server 127.0.0.1:50051;": f"server {server.address};",
        "server 127.0.0.1:8080;": f"server {server.http};",
        "server 127.0.0.1:8081;": f"server {reads};",
        "listen 443 ": f"listen 127.0.0.1:{port} ",
        "listen [::]:443 ": f"listen 127.0.0.1:{other} ",
        "/etc/ssl/liarsdice/": f"{folder}/",
    }.items():
        assert named in text
        text = text.replace(named, real)
    return text


@contextmanager
def nginx(folder: Path) -> Iterator[None]:
    """nginx on the configuration in a folder."""
    assert NGINX is not None
    process = subprocess.Popen([NGINX, "-p", str(folder), "-e", "stderr", "-c", str(folder / "nginx.conf")])
    try:
        yield
        assert process.poll() is None
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(SECONDS_MAX)


def until_it_listens(port: int) -> None:
    ends = time.monotonic() + SECONDS_MAX
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            assert time.monotonic() < ends
            time.sleep(0.05)
        else:
            return


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    folder = tmp_path_factory.mktemp("nginx")
    _, certificate, _ = made(folder, "tls")
    port, other = free_ports(2)
    with folder_for_a_server() as data, ExitStack() as stack:
        flags = ("--address-rate", "0", "--address-connections", "0", "--register-rate", "0")
        server = ServerProcess(new_database(lanes=2), data, 0.0, *flags)
        stack.callback(server.end)
        reads = stack.enter_context(reader_process(server))
        (folder / "liarsdice.conf").write_text(example_for(server, reads, folder, port, other))
        (folder / "nginx.conf").write_text(AROUND.format(folder=folder))
        stack.enter_context(nginx(folder))
        until_it_listens(port)
        client = stack.enter_context(httpx.Client(verify=ssl.create_default_context(cafile=str(certificate))))
        yield Front(f"127.0.0.1:{port}", certificate, server, reads, client)


def test_calls_and_streams_of_grpc_go_through_in_both_directions(front: Front) -> None:
    async def story() -> None:
        async with front.player("Ann") as ann:
            game_id = (await ann.ask("CreateGame", rulebook="single-hand")).game.view.game_id
            await ann.ask("AddBot", game_id=game_id, strategy="cautious")
            stream = ann.play()
            await stream.send(watch={"game_id": game_id})
            seen = await asyncio.wait_for(stream.next("snapshot"), AT_ONCE_SECONDS)
            await stream.send(start_game={"request_id": "go", "game_id": game_id})
            done = await asyncio.wait_for(stream.next("result"), AT_ONCE_SECONDS)
            assert (seen.view.game_id, done.request_id) == (game_id, "go")
            stream.call.cancel()

    asyncio.run(story())


def test_the_requests_of_one_call_of_grpc_may_be_as_many_as_they_want(front: Front) -> None:
    """Each is small, but together they are more than a proxy lets into one body."""
    large = {"request_id": "a", "game_id": "g", "quantity": 1, "face": 2, "signature": {"signature": bytes(50_000)}}

    async def story() -> list[str]:
        reasons = []
        async with front.player("Dora") as dora:
            stream = dora.play()
            for _ in range(40):
                await stream.send(place_bid=large)
                reasons.append((await asyncio.wait_for(stream.next("refused"), AT_ONCE_SECONDS)).reason)
            stream.call.cancel()
        return reasons

    assert asyncio.run(story()) == ["FIELD_INVALID"] * 40


def test_health_checks_of_grpc_go_through_too(front: Front) -> None:
    credentials = grpc.ssl_channel_credentials(front.certificate.read_bytes())
    with grpc.secure_channel(front.address, credentials) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=AT_ONCE_SECONDS)

    assert answer.status == health_pb2.HealthCheckResponse.SERVING


@pytest.mark.parametrize("path", ["/", "/api/v1/rulebooks", "/api/v1/checkpoints/keys", "/api/v1/games"])
def test_reads_come_from_the_service_without_keys_exactly_as_it_wrote_them(path: str, front: Front) -> None:
    accepted = {"Accept-Encoding": "gzip"}
    direct, answer = httpx.get(f"http://{front.reads}{path}", headers=accepted), front.get(path, **accepted)
    again = front.get(path, **accepted, **{"If-None-Match": answer.headers["etag"]})

    assert direct.is_success
    assert answer.content == direct.content
    for name in ("etag", "content-type", "cache-control", "vary", "content-security-policy"):
        assert answer.headers[name] == direct.headers[name]
    assert answer.headers.get("content-encoding") == direct.headers.get("content-encoding")
    assert again.status_code == HTTPStatus.NOT_MODIFIED


def test_calls_over_connect_and_grpc_web_go_to_the_game_server(front: Front) -> None:
    connect = front.post("ListRulebooks")
    web = front.post("ListRulebooks", bytes(5), "application/grpc-web+proto")
    text = front.post("ListRulebooks", base64.b64encode(bytes(5)), "application/grpc-web-text")

    assert connect.json()["rulebooks"]
    assert b"grpc-status:0" in web.content.replace(b" ", b"")
    assert text.headers["content-type"].startswith("application/grpc-web-text")
    assert text.is_success


def test_a_refusal_comes_through_with_its_reason(front: Front) -> None:
    refused = front.post("GetGame", b'{"gameId": "g0"}')

    assert refused.status_code == HTTPStatus.UNAUTHORIZED
    assert b"TOKEN_" in refused.content


@pytest.mark.parametrize(("flag", "version"), [("--http2", "2"), ("--http1.1", "1.1")])
def test_a_browser_speaks_http_2_over_tls_and_older_programs_http_1(flag: str, version: str, front: Front) -> None:
    asked = ["--write-out", "%{http_version}", "--output", "/dev/null", flag, f"{front.url}/api/v1/rulebooks"]
    ran = subprocess.run(front.curl(*asked), capture_output=True, check=True, timeout=SECONDS_MAX)

    assert ran.stdout.decode() == version


class Watched:
    """A stream that curl prints as it comes."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        self._process, self._output = process, process.stdout

    async def message(self) -> Any:
        """The next message of a stream of Connect."""
        _, length = struct.unpack("!BI", await asyncio.wait_for(self._output.readexactly(5), AT_ONCE_SECONDS))
        return json.loads(await self._output.readexactly(length))

    async def line(self) -> str:
        """The next line of server-sent events."""
        return (await asyncio.wait_for(self._output.readline(), AT_ONCE_SECONDS)).decode().strip()

    async def leave(self) -> None:
        """Hang up."""
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()


@asynccontextmanager
async def watched(front: Front, *arguments: str) -> AsyncIterator[Watched]:
    # A browser takes compressed answers, and a proxy that compresses a stream holds it back.
    command = front.curl("--no-buffer", "--compressed", *arguments)
    stream = Watched(await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE))
    try:
        yield stream
    finally:
        await stream.leave()


def envelope(folder: Path, **fields: Any) -> str:
    """A request of a stream, as an argument of curl."""
    content = json.dumps(fields).encode()
    (folder / "request").write_bytes(struct.pack("!BI", 0, len(content)) + content)
    return f"@{folder / 'request'}"


def test_a_stream_over_connect_is_not_held_back_and_ends_when_its_caller_leaves(front: Front, tmp_path: Path) -> None:
    async def story() -> None:
        async with front.player("Bob") as bob:
            game_id = (await bob.ask("CreateGame", rulebook="single-hand")).game.view.game_id
            request = envelope(tmp_path, gameId=game_id)
            headers = ("Content-Type: application/connect+json", f"Authorization: Bearer {bob.token}")
            given = [word for header in headers for word in ("--header", header)]
            url = front.url + METHODS["WatchGame"][0]
            async with watched(front, *given, "--data-binary", request, url) as stream:
                assert (await stream.message())["snapshot"]["view"]["gameId"] == game_id
                open_then = front.streams_open()
                await bob.ask("AddBot", game_id=game_id, strategy="cautious")
                assert "update" in await stream.message()
                await stream.leave()
                async with asyncio.timeout(AT_ONCE_SECONDS):
                    while front.streams_open() >= open_then:  # noqa: ASYNC110 - the metrics are asked
                        await asyncio.sleep(0.1)

    asyncio.run(story())


def test_server_sent_events_are_not_held_back(front: Front) -> None:
    async def story() -> None:
        async with front.player("Cleo") as cleo:
            game_id = (await cleo.ask("CreateGame", rulebook="single-hand")).game.view.game_id
            path = f"/api/v1/games/{game_id}/live"
            async with asyncio.timeout(SECONDS_MAX):
                while not front.get(f"/api/v1/games/{game_id}").is_success:  # noqa: ASYNC110 - the read model is asked
                    await asyncio.sleep(0.1)
            async with watched(front, front.url + path) as stream:
                lines = [await stream.line() for _ in range(3)]
                assert "event: game" in lines

    asyncio.run(story())


@pytest.mark.parametrize("path", ["/metrics", "/health/ready", "/health/live"])
def test_what_is_for_the_operator_stays_inside(path: str, front: Front) -> None:
    assert httpx.get(f"http://{front.server.http}{path}").is_success
    assert front.get(path).status_code == HTTPStatus.NOT_FOUND


def test_registrations_are_limited_by_address_and_by_network_with_ipv6(front: Front) -> None:
    """All protocols count together, and nobody else waits for it."""

    def statuses(*addresses: str) -> list[int]:
        return [
            front.post("Register", b'{"name": "Ann"}', X_Tested_Address=address).status_code for address in addresses
        ]

    crowd = [f"2001:db8:1:2:{number:x}::1" for number in range(1, 41)]
    first = statuses(*crowd)
    assert first[:30] == [HTTPStatus.OK] * 30
    assert first[-1] == HTTPStatus.TOO_MANY_REQUESTS
    assert statuses("2001:db8:1:3::1", "198.51.100.7") == [HTTPStatus.OK] * 2
    # Other calls of the same network go on.
    assert front.post("ListRulebooks", X_Tested_Address=crowd[0]).is_success
