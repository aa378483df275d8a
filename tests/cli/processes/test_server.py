"""`liarsdice serve --processes 2`, as a process: it is one server, whatever happens to a part of it."""

import asyncio
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import asyncpg
import httpx
import pytest
from liarsdice.v1 import game_pb2

from domain.events import AnyEvent, BidChallenged, BidPlaced
from services.client import Client, Done, Game, Table
from tests.attacks.raw import PREFACE, SETTINGS, frame
from tests.cli.processes.together import (
    SECONDS_MAX,
    ServerOfTwo,
    client_at,
    connections_of_their_own,
    descendants,
    lives,
    player_at,
    server_of_two,
    shared_memory_of_programs,
    until,
)
from tests.extent import extent
from tests.rpc import clients
from tests.rpc.servers import Player, Told

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux shares a port between processes like this")
FOE = "127.0.0.3"
BIDS_MAX = 4
PASSED_ON_SECONDS = 1.0
"""A bar goes from one process to the other by way of the supervisor."""
PAUSE_SECONDS = 0.02
"""Between two moves and two visits: a server that is kept busy starts its processes slowly."""


@pytest.fixture(scope="module")
def server() -> Iterator[ServerOfTwo]:
    """A server of two processes for all stories that leave one behind."""
    with connections_of_their_own(), server_of_two("--bot-rate", "0") as running:
        yield running


class Pair:
    """Two players who play one game after the other, each from a connection of its own, and note what they were answered."""

    def __init__(self, one: Client, two: Client) -> None:
        self.one, self.two = one, two
        self.games: dict[str, list[Done]] = {}

    async def play(self, finish: asyncio.Event) -> None:
        while not finish.is_set():
            table = await self.one.create("bidding-track")
            done = self.games[table.game_id] = []
            seats = [table, await self.two.join(table.game_id)]
            await table.start()
            await asyncio.gather(*(self._sit(seat, done) for seat in seats))

    async def _sit(self, table: Table, done: list[Done]) -> None:
        moved = 0
        async for update in table.watch():
            view = update.game.view
            # An update that tells who came or went shows the game as it was before our move.
            if view.phase == "bidding" and view.viewer in view.waiting and update.game.version > moved:
                done.append(await move(table, update.game))
                moved = done[-1].version
                await asyncio.sleep(PAUSE_SECONDS)

    async def check(self) -> None:
        """Everything that was answered is in the game once, at its place, and nothing else was moved."""
        for game_id, done in self.games.items():
            events = dict[int, AnyEvent]()
            async for update in self.one.table(game_id).watch(after=0):
                events |= {one.version: one.event for one in update.events}
            assert list(events) == list(range(1, len(events) + 1))
            assert all(type(events[one.version]) is type(one.event) for answer in done for one in answer.events)
            assert sum(isinstance(event, BidPlaced | BidChallenged) for event in events.values()) == len(done)


async def move(table: Table, game: Game) -> Done:
    if len(game.view.bids) >= BIDS_MAX:
        return await table.challenge(expected_version=game.version)
    lowest = min(game.view.moves.lowest_bids, key=lambda bid: (bid.quantity, bid.face))
    return await table.bid(lowest.quantity, lowest.face, expected_version=game.version)


async def pairs_at(server: ServerOfTwo, count: int) -> list[Pair]:
    """Pairs of whom one is connected to each process."""
    one, two = server.games
    return [Pair(await client_at(server, one, "Ann"), await client_at(server, two, "Bob")) for _ in range(count)]


async def twice_stored(url: str) -> int:
    """How many requests are stored in more than one place."""
    connection = await asyncpg.connect(url)
    try:
        return int(
            await connection.fetchval("SELECT count(*) FROM lane_0.requests JOIN lane_1.requests USING (request_id)")
        )
    finally:
        await connection.close()


