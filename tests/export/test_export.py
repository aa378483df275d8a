"""`liarsdice export`, from a server that bots have played on."""

import asyncio
import csv
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from functools import cache
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from liarsdice.v1 import player_service_pb2

from domain.history.record import GameRecord, decode_record
from domain.history.recording import record_of
from domain.notation import read_games
from domain.rulebooks import BOOKS
from infra.postgres.store import EventStore
from services.cli.export_state import ExportState
from services.cli.main import main
from services.client import Exported, GameFilter, PastGames, Patience, Refused, Unreachable
from services.client.channel import Channel
from services.export.rows import rows_of
from services.simulation.game_storer import Calendar, GameStorer
from services.simulation.memory_table import MemoryTable
from services.simulation.simulation import game_name, play_game, setups_of_all
from tests.client.proxies import Proxy
from tests.rpc.servers import Server, on_server
from tests.servers import KEYS, ServerProcess, server_process

GAMES = 120
SINCE = 1_704_067_200_000
"""The first second of 2024."""
PATIENT = Patience(total_seconds=60.0, pause_seconds_max=0.2)
EVERYTHING = GameFilter()


@cache
def tables() -> tuple[MemoryTable, ...]:
    every = setups_of_all(3)
    setups = [every[index % len(every)] for index in range(GAMES)]
    return tuple(play_game(setup, 6, index, game_name(setup, 6, index)) for index, setup in enumerate(setups))


async def store_games(url: str) -> None:
    store = await EventStore.open(url)
    await GameStorer(store, KEYS, Calendar(SINCE, now=SINCE)).store(iter(tables()))
    await store.close()


async def fetched(channel: Channel, games: GameFilter) -> AsyncGenerator[bytes, None]:
    """Records one by one, as the client library brings them."""
    async for batch in PastGames(channel).export(games):
        for record in batch.records:
            yield record


async def taken_in(channel: Channel) -> list[bytes]:
    """All records, once the server has them in its read model."""
    for _ in range(300):
        records = [record async for record in fetched(channel, EVERYTHING)]
        if len(records) == GAMES:
            return records
        await asyncio.sleep(0.1)
    raise AssertionError("the projector did not come to all games")


@pytest.fixture(scope="module")
def played() -> list[GameRecord]:
    """The games that were stored, in the order in which they ended."""
    calendar = Calendar(SINCE, now=SINCE)
    for table in tables():
        calendar.date(table)
    return [record_of(table.dated_events) for table in tables()]


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """A server on a store with games in it."""
    with server_process() as running:
        asyncio.run(store_games(running.environment["DATABASE_URL"]))

        async def ready() -> None:
            channel = await _registered(running.address)
            async with channel:
                await taken_in(channel)

        asyncio.run(ready())
        yield running


async def _registered(address: str, patience: Patience | None = None) -> Channel:
    """A channel with the token of a new player."""
    channel = Channel(address, None, None, patience or PATIENT)
    channel.token = (await channel.ask(channel.players.Register, player_service_pb2.RegisterRequest(name="Ann"))).token
    return channel


def flags(server: ServerProcess, folder: Path, *more: str) -> list[str]:
    return ["export", "--server", server.address, "--token-file", str(folder / "tokens"), *more]


def export(server: ServerProcess, folder: Path, *more: str) -> bytes:
    """What is in the file afterwards."""
    out = folder / "games"
    assert main(flags(server, folder, "--out", str(out), *more)) == 0
    return out.read_bytes()


def ids(raw: bytes) -> list[str]:
    return [decode_record(line).game_id for line in raw.splitlines()]


def test_all_games_come_in_the_order_of_their_ends(
    server: ServerProcess, played: list[GameRecord], tmp_path: Path
) -> None:
    assert [decode_record(line) for line in export(server, tmp_path).splitlines()] == played


def test_every_format_says_the_same(server: ServerProcess, played: list[GameRecord], tmp_path: Path) -> None:
    rows = [row for record in played for row in rows_of(record)]

    table = list(csv.DictReader(StringIO(export(server, tmp_path, "--format", "csv").decode(), newline="")))
    assert [(row["game_id"], row["step"], row["action"]) for row in table] == [
        (row.game_id, str(row.step), row.action) for row in rows
    ]
    text = export(server, tmp_path, "--format", "notation").decode()
    assert list(read_games(text)) == played
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    columns = parquet.read_table(BytesIO(export(server, tmp_path, "--format", "parquet")))
    assert columns["step"].to_pylist() == [row.step for row in rows]


