"""The door for browsers: every method, over every protocol; and a clear answer to everything that is no call."""

import asyncio
import gzip
import json
import random
import re
import struct
import time
import tracemalloc
from base64 import b64decode, b64encode
from typing import Any

import grpc
import httpx
import pytest

from services.app.settings import Settings
from services.connect.door import PREFIX
from services.connect.envelope import STREAM_BYTES_MAX, STREAM_MESSAGES_MAX
from services.rpc.server import MESSAGE_BYTES_MAX
from tests.connect.channels import PROTOCOLS, enveloped
from tests.infra.postgres.databases import new_database
from tests.rpc.servers import METHODS, Player, Server, Told, on_server, request, server

GAMES = f"{PREFIX}GameService"


def url_of(server: Server) -> str:
    assert server.running.reading is not None
    return server.running.reading.url


async def sent(
    server: Server, path: str, content: bytes = b"{}", method: str = "POST", **headers: str
) -> httpx.Response:
    """The answer to a request over HTTP."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with httpx.AsyncClient(base_url=url_of(server), timeout=20) as client:
        return await client.request(method, path, content=content, headers=named)


def ends(answer: httpx.Response) -> dict[str, Any]:
    """What the last envelope of a stream over Connect says."""
    place, last = 0, {}
    while place < len(answer.content):
        flags, length = struct.unpack_from("!BI", answer.content, place)
        place += 5 + length
        last = json.loads(answer.content[place - length : place])
        assert (flags == 2) == (place == len(answer.content))
    return last


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_method_of_the_contract_is_reached(protocol: str) -> None:
    async def code_of(channel: Any, name: str) -> grpc.StatusCode:
        """How a call without a token ends. Most are refused; the others find nothing."""
        (path, method), raw = METHODS[name], request(name).SerializeToString()
        if not method.server_streaming:
            try:
                await channel.unary_unary(path)(raw)
            except grpc.aio.AioRpcError as error:
                return error.code()
            return grpc.StatusCode.OK
        stream = channel.unary_stream(path)(raw)
        while await stream.read() is not grpc.aio.EOF:
            pass
        code: grpc.StatusCode = await stream.code()
        return code

    async def story(server: Server) -> dict[str, grpc.StatusCode]:
        return {name: await code_of(server.channel, name) for name in METHODS}

    codes = on_server(story, protocol=protocol)

    assert codes.keys() == METHODS.keys()
    assert not {grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.INTERNAL} & set(codes.values())
    assert codes["PlaceBid"] is grpc.StatusCode.UNAUTHENTICATED
    assert codes["ListRulebooks"] is grpc.StatusCode.OK


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_refusal_has_the_same_details_as_over_grpc(protocol: str) -> None:
    async def story(server: Server) -> tuple[Told, Told]:
        ann, bob = await server.players(2)
        game_id = await server.bidding([ann, bob])
        found = []
        for player in (ann, Player(await over_grpc(server), ann.token, ann.player_id)):
            with pytest.raises(Told) as caught:
                await player.ask("PlaceBid", game_id=game_id, quantity=1, face=9)
            found.append(caught.value)
        return found[0], found[1]

    async def over_grpc(server: Server) -> grpc.aio.Channel:
        return grpc.aio.insecure_channel(server.running.address)

    here, there = on_server(story, protocol=protocol)

    assert (here.code, here.message, here.raw) == (there.code, there.message, there.raw)
    assert here.field == "face"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_several_games_are_watched_on_one_stream_and_one_that_is_refused_ends_nothing(protocol: str) -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        one, other = [await server.bidding([ann, bob]) for _ in range(2)]
        hidden = await server.table([bob], private=True)
        stream = ann.watch_all({"game_id": one}, {"game_id": hidden}, {"game_id": other, "after_version": 3})
        assert (await stream.next("snapshot")).view.game_id == one
        assert (await stream.next("refused")).reason == "INVITATION_WRONG"
        missed = await stream.next("update")
        assert (missed.game_id, missed.events[0].version) == (other, 4)
        for game_id in (other, one):
            await ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2)
            while (update := await stream.next("update")).game_id != game_id or not update.events[-1].HasField(
                "bid_placed"
            ):
                pass
        stream.call.cancel()

    on_server(story, protocol=protocol)


@pytest.mark.parametrize("games", [[], [{"game_id": "a"}] * 2, [{"game_id": f"g{number}"} for number in range(101)]])
def test_a_stream_of_no_games_of_too_many_or_of_one_twice_is_refused(games: list[dict[str, str]]) -> None:
    async def story(server: Server) -> None:
        with pytest.raises(Told, match="FIELD_INVALID"):
            await anext((await server.player()).watch_all(*games))

    on_server(story)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_caller_who_hangs_up_leaves_no_stream_behind(protocol: str) -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        game_id = await server.table([ann])
        before = server.running.pulse.streams_open
        streams = [ann.watch(game_id) for _ in range(5)]
        for stream in streams:
            await stream.next("snapshot")
        assert server.running.pulse.streams_open == before + 5
        for stream in streams:
            stream.call.cancel()
        async with asyncio.timeout(10):
            while server.running.pulse.streams_open > before:  # noqa: ASYNC110 - there is no event for it
                await asyncio.sleep(0.01)

    on_server(story, own=True, protocol=protocol)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_when_the_server_goes_down_streams_end_with_unavailable(protocol: str) -> None:
    url = new_database(lanes=2)

    async def story() -> Told:
        async with server(url, protocol=protocol) as running:
            ann = await running.player()
            stream = ann.watch(await running.table([ann]))
            await stream.next("snapshot")
            await running.running.pulse.close()
            with pytest.raises(Told) as caught:
                await anext(stream)
            answer = await sent(running, f"{GAMES}/ListRulebooks", content_type="application/json")
            assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
            return caught.value

    told = asyncio.run(story())

    assert (told.code, told.reason) == (grpc.StatusCode.UNAVAILABLE, "SERVER_DRAINING")


def test_heartbeats_come_over_http_too() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        stream = ann.watch(await server.table([ann]))
        await stream.next("snapshot")
        assert (await stream.next("heartbeat")).HasField("at")
        stream.call.cancel()

    on_server(story, Settings(heartbeat_seconds=0.2, grace_seconds=1.0), protocol="connect+json")


def test_what_changes_nothing_can_be_got_and_kept() -> None:
    async def story(server: Server) -> None:
        path = f"{GAMES}/ListRulebooks?connect=v1&encoding=json&message=%7B%7D"
        first = await sent(server, path, b"", "GET")
        assert first.json()["rulebooks"]
        assert first.headers["cache-control"] == "public, no-cache"
        again = await sent(server, path, b"", "GET", if_none_match=first.headers["etag"])
        assert (again.status_code, again.content) == (304, b"")
        packed = await sent(server, f"{GAMES}/ListRulebooks?encoding=proto&base64=1&message=", b"", "GET")
        assert packed.headers["content-type"] == "application/proto"
        head = await sent(server, path, b"", "HEAD")
        assert (head.status_code, head.content) == (200, b"")
        ann = await server.player()
        game_id = await server.table([ann])
        mine = f"{GAMES}/GetGame?encoding=json&message=" + json.dumps({"gameId": game_id})
        seen = await sent(server, mine, b"", "GET", authorization=f"Bearer {ann.token}")
        assert seen.json()["game"]["view"]["gameId"] == game_id
        assert seen.headers["cache-control"] == "private, no-cache"
        assert "Authorization" in seen.headers["vary"]
        assert (await sent(server, mine, b"", "GET")).status_code == 401

    on_server(story)


@pytest.mark.parametrize(
    ("path", "method", "status", "reason"),
    [
        (f"{GAMES}/Nothing", "POST", 404, "NO_SUCH_METHOD"),
        (f"{PREFIX}Nothing/PlaceBid", "POST", 404, "NO_SUCH_METHOD"),
        (f"{GAMES}/PlaceBid", "GET", 405, "METHOD_NOT_ALLOWED"),
        (f"{GAMES}/PlaceBid", "PUT", 405, "METHOD_NOT_ALLOWED"),
        (f"{GAMES}/GetGame", "DELETE", 405, "METHOD_NOT_ALLOWED"),
        (f"{GAMES}/WatchGame", "GET", 405, "METHOD_NOT_ALLOWED"),
        (f"{GAMES}/GetGame?encoding=xml", "GET", 415, "CONTENT_TYPE_UNKNOWN"),
    ],
)
def test_what_is_no_call_is_told_so(path: str, method: str, status: int, reason: str) -> None:
    async def story(server: Server) -> None:
        answer = await sent(server, path, b"", method)
        assert (answer.status_code, answer.json()["reason"]) == (status, reason)
        assert "allow" in answer.headers or status != 405

    on_server(story)


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("PlaceBid", "text/plain"),
        ("PlaceBid", "application/connect+json"),
        ("PlaceBid", "application/grpc"),
        ("PlaceBid", ""),
        ("WatchGame", "application/json"),
        ("WatchGame", "multipart/form-data; boundary=a"),
    ],
)
def test_an_unknown_content_type_is_told_which_there_are(method: str, kind: str) -> None:
    async def story(server: Server) -> None:
        answer = await sent(server, f"{GAMES}/{method}", b"{}", content_type=kind)
        assert (answer.status_code, answer.json()["reason"]) == (415, "CONTENT_TYPE_UNKNOWN")
        assert "application/grpc-web" in answer.headers["accept-post"]

    on_server(story)


BOMB = gzip.compress(bytes(50 * 1024 * 1024))


@pytest.mark.parametrize(
    ("content", "headers", "status", "reason"),
    [
        (b"{", {}, 400, "MALFORMED"),
        (b"[]", {}, 400, "MALFORMED"),
        (b'{"name": 5}', {}, 400, "FIELD_INVALID"),
        (b" " * (MESSAGE_BYTES_MAX + 1), {}, 429, "MESSAGE_TOO_LARGE"),
        (BOMB, {"content_encoding": "gzip"}, 429, "MESSAGE_TOO_LARGE"),
        (b"no gzip", {"content_encoding": "gzip"}, 400, "MALFORMED"),
        (gzip.compress(b"{}")[:-4], {"content_encoding": "gzip"}, 400, "MALFORMED"),
        (b"{}", {"content_encoding": "br"}, 415, "ENCODING_UNKNOWN"),
        (b"{}", {"connect_protocol_version": "2"}, 400, "MALFORMED"),
        (b"{}", {"connect_timeout_ms": "soon"}, 400, "MALFORMED"),
        (b"{}", {"connect_timeout_ms": "12345678901"}, 400, "MALFORMED"),
    ],
    ids=range(11),
)
def test_a_body_that_can_not_be_used_is_refused_with_its_reason(
    content: bytes, headers: dict[str, str], status: int, reason: str
) -> None:
    async def story(server: Server) -> None:
        path = f"{PREFIX}PlayerService/Register"
        answer = await sent(server, path, content, content_type="application/json", **headers)
        assert answer.status_code == status
        info = next(one for one in answer.json()["details"] if one["type"] == "google.rpc.ErrorInfo")
        assert info["debug"]["reason"] == reason

    on_server(story)


@pytest.mark.parametrize(
    ("content", "headers", "reason"),
    [
        (b"", {}, "MALFORMED"),
        (b"\0\0\0", {}, "MALFORMED"),
        (b"\0\0\0\0\5{}", {}, "MALFORMED"),
        (enveloped(b"{}", 2), {}, "MALFORMED"),
        (enveloped(b"{}") * 2, {}, "MALFORMED"),
        (enveloped(b"{", 0), {}, "MALFORMED"),
        (struct.pack("!BI", 0, 2**31), {}, "MESSAGE_TOO_LARGE"),
        (b" " * (STREAM_BYTES_MAX + 1), {}, "MESSAGE_TOO_LARGE"),
        (enveloped(BOMB[: MESSAGE_BYTES_MAX - 10], 1), {"connect_content_encoding": "gzip"}, "MESSAGE_TOO_LARGE"),
        (enveloped(b"{}", 1), {"connect_content_encoding": "zstd"}, "ENCODING_UNKNOWN"),
        (enveloped(b"{}"), {}, "TOKEN_MISSING"),
        (enveloped(gzip.compress(b"{}"), 1), {}, "TOKEN_MISSING"),
    ],
    ids=range(12),
)
def test_a_stream_that_can_not_begin_ends_with_its_reason(content: bytes, headers: dict[str, str], reason: str) -> None:
    async def story(server: Server) -> None:
        # Nothing is unpacked or read for a caller who is not admitted.
        known = {} if reason == "TOKEN_MISSING" else {"authorization": f"Bearer {(await server.player()).token}"}
        named = {"content_type": "application/connect+json", **headers, **known}
        answer = await sent(server, f"{GAMES}/WatchGame", content, **named)
        assert answer.status_code == 200
        error = ends(answer)["error"]
        info = next(one for one in error["details"] if one["type"] == "google.rpc.ErrorInfo")
        assert info["debug"]["reason"] == reason

    on_server(story)


MANY = enveloped(gzip.compress(bytes(MESSAGE_BYTES_MAX)), 1) * 900


@pytest.mark.parametrize("kind", ["application/connect+proto", "application/grpc-web"])
@pytest.mark.parametrize("method", ["GameService/Play", "ReplayService/ReplayGame", "GameService/GetGame"])
def test_many_small_bombs_are_not_unpacked_together(method: str, kind: str) -> None:
    """Each unpacks to what a message may have, and all of them to 56 MiB."""

    async def story(server: Server) -> None:
        tracemalloc.start()
        # The time of this thread, not of the clock: other tests run beside this one.
        began = time.thread_time()
        answer = await sent(server, f"{PREFIX}{method}", MANY, content_type=kind, grpc_encoding="gzip")
        took = time.thread_time() - began
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert answer.status_code in (200, 415)
        assert peak < 8 * 1024 * 1024
        assert took < 2

    on_server(story)


def test_a_stream_of_too_many_requests_is_refused() -> None:
    async def story(server: Server) -> None:
        opening = enveloped(json.dumps({"pause": {}}).encode())
        path, kind = f"{PREFIX}ReplayService/ReplayGame", "application/connect+json"
        answer = await sent(server, path, opening * (STREAM_MESSAGES_MAX + 1), content_type=kind)
        assert ends(answer)["error"]["code"] == "invalid_argument"
        bare = await sent(server, path, b'{"open": {}}', content_type=kind)
        assert "envelopes" in ends(bare)["error"]["message"]

    on_server(story)


@pytest.mark.parametrize(
    ("path", "content", "headers"),
    [
        (f"{PREFIX}Nope/X", b"{}", {}),
        (f"{GAMES}/ListRulebooks", b"{}", {"content_type": "a/b"}),
        (f"{GAMES}/ListRulebooks", b"no gzip", {"content_type": "application/json", "content_encoding": "gzip"}),
        (f"{GAMES}/ListRulebooks?encoding=xml", b"", {}),
    ],
)
def test_what_does_not_get_as_far_as_a_call_counts_against_the_rate_too(
    path: str, content: bytes, headers: dict[str, str]
) -> None:
    async def story(server: Server) -> None:
        answers = [await sent(server, path, content, **headers) for _ in range(8)]
        assert answers[0].status_code in (400, 404, 405, 415)
        assert answers[-1].status_code == 429
        assert int(answers[-1].headers["retry-after"]) >= 1

    on_server(story, Settings(http="127.0.0.1:0", grace_seconds=1.0, address_rate=0.1))


def test_text_may_come_in_pieces_with_padding_of_their_own() -> None:
    async def story(server: Server) -> None:
        body = b64encode(b"\0") + b64encode(b"\0\0\0\0")
        answer = await sent(server, f"{GAMES}/ListRulebooks", body, content_type="application/grpc-web-text")
        told = b"".join(b64decode(piece) for piece in re.findall(rb"[^=]+=*", answer.content))
        assert told.endswith(b"grpc-status: 0\r\n")

    on_server(story)


def test_a_call_may_have_a_deadline() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        game_id = await server.table([ann])
        path, mine = f"{GAMES}/WatchGame", f"Bearer {ann.token}"
        body = json.dumps({"gameId": game_id}).encode()
        streamed = {"content_type": "application/connect+json", "connect_timeout_ms": "200"}
        answer = await sent(server, path, enveloped(body), authorization=mine, **streamed)
        assert ends(answer)["error"]["code"] == "deadline_exceeded"
        late = await sent(
            server,
            f"{GAMES}/GetGame",
            body,
            authorization=mine,
            connect_timeout_ms="0",
            content_type="application/json",
        )
        assert (late.status_code, late.json()["code"]) == (504, "deadline_exceeded")

    on_server(story)


def test_pages_of_the_named_origins_may_call() -> None:
    async def story(server: Server) -> None:
        asked = {
            "origin": "https://dice.example",
            "access_control_request_method": "POST",
            "access_control_request_headers": "authorization,content-type,connect-protocol-version",
        }
        preflight = await sent(server, f"{GAMES}/PlaceBid", b"", "OPTIONS", **asked)
        assert preflight.status_code == 204
        allowed = preflight.headers["access-control-allow-headers"].lower()
        assert {"authorization", "content-type", "connect-protocol-version", "x-grpc-web"} <= set(allowed.split(", "))
        assert "POST" in preflight.headers["access-control-allow-methods"]
        refused = await sent(
            server, f"{GAMES}/PlaceBid", b"{}", origin="https://dice.example", content_type="application/json"
        )
        assert refused.status_code == 401
        assert refused.headers["access-control-allow-origin"] == "https://dice.example"
        other = await sent(
            server, f"{GAMES}/PlaceBid", b"", "OPTIONS", **{**asked, "origin": "https://elsewhere.example"}
        )
        assert "access-control-allow-origin" not in other.headers

    on_server(story, Settings(http="127.0.0.1:0", grace_seconds=1.0, cors_origins=("https://dice.example",)))


def test_calls_over_http_count_for_the_same_limits_as_over_grpc() -> None:
    async def story(server: Server) -> None:
        answers = [await sent(server, f"{GAMES}/ListRulebooks", content_type="application/json") for _ in range(4)]
        assert answers[-1].status_code == 429
        assert int(answers[-1].headers["retry-after"]) >= 1
        with pytest.raises(Told, match="TOO_FAST"):
            await Player(grpc.aio.insecure_channel(server.running.address)).ask("ListRulebooks")

    on_server(story, Settings(http="127.0.0.1:0", grace_seconds=1.0, address_rate=0.1))


async def stored(server: Server) -> str:
    """How many events there are, as the metrics have it."""
    (line,) = re.findall(r"(?m)^liarsdice_events_seen_total .*$", (await sent(server, "/metrics", b"", "GET")).text)
    return str(line)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_however_strange_breaks_the_door_or_is_stored(seed: int) -> None:
    chance = random.Random(seed)
    kinds = (
        "application/json",
        "application/proto",
        *(f"application/{one}" for one in PROTOCOLS),
        "application/grpc-web+json",
        "a/b",
    )
    paths = [path for path, _ in METHODS.values()]
    pieces = (
        b"{",
        b"}",
        b'"gameId"',
        b":",
        b"[1]",
        b"\0\0\0\0\2{}",
        b"\xff",
        b"null",
        b"\x0a\x01a",
        b"1e999",
        b'"\\ud800"',
        b"AAAA",
    )

    async def story(server: Server) -> None:
        ann = await server.player()
        before = await stored(server)
        async with httpx.AsyncClient(base_url=url_of(server), timeout=20) as client:
            for _ in range(250):
                body = b"".join(chance.choices(pieces, k=chance.randrange(8))) + chance.randbytes(chance.randrange(20))
                headers = {"content-type": chance.choice(kinds)}
                if chance.random() < 0.7:
                    headers["authorization"] = f"Bearer {ann.token}"
                if chance.random() < 0.3:
                    name = chance.choice(
                        ("content-encoding", "connect-content-encoding", "grpc-encoding", "connect-protocol-version")
                    )
                    headers[name] = chance.choice(("gzip", "identity", "", "x" * 300, "1"))
                method = chance.choice(("POST",) * 6 + ("GET", "PUT", "HEAD", "OPTIONS"))
                path = chance.choice(paths)
                if path.endswith(("/Register", "/RevokeToken", "/RotateToken", "/ExportRecords")):
                    continue
                answer = await client.request(method, path, content=body, headers=headers)
                assert answer.status_code < 500, (method, path, body, headers, answer.text)
        assert await stored(server) == before

    on_server(story, protocol="connect+json")