def test_players_at_different_processes_play_whole_games_together(server: ServerOfTwo) -> None:
    async def story() -> None:
        one, two = server.two_again()
        anns = [await player_at(server, one) for _ in range(2)]
        bobs = [await player_at(server, two) for _ in range(2)]
        games = list[str]()
        for ann, bob in zip(anns, bobs, strict=True):
            created = await ann.ask("CreateGame", rulebook="single-hand", without_seat=True)
            games.append(str(created.game.view.game_id))
            seats = [clients.Client(player, games[-1], seed) for seed, player in enumerate((ann, bob))]
            for seat in seats:
                await seat.join(own_chain=seat.player is bob)
            following = [asyncio.create_task(seat.play()) for seat in seats]
            await bob.sees(games[-1], lambda game: len(game.view.seats) == 2)
            await ann.ask("StartGame", game_id=games[-1])
            await asyncio.gather(*following)
            assert [type(event) for event in seats[0].events] == [type(event) for event in seats[1].events]
        for pid in (one, two):
            # A token counts at both, and so do lists and proofs.
            ann = await player_at(server, pid, anns[0].token, anns[0].player_id)
            listed = await ann.ask("ListGames", page_size=50)
            while not listed.freshness.complete:
                listed = await ann.ask("ListGames", page_size=50)
            assert {table.game_id for table in listed.games} >= set(games)
            past = await ann.ask("ListPastGames", filter={"player_id": ann.player_id})
            while not past.games:
                past = await ann.ask("ListPastGames", filter={"player_id": ann.player_id})
            assert (await ann.ask("GetAudit", game_id=games[0])).bundle
        await hung_up(*anns, *bobs)

    asyncio.run(asyncio.wait_for(story(), SECONDS_MAX))


def test_the_same_request_gets_the_same_answer_at_both_processes(server: ServerOfTwo) -> None:
    async def story() -> None:
        one, two = server.two_again()
        ann = await player_at(server, one)
        again = await player_at(server, two, ann.token, ann.player_id)
        table: dict[str, Any] = {"rulebook": "single-hand", "without_seat": True, "request_id": "table"}
        made = await asyncio.gather(*(player.ask("CreateGame", **table) for player in (ann, again) * 3))
        (game_id,) = {answer.game.view.game_id for answer in made}
        for number, player in enumerate((ann, again, ann, again)):
            await player.ask("AddBot", game_id=game_id, request_id=f"bot-{number // 2}")
        assert len((await again.sees(game_id, lambda game: len(game.view.seats) == 2)).view.seats) == 2

        await ann.ask("StartGame", game_id=game_id)
        ended = await again.sees(game_id, lambda game: game.view.phase == game_pb2.PHASE_ENDED)
        wanted = {"game_id": game_id, "version": ended.version // 3, "seat": 0, "request_id": "fork"}
        forks = [await player.ask("ForkGame", **wanted) for player in (ann, again)]
        assert len({answer.game.view.game_id for answer in forks}) == 1
        with pytest.raises(Told, match="REQUEST_ID_REUSED"):
            await again.ask("CreateGame", **{**table, "rulebook": "palafico"})
        await hung_up(ann, again)

    asyncio.run(asyncio.wait_for(story(), SECONDS_MAX))


@pytest.mark.at_length
def test_a_process_that_is_killed_takes_nothing_with_it_and_play_goes_on(server: ServerOfTwo) -> None:
    async def story() -> None:
        pairs, finish = await pairs_at(server, 2), asyncio.Event()
        playing = [asyncio.create_task(pair.play(finish)) for pair in pairs]
        for number in range(extent(1, 10)):
            await asyncio.sleep(0.5)
            victim = (await asyncio.to_thread(server.two_again))[number % 2]
            os.kill(victim, signal.SIGKILL)
            await asyncio.to_thread(server.two_again, victim)
        finish.set()
        await asyncio.gather(*playing)
        for pair in pairs:
            assert pair.games
            await pair.check()
            await asyncio.gather(pair.one.close(), pair.two.close())
        assert await twice_stored(server.url) == 0

    asyncio.run(asyncio.wait_for(story(), SECONDS_MAX))
    told = server.log.read_text()
    assert "was killed by SIGKILL; starting it again in 0.5 seconds" in told
    assert "runs again" in told


@pytest.mark.at_length
def test_a_reload_under_play_refuses_no_connection_and_loses_no_move(server: ServerOfTwo) -> None:
    async def story() -> None:
        before = await asyncio.to_thread(server.two_again)
        pairs, finish = await pairs_at(server, 2), asyncio.Event()
        playing = [asyncio.create_task(pair.play(finish)) for pair in pairs]
        visiting = [
            asyncio.create_task(visits(server.http, finish)),
            asyncio.create_task(greetings(server.address, finish)),
        ]
        for _ in range(extent(1, 5)):
            os.kill(server.process.pid, signal.SIGHUP)
            before = await asyncio.to_thread(server.two_again, *before)
        finish.set()
        came = await asyncio.gather(*visiting)
        await asyncio.gather(*playing)
        assert min(came) > 20
        for pair in pairs:
            await pair.check()
            await asyncio.gather(pair.one.close(), pair.two.close())
        assert await twice_stored(server.url) == 0

    asyncio.run(asyncio.wait_for(story(), SECONDS_MAX))


async def visits(address: str, finish: asyncio.Event) -> int:
    """How many requests were answered, each over a connection of its own."""
    came, (host, _, port) = 0, address.rpartition(":")
    while not finish.is_set():
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"GET /health/live HTTP/1.1\r\nHost: dice\r\nConnection: close\r\n\r\n")
        assert (await reader.read()).startswith(b"HTTP/1.1 200")
        writer.close()
        came += 1
        await asyncio.sleep(PAUSE_SECONDS)
    return came


