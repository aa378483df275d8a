"""Callers of gRPC who send nothing, or nonsense: they are closed, refused and counted, and the log stays short."""

import asyncio
import gzip
import logging
from contextlib import AsyncExitStack, suppress
from random import Random
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from services.access.rate_limit import LINGER_SECONDS
from services.app.settings import Settings
from services.rpc import server as rpc_server
from services.rpc import socket_watch
from tests.rpc.servers import Player, Server, Told, on_server

HEALTH = "/grpc.health.v1.Health"
REFLECTION = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
GARBAGE = (b"\xff" * 40, b"\x0a\x05\xff\xff\xff\xff\xff", b"\x0a\xff\xff\xff\xff\x0f", Random(1).randbytes(200))


async def code_of(call: Any) -> grpc.StatusCode:
    """How a call ends, whether it has one answer or many."""
    async with asyncio.timeout(10):
        return grpc.StatusCode(await call.code())


@pytest.mark.parametrize("raw", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_to_health_and_reflection_is_refused_without_a_word_in_the_log(
    raw: bytes, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    async def story(server: Server) -> None:
        channel: Any = server.channel
        check, watch = channel.unary_unary(f"{HEALTH}/Check"), channel.unary_stream(f"{HEALTH}/Watch")
        reflect = channel.stream_stream(REFLECTION)
        for call in (check(raw), watch(raw), reflect(iter([raw]))):
            assert await code_of(call) is grpc.StatusCode.INVALID_ARGUMENT

    with caplog.at_level(logging.INFO):
        on_server(story)
    assert not caplog.records
    assert "Traceback" not in capfd.readouterr().err


def test_what_no_service_has_is_refused_without_a_word_in_the_log(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    async def story(server: Server) -> None:
        channel: Any = server.channel
        for path in ("/nothing", "/liarsdice.v1.GameService/Nothing", "/" + "x" * 4_000, "no slash", f"{HEALTH}/"):
            code = await code_of(channel.unary_unary(path)(b"\xff" * 100))
            assert code in {grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.UNKNOWN}
        compressed = channel.unary_unary(f"{HEALTH}/Check")(
            gzip.compress(b"\xff" * 1_000), compression=grpc.Compression.Gzip
        )
        assert await code_of(compressed) is grpc.StatusCode.INVALID_ARGUMENT
        metadata = (("authorization", "Bearer"), ("authorization", "Basic x"), ("strange-bin", b"\xff\x00"))
        assert await code_of(channel.unary_unary(f"{HEALTH}/Check")(b"", metadata=metadata)) is grpc.StatusCode.OK

    with caplog.at_level(logging.INFO):
        on_server(story)
    assert not caplog.records
    assert "Traceback" not in capfd.readouterr().err


def test_health_and_reflection_count_against_the_rate_of_the_address() -> None:
    async def story(server: Server) -> None:
        health: Any = health_pb2_grpc.HealthStub(server.channel)
        calls = [health.Check(health_pb2.HealthCheckRequest()) for _ in range(20)]
        codes = [await code_of(call) for call in calls]
        assert grpc.StatusCode.RESOURCE_EXHAUSTED in codes
        await asyncio.sleep(1)
        stub: Any = reflection_pb2_grpc.ServerReflectionStub
        described = stub(server.channel).ServerReflectionInfo()
        answers = 0
        with suppress(grpc.aio.AioRpcError):
            for _ in range(20):
                await described.write(reflection_pb2.ServerReflectionRequest(list_services=""))
                await described.read()
                answers += 1
        assert 0 < answers < 20
        assert await code_of(described) is grpc.StatusCode.RESOURCE_EXHAUSTED

    on_server(story, Settings(grace_seconds=1.0, address_rate=5.0))


def test_a_token_that_nobody_has_costs_an_address_ten_calls() -> None:
    """Each is looked up in the database."""

    async def story(server: Server) -> None:
        reasons = []
        for number in range(3):
            with pytest.raises(Told) as told:
                await Player(server.channel, f"ldt_{number}").ask("GetPlayer")
            reasons.append(told.value.reason)
        assert reasons == ["TOKEN_INVALID", "TOO_FAST", "TOO_FAST"]

    on_server(story, Settings(grace_seconds=1.0, address_rate=2.0))


def test_a_list_costs_an_address_ten_calls() -> None:
    async def story(server: Server) -> None:
        reasons = []
        for _ in range(3):
            try:
                await server.stranger.ask("ListPastGames")
                reasons.append("")
            except Told as told:
                reasons.append(told.reason)
        assert reasons == ["", "TOO_FAST", "TOO_FAST"]

    on_server(story, Settings(grace_seconds=1.0, address_rate=2.0))


def test_an_address_that_calls_on_although_it_is_refused_waits_for_its_answers() -> None:
    async def story(server: Server) -> None:
        health: Any = health_pb2_grpc.HealthStub(server.channel)
        calls = [health.Check(health_pb2.HealthCheckRequest()) for _ in range(300)]
        codes = [await code_of(call) for call in calls]
        assert grpc.StatusCode.RESOURCE_EXHAUSTED in codes
        refused = [health.Check(health_pb2.HealthCheckRequest()) for _ in range(60)]
        began = asyncio.get_running_loop().time()
        assert grpc.StatusCode.RESOURCE_EXHAUSTED in [await code_of(call) for call in refused]
        assert asyncio.get_running_loop().time() - began >= LINGER_SECONDS

    on_server(story, Settings(grace_seconds=1.0, address_rate=20.0))


def test_a_connection_on_which_nothing_is_said_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    handshake = ("grpc.server_handshake_timeout_ms", 500)
    options = [option for option in rpc_server.OPTIONS if option[0] != handshake[0]]
    assert len(options) == len(rpc_server.OPTIONS) - 1
    monkeypatch.setattr(rpc_server, "OPTIONS", (*options, handshake))

    async def story(server: Server) -> None:
        host, port = server.running.address.split(":")
        for sent in (b"", b"PRI * HT", b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01"):
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(sent)
            async with asyncio.timeout(5):
                while await reader.read(1_000):
                    pass
            writer.close()

    on_server(story, Settings(grace_seconds=1.0))


def test_an_address_has_so_many_connections_and_others_have_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket_watch, "CHECK_SECONDS", 0.05)

    async def story(server: Server) -> None:
        host, port = server.running.address.split(":")
        ann = await server.player()  # Her connection is the oldest of this address.
        async with AsyncExitStack() as stack:
            streams = []
            for number in range(20):
                source = "127.0.0.1" if number < 15 else "127.0.0.2"
                reader, writer = await asyncio.open_connection(host, int(port), local_addr=(source, 0))
                stack.callback(writer.close)
                writer.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0")
                streams.append((source, asyncio.create_task(reader.read())))
                await asyncio.sleep(0.01)
            await asyncio.sleep(1)
            closed = [source for source, reading in streams if reading.done()]
            assert closed == ["127.0.0.1"] * 8
            for _, reading in streams:
                reading.cancel()
            assert (await ann.ask("GetPlayer")).player.player_id == ann.player_id

    on_server(story, Settings(grace_seconds=1.0, address_connections=8))
