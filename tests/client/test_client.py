"""What the client library takes care of: tokens, pages, refusals, and calls that are made again."""

import asyncio
import json
import stat
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import grpc
import pytest
from liarsdice.v1 import (
    audit_service_pb2,
    club_service_pb2,
    game_service_pb2,
    player_service_pb2,
    replay_service_pb2,
    statistics_service_pb2,
)
from msgspec.structs import replace

from domain.options import Options
from domain.refusals import Malformed
from services.app.settings import Settings
from services.client import Client, Patience, Refused, TokenFile, Unreachable, Update
from services.client.channel import SERVICE_CONFIG
from services.reasons.kinds import Kind
from services.reasons.problem import Problem
from services.rpc.status import details_of
from tests.infra.postgres.databases import new_database
from tests.servers import SECONDS_MAX, SETTINGS, run, served

Result = TypeVar("Result")
QUICK = Patience(try_seconds=0.3, total_seconds=1.5, pause_seconds_min=0.01, pause_seconds_max=0.1)
TRIES = 12


def as_ann(work: Callable[[Client], Awaitable[Result]], settings: Settings | None = None) -> Result:
    """The result of what Ann does at a server: the shared one, or one of her own with these settings."""

    url = None if settings is None else new_database()

    async def working() -> Result:
        async with served(url, settings) as server, Client.connect(server.address) as client:
            await client.register("Ann")
            return await work(client)

    return run(working())


async def refusal(call: Awaitable[object]) -> Refused:
    with pytest.raises(Refused) as told:
        await call
    return told.value


def test_a_player_comes_back_by_the_token() -> None:
    async def come_back(ann: Client) -> None:
        before = await ann.player()
        async with Client.connect(ann.address, ann.token) as again:
            assert await again.player() == before
            assert before.name == "Ann"
            old = ann.token
            assert await again.rotate_token() == again.token != old
            assert await again.player() == before

    as_ann(come_back)


def test_a_revoked_token_is_worth_nothing_and_forgotten() -> None:
    async def revoke(ann: Client) -> None:
        before, old = await ann.player(), ann.token
        async with Client.connect(ann.address, old) as again:
            await again.rotate_token()
            assert (await refusal(ann.player())).reason == "TOKEN_INVALID"
            async with Client.connect(ann.address, again.token) as third:
                await third.revoke_token(everything=True)
                assert third.token is None
            assert (await refusal(again.player())).reason == "TOKEN_INVALID"
        assert before.name == "Ann"

    as_ann(revoke)


def test_a_command_made_for_an_older_version_is_refused() -> None:
    async def hurry(ann: Client) -> None:
        table = await ann.create("single-hand")
        commands: list[Callable[[int], Awaitable[object]]] = [
            lambda version: table.add_bot(expected_version=version),
            lambda version: table.start(opener=0, expected_version=version),
            lambda version: table.roll(expected_version=version),
            lambda version: table.forfeit(expected_version=version),
        ]
        assert (await refusal(table.leave(expected_version=1))).reason == "VERSION_MOVED"
        for command in commands:
            assert (await refusal(command(1))).reason == "VERSION_MOVED"
        await table.add_bot(expected_version=2)
        await table.start(opener=0, expected_version=3)

    as_ann(hurry)


def test_all_pages_of_the_list_are_read() -> None:
    async def look(ann: Client) -> None:
        created = [(await ann.create("pirates")).game_id for _ in range(53)]
        private = await ann.create("palafico", private=True, seats=2, options=Options(turn_seconds=30))
        listed = [game async for game in ann.games(joinable=True)]

        assert {game.game_id for game in listed} == {*created, private.game_id}
        (newest,) = [game async for game in ann.games(mine=True, rulebook="palafico", phases=("gathering",))]
        assert (newest.private, newest.seats_max, newest.turn_seconds) == (True, 2, 30)
        assert newest.players == ("Ann",)

    as_ann(look, SETTINGS)


def test_a_private_table_is_joined_and_watched_with_its_code() -> None:
    async def invite(ann: Client) -> None:
        table = await ann.create("pirates", private=True)
        code = (await table.game()).invitation_code
        async with Client.connect(ann.address) as bob:
            await bob.register("Bob")
            assert (await refusal(bob.join(table.game_id))).reason == "INVITATION_WRONG"
            watched = await anext(aiter(bob.table(table.game_id, code=code).watch()))
            assert watched.game.view.viewer is None
            await (await bob.join(table.game_id, code=code)).leave()
            assert [seat.name for seat in (await table.game()).view.seats] == ["Ann"]

    as_ann(invite)


