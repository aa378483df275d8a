"""Around the services: TLS, rates, health, reflection, sizes, and how a server goes down."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest
from cryptography.hazmat.primitives import serialization
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from infra.failure import CommandFailed
from services.access.endpoint import Tls, check_reachable
from services.access.payer import payer_of
from services.access.rate_limit import BeginningLimit, RateLimit
from services.access.refusals import TooFast
from services.app.settings import Settings
from services.cli import serve
from services.cli.main import parser_for
from services.rpc.server import MESSAGE_BYTES_MAX, SERVICES
from tests.certificates import Identity, made
from tests.infra.postgres.databases import new_database
from tests.rpc.servers import Player, Server, Told, on_server
from tests.servers import served


async def reached(address: str, credentials: grpc.ChannelCredentials | None) -> bool:
    """Whether the server at an address answers."""
    channel = (
        grpc.aio.insecure_channel(address) if credentials is None else grpc.aio.secure_channel(address, credentials)
    )
    async with channel:
        try:
            await Player(channel).ask("ListRulebooks")
        except Told as told:
            assert told.code is grpc.StatusCode.UNAVAILABLE  # noqa: PT017 - there is no other answer
            return False
        return True


def test_with_a_certificate_only_those_who_trust_it_get_through(tmp_path: Path) -> None:
    identity, certificate, key = made(tmp_path, "server")
    other, _, _ = made(tmp_path, "other")
    url = new_database(lanes=2)

    async def story() -> list[bool]:
        async with served(url, Settings(tls=Tls(certificate, key))) as running:
            return [
                await reached(running.address, grpc.ssl_channel_credentials(identity.certificate)),
                await reached(running.address, grpc.ssl_channel_credentials(other.certificate)),
                await reached(running.address, None),
            ]

    assert asyncio.run(story()) == [True, False, False]


def test_with_an_authority_for_clients_only_those_with_its_certificate_get_through(tmp_path: Path) -> None:
    identity, certificate, key = made(tmp_path, "server")
    client, client_certificate, _ = made(tmp_path, "client")
    other, _, _ = made(tmp_path, "other")
    url = new_database(lanes=2)

    def credentials(shown: Identity | None) -> grpc.ChannelCredentials:
        if shown is None:
            return grpc.ssl_channel_credentials(identity.certificate)
        return grpc.ssl_channel_credentials(identity.certificate, shown.key, shown.certificate)

    async def story() -> list[bool]:
        async with served(url, Settings(tls=Tls(certificate, key, client_certificate))) as running:
            return [await reached(running.address, credentials(shown)) for shown in (client, other, None)]

    assert asyncio.run(story()) == [True, False, False]


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "[::]:0", "example.org:0", ":0"])
def test_plaintext_beyond_loopback_is_refused_unless_it_is_asked_for(listen: str) -> None:
    url = new_database(lanes=2)

    async def story() -> None:
        async with served(url, Settings(listen=listen)):
            pass

    with pytest.raises(CommandFailed, match="without TLS the server listens on loopback only"):
        asyncio.run(story())


def test_plaintext_anywhere_can_be_asked_for() -> None:
    async def story(server: Server) -> None:
        assert (await server.stranger.ask("ListRulebooks")).rulebooks

    on_server(story, Settings(listen="0.0.0.0:0", plaintext_anywhere=True))


def test_a_certificate_that_is_not_there_is_told_in_a_sentence(tmp_path: Path) -> None:
    url = new_database(lanes=2)

    async def story() -> None:
        async with served(url, Settings(tls=Tls(tmp_path / "none", tmp_path / "none"))):
            pass

    with pytest.raises(CommandFailed, match="can't read"):
        asyncio.run(story())


@pytest.mark.parametrize(
    ("certificate", "key", "authority", "sentence"),
    [
        ("server.crt", "other.key", None, r"server\.crt and the key in .*other\.key don't fit"),
        ("words", "server.key", None, "words and the key in .* don't fit"),
        ("server.crt", "words", None, "words don't fit"),
        ("server.crt", "locked.key", None, "the key must have no password"),
        ("server.crt", "server.key", "words", "there is no certificate of an authority"),
    ],
)
def test_certificates_that_can_not_work_are_told_in_a_sentence(
    certificate: str, key: str, authority: str | None, sentence: str, tmp_path: Path
) -> None:
    made(tmp_path, "server")
    made(tmp_path, "other")
    (tmp_path / "words").write_text("this is no certificate, and no key\n")
    (tmp_path / "locked.key").write_bytes(locked((tmp_path / "server.key").read_bytes()))
    tls = Tls(tmp_path / certificate, tmp_path / key, None if authority is None else tmp_path / authority)

    with pytest.raises(CommandFailed, match=sentence):
        check_reachable("127.0.0.1", tls, plaintext_anywhere=False)


def locked(key: bytes) -> bytes:
    """A key that asks for a password."""
    password = serialization.BestAvailableEncryption(b"secret")
    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    return serialization.load_pem_private_key(key, None).private_bytes(pem, form, password)


@pytest.mark.parametrize("limited", ["player_rate", "address_rate"])
def test_whoever_calls_too_fast_is_told_when_to_try_again(limited: str) -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        calls = [ann.ask("GetPlayer") for _ in range(10)]
        with pytest.raises(Told, match="RESOURCE_EXHAUSTED TOO_FAST") as caught:
            await asyncio.gather(*calls)
        assert 0 < caught.value.retry_seconds <= 0.5
        assert "the limit for calls is 2 a second" in caught.value.message
        await asyncio.sleep(caught.value.retry_seconds + 0.05)
        await ann.ask("GetPlayer")

    rate: dict[str, Any] = {limited: 2.0}
    on_server(story, Settings(grace_seconds=1.0, **rate))


def test_an_address_that_registers_too_many_players_is_told_when_to_try_again_and_goes_on_playing() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        with pytest.raises(Told, match="RESOURCE_EXHAUSTED TOO_FAST") as caught:
            await asyncio.gather(*(server.player() for _ in range(100)))
        assert "the limit for registrations is 2 a second" in caught.value.message
        await asyncio.gather(*(ann.ask("GetPlayer") for _ in range(100)))
        await asyncio.sleep(caught.value.retry_seconds + 0.05)
        await server.player()

    on_server(story, Settings(grace_seconds=1.0, register_rate=2.0))


@pytest.mark.parametrize(("flags", "shared", "rate"), [((), False, 1.0), (("--address-rate=0",), True, 5.0)])
def test_registrations_are_limited_also_where_addresses_are_not(
    flags: tuple[str, ...], rate: float, *, shared: bool
) -> None:
    """Behind a proxy all calls have one address, so there is no limit by address. This limit stays."""
    arguments = ["serve", *flags]
    settings = serve._settings(parser_for(arguments).parse_args(arguments))  # noqa: SLF001 - as the command does it
    limit = RateLimit(settings.register_rate, 1.0, clock=lambda: 0.0, shared=settings.register_shared)
    addresses = [str(number if shared else 0) for number in range(100)]
    for address in addresses[: int(rate)]:
        limit.check(address)

    with pytest.raises(TooFast):
        limit.check(addresses[int(rate)])


def test_without_a_rate_for_it_registering_counts_as_any_other_call() -> None:
    async def story(server: Server) -> None:
        with pytest.raises(Told, match="RESOURCE_EXHAUSTED TOO_FAST"):
            await asyncio.gather(*(server.player() for _ in range(10)))

    on_server(story, Settings(grace_seconds=1.0, address_rate=2.0))


def test_commands_on_a_play_call_count_as_calls() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        stream, began = ann.play(), asyncio.get_running_loop().time()
        for _ in range(10):
            await stream.send(challenge={"request_id": "x", "game_id": "nothing-here"})
        reasons = [(await stream.next("refused")).reason for _ in range(10)]
        assert set(reasons) == {"NO_SUCH_GAME", "TOO_FAST"}
        # After a command that was too fast, the next one is not looked at before it has a chance.
        assert asyncio.get_running_loop().time() - began >= 0.9
        assert reasons.count("TOO_FAST") <= 5

    on_server(story, Settings(grace_seconds=1.0, player_rate=2.0))


def test_a_message_that_is_too_large_is_refused_by_its_size() -> None:
    async def story(server: Server) -> None:
        with pytest.raises(Told, match="RESOURCE_EXHAUSTED"):
            await server.stranger.ask("Register", name="A" * (MESSAGE_BYTES_MAX + 1))
        ann = await server.player()
        stream = ann.play()
        await stream.call.write(b"\x0a" * (MESSAGE_BYTES_MAX + 1))
        with pytest.raises(Told, match="RESOURCE_EXHAUSTED"):
            await anext(stream)

    on_server(story)


def test_health_is_told_and_goes_first_when_the_server_goes_down() -> None:
    url = new_database(lanes=2)

    async def story() -> list[tuple[str, Any]]:
        going = AsyncExitStack()
        running = await going.enter_async_context(served(url, Settings(grace_seconds=2.0)))
        told: list[tuple[str, Any]] = []
        async with grpc.aio.insecure_channel(running.address) as channel:
            ann = await Server(running, channel).player()
            stream = ann.watch(await Server(running, channel).table([ann]))
            await stream.next("snapshot")
            states = [await serving_states(channel, service) for service in ("", *SERVICES)]

            async def follow_health() -> None:
                told.append(("health", {(await state.read()).status for state in states[:1]}))

            async def follow_game() -> None:
                with pytest.raises(Told, match="SERVER_DRAINING"):
                    await anext(stream)
                told.append(("game", None))

            following = [asyncio.create_task(follow_health()), asyncio.create_task(follow_game())]
            await going.aclose()
            await asyncio.gather(*following)
        return told

    assert asyncio.run(story()) == [("health", {health_pb2.HealthCheckResponse.NOT_SERVING}), ("game", None)]


def test_whoever_watches_health_is_let_go_at_once_when_the_server_goes_down() -> None:
    url = new_database(lanes=2)

    async def story() -> float:
        going = AsyncExitStack()
        running = await going.enter_async_context(served(url, Settings(grace_seconds=30.0)))
        async with grpc.aio.insecure_channel(running.address) as channel:
            states = [await serving_states(channel, service) for service in ("", SERVICES[0])]
            began = asyncio.get_running_loop().time()
            closing = asyncio.create_task(going.aclose())
            for state in states:
                assert (await state.read()).status == health_pb2.HealthCheckResponse.NOT_SERVING
                with pytest.raises(grpc.aio.AioRpcError, match="The server is going down") as told:
                    await state.read()
                assert told.value.code() is grpc.StatusCode.UNAVAILABLE
            seconds = asyncio.get_running_loop().time() - began
            await closing
            assert asyncio.get_running_loop().time() - began < 30
        return seconds

    assert asyncio.run(story()) < 1


def test_the_health_of_a_service_that_is_not_there_is_unknown() -> None:
    async def story(server: Server) -> None:
        health: Any = health_pb2_grpc.HealthStub(server.channel)
        asked = health_pb2.HealthCheckRequest(service="nobody")
        assert (await health.Watch(asked).read()).status == health_pb2.HealthCheckResponse.SERVICE_UNKNOWN
        with pytest.raises(grpc.aio.AioRpcError) as told:
            await health.Check(asked)
        assert told.value.code() is grpc.StatusCode.NOT_FOUND
        served = await health.Check(health_pb2.HealthCheckRequest())
        assert served.status == health_pb2.HealthCheckResponse.SERVING

    on_server(story)


async def serving_states(channel: grpc.aio.Channel, service: str) -> Any:
    """The health of a service as it changes; at first it serves."""
    health: Any = health_pb2_grpc.HealthStub(channel)
    states = health.Watch(health_pb2.HealthCheckRequest(service=service))
    assert (await states.read()).status == health_pb2.HealthCheckResponse.SERVING
    return states


def test_reflection_lists_the_services_and_their_methods() -> None:
    async def story(server: Server) -> None:
        stub: Any = reflection_pb2_grpc.ServerReflectionStub  # Its types know no channel of asyncio.
        reflection = stub(server.channel)

        async def asked(**request: Any) -> Any:
            call = reflection.ServerReflectionInfo(iter([reflection_pb2.ServerReflectionRequest(**request)]))
            return await call.read()

        listed = await asked(list_services="")
        described = await asked(file_containing_symbol=SERVICES[0])

        names = {service.name for service in listed.list_services_response.service}
        assert {*SERVICES, "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"} == names
        assert b"WatchGame" in described.file_descriptor_response.file_descriptor_proto[0]

    on_server(story)


@pytest.mark.parametrize("way", ["CreateGame", "CreateRematch", "ForkGame"])
def test_a_player_sets_up_so_many_tables_in_a_time_and_no_more_by_any_way(way: str) -> None:
    """Games are kept for ever, also those that are given up at once."""

    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.bidding([ann, bob])
        await ann.ask("Forfeit", game_id=game_id)
        wanted: dict[str, dict[str, Any]] = {
            "CreateGame": {"rulebook": "single-hand"},
            "CreateRematch": {"game_id": game_id},
            "ForkGame": {"game_id": game_id, "version": 5, "seat": 0},
        }
        await ann.ask(way, **wanted[way])
        await ann.ask(way, **wanted[way])
        with pytest.raises(Told, match="RESOURCE_EXHAUSTED TOO_FAST") as caught:
            await ann.ask(way, **wanted[way])
        assert "the limit for new tables is 0.01 a second" in caught.value.message
        assert 50 < caught.value.retry_seconds <= 100
        await server.bidding([bob, ann])

    on_server(story, Settings(grace_seconds=1.0, table_rate=0.01))


def test_an_address_sets_up_so_many_tables_whoever_asks() -> None:
    limit = BeginningLimit(0.01, "new tables")
    for number in range(12):
        limit.check(payer_of(f"player-{number}", "10.0.0.1"))
    with pytest.raises(TooFast):
        limit.check(payer_of("another", "10.0.0.1"))
    limit.check(payer_of("another", "10.0.0.2"))

    behind_a_proxy = BeginningLimit(0.01, "new tables", by_address=False)
    for number in range(100):
        behind_a_proxy.check(payer_of(f"player-{number}", "10.0.0.1"))