def test_only_the_games_that_were_asked_for_come(
    server: ServerProcess, played: list[GameRecord], tmp_path: Path
) -> None:
    book = BOOKS[0].id
    of_book = [record.game_id for record in played if record.rulebook == book]
    assert 0 < len(of_book) < GAMES
    assert ids(export(server, tmp_path, "--rulebook", book)) == of_book

    player = "sim.bluffing"
    of_player = [record.game_id for record in played if player in {seat.player_id for seat in record.seats}]
    assert ids(export(server, tmp_path, "--player", player)) == of_player
    assert not export(server, tmp_path, "--result", "abandoned")
    assert len(ids(export(server, tmp_path, "--result", "ended", "--practice"))) == GAMES


def test_since_and_until_part_the_games_without_losing_one(
    server: ServerProcess, played: list[GameRecord], tmp_path: Path
) -> None:
    before = ids(export(server, tmp_path, "--until", "2024-01-01T01:30"))
    after = ids(export(server, tmp_path, "--since", "2024-01-01T01:30"))

    assert before
    assert after
    assert before + after == [record.game_id for record in played]
    assert not export(server, tmp_path, "--since", "2024-02-01")


def test_it_goes_to_standard_output_if_no_file_is_named(
    server: ServerProcess, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(flags(server, tmp_path)) == 0

    written = capfdbinary.readouterr()
    assert len(written.out.splitlines()) == GAMES
    assert written.err.startswith(b"120 games in ")


def test_a_reader_that_has_seen_enough_is_no_error(server: ServerProcess, tmp_path: Path) -> None:
    command = " ".join([sys.executable, "-m", "services.cli", *flags(server, tmp_path), "| head -n 1"])
    shell = subprocess.run(["/bin/bash", "-o", "pipefail", "-c", command], check=False, capture_output=True)

    assert shell.returncode == 0
    assert shell.stdout.count(b"\n") == 1
    assert b"Traceback" not in shell.stderr
    assert b"Exception" not in shell.stderr


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--rulebook", "bridge"], "There is no rulebook bridge"),
        (["--player", "no such id"], "filter.player_id"),
        (["--since", "2026-01-02", "--until", "2026-01-01"], "--until must be later than --since"),
        (["--player", "sim.blufing"], "No player with the id sim.blufing is known"),
        (["--out", "no/such/folder/games"], "can't write no/such/folder/games: No such file"),
        (["--out", "/dev/full"], "No space left on device"),
    ],
)
def test_what_cannot_be_exported_is_told_in_a_sentence(
    server: ServerProcess, tmp_path: Path, more: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(flags(server, tmp_path, *more)) == 2

    told = capsys.readouterr().err
    assert sentence in told
    assert told.count("\n") == 1


def test_a_server_that_is_not_there_is_told_soon_and_nothing_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "games"
    began = time.monotonic()

    assert main(["export", "--server", "127.0.0.1:1", "--out", str(out)]) == 2

    assert time.monotonic() - began < 10
    assert "the server at 127.0.0.1:1 does not answer" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_being_interrupted_leaves_the_file_as_it_was_and_says_so(
    server: ServerProcess,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    number: signal.Signals,
) -> None:
    export = PastGames.export

    async def interrupted(past: PastGames, games: GameFilter, _after: str) -> AsyncIterator[Exported]:
        async for batch in export(past, games):
            yield Exported(batch.records[:3], "")
            os.kill(os.getpid(), number)
            await asyncio.sleep(60)

    monkeypatch.setattr(PastGames, "export", interrupted)
    out = tmp_path / "games"
    out.write_text("precious")

    try:
        ended = main(flags(server, tmp_path, "--out", str(out)))
    except SystemExit as stopped:
        ended = int(str(stopped.code))

    assert ended == 128 + number
    assert out.read_text() == "precious"
    assert {path.name for path in tmp_path.iterdir()} == {"games", "tokens"}
    if number is signal.SIGINT:
        assert f"3 games had come, and {out} is as it was before" in capsys.readouterr().err


def test_a_record_that_is_none_is_told_in_a_sentence_and_leaves_nothing(
    server: ServerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def false(_past: PastGames, _games: GameFilter, _after: str) -> AsyncIterator[Exported]:
        yield Exported((b"{}",), "")

    monkeypatch.setattr(PastGames, "export", false)

    assert main(flags(server, tmp_path, "--format", "csv", "--out", str(tmp_path / "games"))) == 2
    assert "not a valid game record" in capsys.readouterr().err
    assert not (tmp_path / "games").exists()


def test_a_person_sees_how_far_it_is_and_a_program_does_not(server: ServerProcess, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "services.cli", *flags(server, tmp_path, "--out", str(tmp_path / "games"))]
    main_end, terminal = pty.openpty()
    subprocess.run(command, check=True, stderr=terminal, env={**os.environ, "TERM": "xterm"})
    on_terminal = os.read(main_end, 65_536)
    os.close(terminal)
    os.close(main_end)
    piped = subprocess.run(command, check=True, capture_output=True).stderr

    assert b"exporting: " in on_terminal
    assert b"exporting: " not in piped


def test_parquet_is_not_written_to_a_terminal(server: ServerProcess, tmp_path: Path) -> None:
    main_end, terminal = pty.openpty()
    command = [sys.executable, "-m", "services.cli", *flags(server, tmp_path, "--format", "parquet")]
    refused = subprocess.run(command, check=False, stdout=terminal, stderr=subprocess.PIPE)
    os.close(terminal)
    os.close(main_end)

    assert refused.returncode == 2
    assert b"name a file with --out" in refused.stderr


def test_a_line_that_is_cut_again_and_again_costs_and_doubles_no_record(server: ServerProcess) -> None:
    async def story() -> None:
        straight = await _registered(server.address)
        async with straight, Proxy.to(server.address) as proxy, asyncio.timeout(60):
            whole = await taken_in(straight)
            channel = Channel(proxy.address, straight.token, None, PATIENT)
            async with channel:
                while proxy.connections <= 2:  # All of it may have come before the line was cut.
                    cut: list[bytes] = []
                    async for record in fetched(channel, EVERYTHING):
                        cut.append(record)
                        if len(cut) % 25 == 0:
                            proxy.cut()
                    assert cut == whole

    asyncio.run(story())


def test_a_server_that_falls_silent_is_asked_again(server: ServerProcess) -> None:
    async def story() -> tuple[int, int]:
        straight = await _registered(server.address)
        patience = Patience(total_seconds=20.0, pause_seconds_max=0.2, silence_seconds=0.5)
        async with straight, Proxy.to(server.address) as proxy:
            channel = Channel(proxy.address, straight.token, None, patience)
            async with channel:
                proxy.swallowing = True
                asyncio.get_running_loop().call_later(1.0, _heard_again, proxy)
                return len([record async for record in fetched(channel, EVERYTHING)]), proxy.connections

    count, connections = asyncio.run(story())

    assert count == GAMES
    assert connections > 1


def _heard_again(proxy: Proxy) -> None:
    proxy.swallowing = False
    proxy.cut()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_that_is_killed_or_goes_down_and_comes_back_goes_on_where_it_was(
    server: ServerProcess, played: list[GameRecord], number: signal.Signals
) -> None:
    async def story() -> list[bytes]:
        channel = await _registered(server.address, Patience(total_seconds=60.0))
        async with channel:
            records: list[bytes] = []
            async for record in fetched(channel, EVERYTHING):
                records.append(record)
                if len(records) == 10:
                    await asyncio.to_thread(server.end, number)
                    await asyncio.to_thread(server.start)
            return records

    assert [decode_record(record) for record in asyncio.run(story())] == played


def test_who_gets_nothing_is_told_once_there_is_no_more_patience() -> None:
    async def story() -> None:
        channel = Channel("127.0.0.1:1", "token", None, Patience(total_seconds=0.5))
        async with channel:
            with pytest.raises(Unreachable):
                await anext(fetched(channel, EVERYTHING))

    asyncio.run(story())


def test_what_the_server_refuses_is_not_asked_again() -> None:
    async def story(server: Server) -> None:
        channel = await _registered(server.running.address)
        async with channel:
            with pytest.raises(Refused) as refusal:
                await anext(fetched(channel, GameFilter(rulebook="bridge")))
        assert refusal.value.reason == "NO_SUCH_RULEBOOK"

    on_server(story)


def test_a_nightly_export_into_files_has_each_game_once(server: ServerProcess, tmp_path: Path) -> None:
    state = str(tmp_path / "export.state")
    first = export(server, tmp_path, "--state", state)
    assert len(ids(first)) == GAMES
    assert export(server, tmp_path, "--state", state) == b""
    assert main(flags(server, tmp_path, "--state", state, "--rulebook", "pirates", "--out", os.devnull)) != 0


@pytest.mark.parametrize("appeared", [True, False])
def test_an_export_that_is_killed_before_it_notes_its_end_neither_loses_nor_repeats_a_game(
    server: ServerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, appeared: bool
) -> None:
    """The note says what was about to appear, so the next export sees whether it did."""
    state, first = str(tmp_path / "export.state"), tmp_path / "first"

    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(ExportState, "commit", killed)
        with pytest.raises(Killed):
            main(flags(server, tmp_path, "--state", state, "--out", str(first)))
    if not appeared:
        first.unlink()

    again = ids(export(server, tmp_path, "--state", state))

    assert len(again) == (0 if appeared else GAMES)
    assert ids(export(server, tmp_path, "--state", state)) == []


def test_a_file_that_is_no_state_is_refused_and_left_alone(
    server: ServerProcess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "letter"
    other.write_text("Dear Ann")
    assert main(flags(server, tmp_path, "--state", str(other), "--out", str(tmp_path / "games"))) != 0
    assert "is no file of --state" in capsys.readouterr().err
    assert other.read_text() == "Dear Ann"