def test_a_refused_bid_tells_its_reason_its_values_and_its_clauses() -> None:
    async def bid_too_low(ann: Client) -> Refused:
        table = await ann.create("pirates", seats=2)
        async with Client.connect(ann.address) as bob:
            await bob.register("Bob")
            tables = [table, await bob.join(table.game_id)]
            await table.start()
            async for update in table.watch():
                if update.game.view.phase == "bidding":
                    break
            opener = update.game.view.waiting[0]
            await tables[opener].bid(4, 5)
            return await refusal(tables[1 - opener].bid(2, 5))

    told = as_ann(bid_too_low)

    assert (told.code, told.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "BID_NOT_HIGHER")
    assert told.metadata["bid"] == "2x5"
    assert "the lowest legal bids are" in told.message
    assert told.clauses
    assert all(clause in told.message for clause in told.clauses)


def test_who_comes_and_goes_is_told() -> None:
    async def come_and_go(ann: Client) -> list[tuple[int, bool]]:
        table = await ann.create("pirates")
        watching = table.watch()
        assert (await anext(watching)).game.connected == {0}
        async with Client.connect(ann.address) as bob:
            await bob.register("Bob")
            follows = (await bob.join(table.game_id)).watch()
            await anext(follows)
            came = await seen(watching)  # Only then he goes: whoever is gone before he was seen is not told of.
        return [came, await seen(watching)]

    async def seen(watching: AsyncIterator[Update]) -> tuple[int, bool]:
        async for update in watching:
            if update.came is not None:
                assert (1 in update.game.connected) == update.came.connected
                return update.came.seat, update.came.connected
        raise AssertionError

    assert as_ann(come_and_go) == [(1, True), (1, False)]


def test_a_client_that_asks_too_fast_waits_as_long_as_it_is_told() -> None:
    async def hurry(ann: Client) -> None:
        began = time.monotonic()
        await asyncio.gather(*(ann.player() for _ in range(60)))
        # Two seconds' worth may come at once; the rest, at twenty a second, takes another one.
        assert time.monotonic() - began > 0.5

    as_ann(hurry, Settings(player_rate=20))


class Stand:
    """A stand-in for a failing server: it gives the answers of the test, and counts the requests."""

    def __init__(self, answer: Callable[[grpc.aio.ServicerContext[Any, Any]], Awaitable[bytes]]) -> None:
        self._answer = answer
        self.asked: list[bytes] = []

    async def handle(self, raw: bytes, context: "grpc.aio.ServicerContext[Any, Any]") -> bytes:
        self.asked.append(raw)
        return await self._answer(context)

    @asynccontextmanager
    async def client(self, patience: Patience) -> AsyncIterator[Client]:
        server = grpc.aio.server()
        for service in (game_service_pb2, player_service_pb2):
            for descriptor in service.DESCRIPTOR.services_by_name.values():
                handlers: dict[str, Any] = {
                    method.name: grpc.unary_unary_rpc_method_handler(self.handle) for method in descriptor.methods
                }
                server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(descriptor.full_name, handlers),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        try:
            async with Client.connect(f"127.0.0.1:{port}", "a token", patience=patience) as client:
                yield client
        finally:
            await server.stop(None)


def asked_while(
    answer: Callable[[Any], Awaitable[bytes]],
    work: Callable[[Client], Awaitable[object]],
    error: type[Exception],
    patience: Patience = QUICK,
) -> list[bytes]:
    async def asking() -> list[bytes]:
        stand = Stand(answer)
        async with asyncio.timeout(SECONDS_MAX), stand.client(patience) as client:
            with pytest.raises(error):
                await work(client)
        return stand.asked

    return asyncio.run(asking())


async def unavailable(context: Any) -> bytes:
    await context.abort(grpc.StatusCode.UNAVAILABLE, "not now")
    raise AssertionError


async def going_down(context: Any) -> bytes:
    await context.abort(grpc.StatusCode.CANCELLED, "")
    raise AssertionError


async def asleep(_context: Any) -> bytes:
    await asyncio.sleep(5)
    return b""


async def faulty(context: Any) -> bytes:
    await context.abort(grpc.StatusCode.INTERNAL, "a fault")
    raise AssertionError


async def full(context: Any) -> bytes:
    problem = Problem(kind=Kind.TOO_MUCH, reason="TOO_MANY", message="Full.", metadata={})
    details = (("grpc-status-details-bin", details_of(problem)),)
    await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, problem.message, trailing_metadata=details)
    raise AssertionError


