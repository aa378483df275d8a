"""`buf curl`, which is made of Connect's client for Go, plays here: by every call anew, and with a stream at the end."""

import asyncio
import json
import re
from itertools import count
from pathlib import Path
from typing import Any

from tests.connect.foreign.programs import BUF, ROOT, assert_without_gap, http_of, output
from tests.rpc.servers import Server, on_server

TABLE = {"rulebook": "single-hand", "seats_max": 2, "options": {"dice_each": 1}}


class Caller:
    """A player whose every call is a process."""

    def __init__(self, protocol: str, url: str, schema: Path) -> None:
        self._command = (BUF, "curl", "--protocol", protocol, "--schema", str(schema))
        self._url, self._token, self._ids = url, "", count()

    async def register(self) -> None:
        self._token = (await self.ask("PlayerService/Register", name="Buf"))["token"]

    async def command(self, method: str, **fields: Any) -> Any:
        return await self.ask(f"GameService/{method}", request_id=f"command-{next(self._ids)}", **fields)

    async def ask(self, method: str, **fields: Any) -> Any:
        code, written = await output(ROOT, *self._call(method, fields))
        assert code == 0, written
        return json.loads(written)

    async def begun(self, method: str, request: Any) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(*self._call(method, request), stdout=asyncio.subprocess.PIPE)

    def _call(self, method: str, request: Any) -> tuple[str, ...]:
        token = ("--header", f"authorization: Bearer {self._token}") if self._token else ()
        return (*self._command, *token, "--data", json.dumps(request), f"{self._url}/liarsdice.v1.{method}")


async def played(caller: Caller) -> tuple[int, list[int]]:
    """The winner of a game, and the versions of all its events."""
    await caller.register()
    game_id = (await caller.command("CreateGame", **TABLE))["game"]["view"]["gameId"]
    await caller.command("AddBot", game_id=game_id, strategy="cautious")
    await caller.command("StartGame", game_id=game_id)
    while (game := (await caller.ask("GameService/GetGame", game_id=game_id))["game"])["view"][
        "phase"
    ] != "PHASE_ENDED":
        view = game["view"]
        if view["phase"] == "PHASE_BIDDING" and view["viewer"] in view["waiting"]:
            await _move(caller, game_id, view["moves"])
    return game["view"]["winner"], await _versions(caller, game_id, int(game["version"]))


async def _move(caller: Caller, game_id: str, moves: Any) -> None:
    if moves.get("challenge"):
        await caller.command("Challenge", game_id=game_id)
    else:
        await caller.command("PlaceBid", game_id=game_id, **moves["lowestBids"][0])


async def _versions(caller: Caller, game_id: str, last: int) -> list[int]:
    """The versions of all events up to the last one, from a stream that would not end by itself."""
    request = {"game_id": game_id, "after_version": 0}
    watching = await caller.begun("GameService/WatchGame", request)
    assert watching.stdout is not None
    versions = []
    while last not in versions:
        line = (await watching.stdout.readline()).decode()
        assert line, "the stream ended before that"
        # Every event has its own version, twice as deep as the version of the update that it is in.
        versions += [int(found) for found in re.findall(r'^ {8}"version": "(\d+)"', line)]
    watching.kill()
    await watching.communicate()
    return versions


def test_it_plays_a_whole_game_over_connect_and_over_grpc_web(tmp_path: Path) -> None:
    schema = tmp_path / "contract.binpb"

    async def story(server: Server) -> list[tuple[int, list[int]]]:
        assert await output(ROOT, BUF, "build", "proto", "-o", str(schema)) == (0, "")
        callers = [Caller(protocol, http_of(server), schema) for protocol in ("connect", "grpcweb")]
        return await asyncio.gather(*map(played, callers))

    for winner, versions in on_server(story):
        assert winner in {0, 1}
        assert_without_gap(versions)
