"""Connect's own client for Node plays here, with every protocol that it has for HTTP/1.1."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.client.proxies import Proxy
from tests.connect.foreign.programs import (
    BOOKS,
    NODE,
    as_arguments,
    assert_without_gap,
    games_over,
    http_of,
    needs_node,
    program_folder,
    run_program,
)
from tests.extent import cases
from tests.rpc.servers import Server, on_server
from tests.servers import SHARED_SETTINGS

pytestmark = needs_node
PROTOCOLS = ("connect json", "connect protobuf", "grpc-web json", "grpc-web protobuf")
SOME_PROTOCOLS = cases(("connect json", "grpc-web protobuf"), PROTOCOLS)
GAMES = games_over(PROTOCOLS)
BREAKS = [(name, how) for name in SOME_PROTOCOLS for how in ("aborted", "cut")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return program_folder(tmp_path)


@pytest.mark.at_length
def test_it_plays_every_book_over_every_protocol(folder: Path) -> None:
    async def story(server: Server) -> Any:
        return await run_program(folder, NODE, "connect_node.js", http_of(server), *as_arguments(GAMES))

    games = on_server(story)

    played = {(game["protocol"], game["rulebook"]) for game in games}
    assert played == set(GAMES)
    for game in games:
        assert game["winner"] in {0, 1}
        assert game["streams"] == game["snapshots"] == 1
        assert_without_gap(game["versions"])
        assert game["replayed"] == list(range(1, game["versions"][-1] + 1))
        assert game["answered"] == ["snapshot", "too-late GAME_OVER"]


@pytest.mark.at_length
def test_a_stream_that_breaks_goes_on_without_a_gap_and_without_a_repetition(folder: Path) -> None:
    async def story(server: Server) -> Any:
        async with Proxy.to(http_of(server).removeprefix("http://")) as proxy:

            def hear(line: str) -> None:
                if line == "cut":
                    proxy.cut()

            through = f"http://{proxy.address}"
            games = as_arguments(BREAKS)
            return await run_program(folder, NODE, "broken_streams.js", http_of(server), through, *games, hear=hear)

    games = on_server(story)

    assert {(game["protocol"], game["how"]) for game in games} == set(BREAKS)
    for game in games:
        assert game["winner"] in {0, 1}
        assert game["streams"] > game["snapshots"] == 1, "it resumed, and needed no second snapshot"
        assert_without_gap(game["versions"])


@pytest.mark.at_length
def test_it_reads_refusals_and_deadlines_packs_requests_and_gets_what_a_cache_can_keep(folder: Path) -> None:
    async def story(server: Server) -> Any:
        return await run_program(folder, NODE, "answers.js", http_of(server), "calm", *SOME_PROTOCOLS)

    answers = on_server(story)

    assert set(answers) == set(SOME_PROTOCOLS)
    for answer in answers.values():
        refused = answer["refused"]
        for name in ("unknown", "stream"):
            assert (refused[name]["code"], refused[name]["reason"]) == ("NotFound", "NO_SUCH_GAME")
            assert refused[name]["domain"] == "liarsdice"
        assert (refused["moved"]["code"], refused["moved"]["reason"]) == ("Aborted", "VERSION_MOVED")
        assert refused["moved"]["metadata"] == {"version": "3", "expected_version": "1"}
        assert (refused["field"]["code"], refused["field"]["fields"]) == ("InvalidArgument", ["page_size"])
        assert (refused["token"]["code"], refused["token"]["reason"]) == ("Unauthenticated", "TOKEN_MISSING")
        assert answer["late"]["enough"]
        assert answer["late"]["stream"]["code"] == "DeadlineExceeded"
        assert answer["packed"]["winner"] in {0, 1}
        assert answer["packed"]["brotli"]["code"] == "Unimplemented"
    for protocol in {"connect json", "connect protobuf"} & set(SOME_PROTOCOLS):
        cached = answers[protocol]["cached"]
        assert cached["methods"] == ["POST", "POST", "POST", "GET", "GET"]
        assert (cached["books"], cached["same"], cached["changed"]) == (len(BOOKS), 304, 200)


@pytest.mark.at_length
def test_it_reads_when_to_try_again(folder: Path) -> None:
    async def story(server: Server) -> Any:
        return await run_program(folder, NODE, "answers.js", http_of(server), "hurried", *SOME_PROTOCOLS)

    for refused in on_server(story, replace(SHARED_SETTINGS, player_rate=20.0)):
        assert (refused["code"], refused["reason"]) == ("ResourceExhausted", "TOO_FAST")
        (seconds,) = refused["retrySeconds"]
        assert 0 < seconds < 10