@pytest.mark.parametrize("answer", [unavailable, going_down])
def test_a_command_is_made_again_under_the_same_request_id_for_a_bounded_time(
    answer: Callable[[Any], Awaitable[bytes]],
) -> None:
    asked = asked_while(answer, lambda client: client.table("g").bid(3, 5), Unreachable)
    requests = {game_service_pb2.PlaceBidRequest.FromString(raw).request_id for raw in asked}

    assert len(requests) == 1
    # With pauses of up to 0.1 seconds there are some 20 tries in 1.5 seconds; retries of the channel add a handful. A slow
    # machine makes fewer.
    assert 1 < len(asked) < 40


@pytest.mark.parametrize("answer", [unavailable, going_down])
def test_a_command_is_made_again_as_long_as_there_is_time(answer: Callable[[Any], Awaitable[bytes]]) -> None:
    tries = count(1)

    async def at_last(context: Any) -> bytes:
        return await (faulty if next(tries) == TRIES else answer)(context)

    patient = replace(QUICK, try_seconds=20.0, total_seconds=20.0)
    asked = asked_while(at_last, lambda client: client.table("g").bid(3, 5), Refused, patient)

    assert len(asked) == TRIES


def test_a_server_that_does_not_answer_in_time_is_asked_again() -> None:
    asked = asked_while(asleep, lambda client: client.table("g").challenge(), Unreachable)

    assert 1 < len(asked) <= 6


@pytest.mark.parametrize("answer", [faulty, full])
def test_what_is_refused_for_good_is_not_asked_again(answer: Callable[[Any], Awaitable[bytes]]) -> None:
    assert len(asked_while(answer, lambda client: client.table("g").forfeit(), Refused)) == 1


def test_a_token_is_exchanged_once_at_most() -> None:
    """If the first try was carried out and its answer lost, the token that a second one would bring is worth nothing."""
    assert len(asked_while(unavailable, lambda client: client.rotate_token(), Refused)) == 1


def test_two_commands_never_share_a_request_id() -> None:
    async def twice(client: Client) -> None:
        for _ in range(2):
            with pytest.raises(Refused):
                await client.table("g").challenge()
        await client.table("g").challenge()

    asked = asked_while(faulty, twice, Refused)
    assert len({game_service_pb2.ChallengeRequest.FromString(raw).request_id for raw in asked}) == 3


def test_the_published_service_config_names_every_call_that_is_safe_to_repeat() -> None:
    config = json.loads(SERVICE_CONFIG.read_text())
    (method_config,) = config["methodConfig"]
    named = {(name["service"], name["method"]) for name in method_config["name"]}
    unary = {
        (service.full_name, method.name)
        for module in (
            game_service_pb2,
            player_service_pb2,
            audit_service_pb2,
            replay_service_pb2,
            statistics_service_pb2,
            club_service_pb2,
        )
        for service in module.DESCRIPTOR.services_by_name.values()
        for method in service.methods
        if not method.server_streaming
    }

    assert method_config["retryPolicy"]["retryableStatusCodes"] == ["UNAVAILABLE"]
    without_request_id = {("liarsdice.v1.PlayerService", name) for name in ("Register", "RotateToken", "RevokeToken")}
    assert unary - named == without_request_id
    assert named < unary


def test_tokens_are_remembered_by_server_and_name_for_their_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "new" / "tokens.json"
    tokens = TokenFile(path)
    assert tokens.token("here:1") is None

    tokens.keep("here:1", "Ann", "a")
    tokens.keep("here:1", "Bob", "b")
    tokens.keep("there:1", "Ann", "c")
    tokens.keep("here:1", "Ann", "d")

    again = TokenFile(path)
    assert (again.token("here:1"), again.token("here:1", "Bob"), again.token("here:1", "Cleo")) == ("d", "b", None)
    assert again.token("there:1") == "c"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_holds_no_tokens_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("[1]")

    with pytest.raises(Malformed, match="This is not a valid file of tokens"):
        TokenFile(tmp_path / "tokens").token("here:1")


def test_whoever_stops_to_listen_is_not_kept_by_a_message_that_comes_at_that_moment() -> None:
    class Call:
        def __init__(self) -> None:
            self.message = asyncio.get_running_loop().create_future()

        async def read(self) -> object:
            return await self.message

    async def story() -> None:
        async with Client.connect("127.0.0.1:1") as ann:
            call = Call()
            listening = asyncio.create_task(ann._channel.next_message(call))  # noqa: SLF001 - no server comes at the very moment
            await asyncio.sleep(0.01)
            call.message.set_result("something")
            listening.cancel()
            with pytest.raises(asyncio.CancelledError):
                await listening

    asyncio.run(story())