async def greetings(address: str, finish: asyncio.Event) -> int:
    """How many connections over gRPC were greeted."""
    came, (host, _, port) = 0, address.rpartition(":")
    while not finish.is_set():
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(PREFACE + frame(SETTINGS, 0, 0))
        assert (await reader.readexactly(9))[3] == SETTINGS
        writer.close()
        came += 1
        await asyncio.sleep(PAUSE_SECONDS)
    return came


def test_an_address_that_one_process_bars_is_kept_out_by_both(server: ServerOfTwo) -> None:
    host, port = server.address.split(":")

    def plug(seconds: float) -> socket.socket:
        return socket.create_connection((host, int(port)), timeout=seconds, source_address=(FOE, 0))

    def is_barred() -> bool:
        # One connection, so only one process sees it: far more bytes than calls can need, in frames that nobody knows.
        with suppress(OSError), plug(1.0) as foe:
            foe.sendall(PREFACE + frame(SETTINGS, 0, 0))
            for _ in range(50):
                foe.sendall(frame(0x20, 0, 0, bytes(16_000)) * 16)
                time.sleep(PAUSE_SECONDS)
        return f"{FOE} floods the server" in server.log.read_text()

    until(is_barred)
    time.sleep(PASSED_ON_SECONDS)
    # Each connection has another port, so the kernel would have given some of these to either process.
    for _ in range(8):
        with pytest.raises(TimeoutError):
            plug(0.3)
    socket.create_connection((host, int(port)), timeout=5).close()


async def hung_up(*players: Player) -> None:
    for player in players:
        await player.channel.close()


def test_it_ends_with_all_that_it_has_started_and_tells_the_metrics_of_all() -> None:
    """On a store with a single lane, which is told and does no harm."""
    shared_memory = shared_memory_of_programs()
    with connections_of_their_own(), socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        metrics = f"127.0.0.1:{free.getsockname()[1]}"
        free.close()
        with server_of_two("--metrics", metrics, lanes=1) as server:
            assert "this store has 1 lane, fewer than there are processes" in server.said()
            asyncio.run(a_game(server))
            page = httpx.get(f"http://{metrics}/metrics").text
            assert 'liarsdice_rpc_calls_total{process="1"}' in page
            assert 'liarsdice_rpc_calls_total{process="2"}' in page
            assert page.count('liarsdice_model_faults{model="games",state="live"}') == 1
            assert httpx.get(f"http://{server.http}/metrics").status_code == 404
            started = descendants(server.process.pid)
            assert len(started) >= 3

            server.process.send_signal(signal.SIGTERM)

            assert "going down" in server.process.communicate(timeout=SECONDS_MAX)[0]
            assert server.process.returncode == 0
            assert not any(map(lives, started))
            assert server.log.read_text() == ""
    assert shared_memory_of_programs() <= shared_memory


async def a_game(server: ServerOfTwo) -> None:
    one, two = server.games
    pair, finish = Pair(await client_at(server, one, "Ann"), await client_at(server, two, "Bob")), asyncio.Event()
    playing = asyncio.create_task(pair.play(finish))
    await asyncio.sleep(0.1)
    finish.set()
    await playing
    await pair.check()
    await asyncio.gather(pair.one.close(), pair.two.close())


def test_nothing_is_left_of_it_if_it_is_killed_itself() -> None:
    with connections_of_their_own(), server_of_two("--no-http") as server:
        started = descendants(server.process.pid)

        server.end(signal.SIGKILL)

        until(lambda: not any(map(lives, started)), seconds=30)
