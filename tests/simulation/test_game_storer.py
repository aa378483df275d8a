"""`liarsdice simulate --store`: games that bots have played, in the store like any others."""

import asyncio
import os
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import pytest

from domain.events import AnyEvent, GameEnded, PlayerJoined
from domain.evolve import fold
from domain.fairness.verification import verify as verify_dice
from domain.history.record import decode_record
from domain.history.recording import record_of
from domain.rulebooks import BOOKS
from domain.state import Ended
from domain.views import seen_by
from infra.events.mapping import EventMapper, EventTranscoder
from infra.postgres.audit_log import AuditLog
from infra.postgres.store import EventStore
from services.access.table_events import TABLE_TOPICS
from services.audit.store_check import StoreCheck
from services.bots.names import is_bot
from services.cli.flags.values import moment
from services.cli.main import main
from services.simulation.game_storer import Calendar, GameStorer, Stored
from services.simulation.memory_table import MemoryTable
from services.simulation.simulation import game_name, play_game, setups_of_all
from services.tables.table_store import Tables
from services.verifier import verify
from tests.infra.postgres.databases import folder_for_a_server, new_database, on_connection
from tests.rpc.servers import Server, on_server
from tests.servers import KEYS, LOG_KEYS

Result = TypeVar("Result")
DAY = 24 * 3_600_000
NEW_YEAR_2024 = 1_704_067_200_000
ALL = ("--rulebook", "all", "--games", "12")


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> str:
    """A new store, which the command finds with the keys of the tests."""
    url = new_database()
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setenv("LIARSDICE_KEYS", b64encode(b"k" * 32).decode())
    return url


def on_store(url: str, work: Callable[[EventStore], Awaitable[Result]]) -> Result:
    async def worked() -> Result:
        store = await EventStore.open(url)
        try:
            async with asyncio.timeout(60):
                return await work(store)
        finally:
            await store.close()

    return asyncio.run(worked())


def streams(url: str) -> dict[str, list[AnyEvent]]:
    """The events of all games in a store."""
    mapper = EventMapper(EventTranscoder(KEYS, must_open=True))

    async def work(store: EventStore) -> dict[str, list[AnyEvent]]:
        found: dict[str, list[AnyEvent]] = {}
        for lane in range(store.lanes):
            for one in await store.read_lane(lane, 0, 1_000_000):
                if ":" not in (game_id := str(one.originator_id)):
                    found.setdefault(game_id, []).append(mapper.to_domain_event(one).event)
        return found

    return on_store(url, work)


def store_tables(url: str, tables: Sequence[MemoryTable], since: int = NEW_YEAR_2024) -> Stored:
    return on_store(url, lambda store: GameStorer(store, KEYS, Calendar(since, now=since)).store(tables))


def tables_of(count: int, seed: int = 4) -> list[MemoryTable]:
    setups = setups_of_all(3)
    return [play_game(setups[index], seed, index, game_name(setups[index], seed, index)) for index in range(count)]


def test_stored_games_are_those_that_were_played_with_all_their_dice(database: str, tmp_path: Path) -> None:
    out = tmp_path / "games"
    assert main(["simulate", *ALL, "--store", "--out", str(out)]) == 0
    written = {record.game_id: record for record in map(decode_record, out.read_bytes().splitlines())}

    found = streams(database)

    assert {game_id: record_of(events) for game_id, events in found.items()} == written
    assert len(found) == 12
    for events in found.values():
        assert isinstance(fold(events), Ended)
        assert verify_dice(seen_by(event, None) for event in events).holds


def test_records_go_nowhere_else_unless_that_is_asked_for(
    database: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["simulate", *ALL, "--store"]) == 0

    written = capfdbinary.readouterr()
    assert not written.out
    assert b"stored: 12 games with " in written.err
    assert len(streams(database)) == 12


def test_the_same_command_again_stores_nothing_twice(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", *ALL, "--store"]) == 0
    before = streams(database)

    assert main(["simulate", *ALL, "--store", "--since", "2020-02-02"]) == 0

    assert "stored: nothing; 12 were stored before" in capsys.readouterr().err
    assert streams(database) == before


def test_games_of_another_kind_with_the_same_seed_lie_beside_them(database: str) -> None:
    for book in BOOKS:
        assert main(["simulate", "--rulebook", book.id, "--players", "3", "--store"]) == 0
    assert main(["simulate", "--rulebook", "pirates", "--players", "3", "--option", "dice_each=2", "--store"]) == 0

    assert len(streams(database)) == len(BOOKS) + 1


def test_games_are_spread_one_after_the_other_from_a_day_on(database: str) -> None:
    assert main(["simulate", *ALL, "--store", "--since", "2024-01-01"]) == 0

    games = sorted(streams(database).values(), key=lambda events: events[0].at)

    assert games[0][0].at == NEW_YEAR_2024
    for events, following in pairwise(games):
        assert events[-1].at == following[0].at
        assert [event.at for event in events] == sorted(event.at for event in events)
    assert NEW_YEAR_2024 < games[-1][-1].at < NEW_YEAR_2024 + DAY


def test_without_a_day_they_have_all_ended_by_now_and_not_at_once(database: str) -> None:
    now = time.time_ns() // 1_000_000
    assert main(["simulate", *ALL, "--store"]) == 0

    ends = sorted(events[-1].at for events in streams(database).values())

    assert now <= ends[-1] <= time.time_ns() // 1_000_000
    assert len(set(ends)) == len(ends)


@pytest.mark.parametrize("text", ["2024-01-01", "2024-01-01T00:00Z", "2024-01-01T01:00+01:00", "20240101T000000.000"])
def test_a_day_may_name_its_zone_and_its_time(text: str) -> None:
    assert moment(text) == NEW_YEAR_2024


@pytest.mark.parametrize("text", ["yesterday", "2024-13-01", "1969-12-31", "", "0001-01-01T00:00+14:00"])
def test_what_is_no_day_is_refused(text: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["simulate", *ALL, "--store", "--since", text])

    assert stopped.value.code == 2


@pytest.mark.parametrize("flags", [["--since", "2024-01-01"], ["--data", "folder"]])
def test_what_only_stored_games_have_needs_a_store(flags: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", *ALL, *flags]) == 2

    assert "say --store" in capsys.readouterr().err


def test_a_bot_has_the_same_id_in_all_games_and_none_that_the_server_would_play_for(database: str) -> None:
    assert main(["simulate", "--rulebook", "bidding-track", "--players", "4", "--games", "6", "--store"]) == 0

    for events in streams(database).values():
        joined = [event for event in events if isinstance(event, PlayerJoined)]
        assert {player.player_id for player in joined} > {"sim.cautious", "sim.calculating", "sim.bluffing"}
        assert all(player.player_id.startswith(f"sim.{player.name.split()[0]}") for player in joined)
        state = fold(events)
        assert isinstance(state, Ended)
        assert not any(is_bot(player) for player in state.table.players)


def test_the_table_is_a_public_one_of_the_first_player_with_all_chains(database: str) -> None:
    (played,) = tables_of(1)
    store_tables(database, [played])
    mapper = EventMapper(EventTranscoder(KEYS, must_open=True, topics=TABLE_TOPICS))

    table = on_store(database, lambda store: Tables(store, mapper, os.urandom).load(played.game_id))

    players = [event for event in played.events if isinstance(event, PlayerJoined)]
    assert table.opened.owner_id == players[0].player_id
    assert not table.opened.private
    assert table.opened.spectator_delay_seconds == 0
    assert table.opened.seed == played.seeds[0]
    assert table.seeds == {player.player_id: seed for player, seed in zip(players, played.seeds[1:], strict=True)}


def test_no_seed_is_stored_in_the_clear(database: str) -> None:
    tables = tables_of(3)
    store_tables(database, tables)

    rows = on_connection(
        database,
        lambda connection: connection.fetch(
            "SELECT state FROM lane_0.stored_events UNION ALL SELECT state FROM lane_1.stored_events"
            " UNION ALL SELECT state FROM lane_2.stored_events UNION ALL SELECT state FROM lane_3.stored_events"
        ),
    )

    everything = b"".join(row["state"] for row in rows)
    for seed in (seed for table in tables for seed in table.seeds):
        assert seed not in everything
        assert b64encode(seed) not in everything
        assert seed.hex().encode() not in everything


def test_a_run_that_ended_between_a_table_and_its_game_is_completed_by_the_next(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = tables_of(5)
    appended = EventStore.append

    async def lost(store: EventStore, events: list[object], request_id: str, *, at_once: bool) -> object:
        if not request_id.endswith(":open"):
            raise KeyboardInterrupt
        return await appended(store, events, request_id, at_once=at_once)  # type: ignore[arg-type]

    monkeypatch.setattr(EventStore, "append", lost)
    with pytest.raises(KeyboardInterrupt):
        store_tables(database, tables)
    monkeypatch.setattr(EventStore, "append", appended)
    assert not streams(database)

    stored = store_tables(database, tables)

    assert (stored.games, stored.known) == (5, 0)
    assert len(streams(database)) == 5


def test_a_game_that_is_there_already_stays_as_it_was(database: str) -> None:
    first, second = (play_game(setup, 4, 0) for setup in setups_of_all(3)[:2])
    store_tables(database, [first])
    before = streams(database)

    stored = store_tables(database, [second])

    assert (stored.games, stored.events, stored.known) == (0, 0, 1)
    assert streams(database) == before


def test_the_store_is_as_it_was_signed_after_a_server_has_logged_them(database: str) -> None:
    stored = store_tables(database, tables_of(10))

    async def logged(server: Server) -> None:
        await server.running.logbook.caught_up(30)

    on_server(logged, url=database)

    async def check(store: EventStore) -> tuple[int, tuple[str, ...]]:
        log = await AuditLog.open(database)
        try:
            mapper = EventMapper(EventTranscoder(KEYS, must_open=True))
            checked = await StoreCheck(store, log, mapper, LOG_KEYS.vkeys).run()
            return checked.events, checked.differences
        finally:
            await log.close()

    events, differences = on_store(database, check)
    assert not differences
    assert events >= stored.events


def test_a_server_lists_shows_and_proves_them_and_moves_in_none(database: str) -> None:
    tables = tables_of(8)
    store_tables(database, tables)

    async def story(server: Server) -> None:
        ann = await server.player()
        listed = {game.game_id for game in (await ann.ask("ListGames", page_size=50)).games}
        assert listed == {table.game_id for table in tables}
        await asyncio.sleep(0.3)  # Long enough for a steward that looks for games to move in.
        (key,) = (await server.stranger.ask("GetCheckpoint")).keys
        for table in tables:
            game = (await ann.ask("GetGame", game_id=table.game_id)).game
            assert game.version == len(table.events)
            report = verify((await ann.ask("GetAudit", game_id=table.game_id)).bundle, key)
            ended = table.events[-1]
            assert isinstance(ended, GameEnded)
            assert [tuple(place) for place in report.places] == list(ended.places)

    on_server(story, url=database)


def test_games_can_be_stored_while_a_server_runs_and_are_seen_there_at_once(database: str) -> None:
    tables = tables_of(3)

    async def story(server: Server) -> None:
        ann = await server.player()
        store = await EventStore.open(database)
        await GameStorer(store, KEYS, Calendar(None, server.running.host.now())).store(tables)
        await store.close()
        assert len((await ann.ask("ListGames", page_size=50)).games) == 3

    on_server(story, url=database)


def test_a_record_that_cannot_be_written_is_no_fault_of_the_database(
    database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert database
    assert main(["simulate", *ALL, "--games", "500", "--store", "--out", "/dev/full"]) == 2

    told = capsys.readouterr().err
    assert "No space left on device" in told
    assert "database" not in told


def test_the_embedded_store_keeps_them_too() -> None:
    with folder_for_a_server() as folder:
        command = [sys.executable, "-m", "services.cli", "simulate", *ALL, "--store", "--data", folder]
        environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        first = subprocess.run(command, env=environment, check=True, capture_output=True, timeout=120)
        again = subprocess.run(command, env=environment, check=True, capture_output=True, timeout=120)

    assert b"stored: 12 games" in first.stderr
    assert b"stored: nothing; 12 were stored before" in again.stderr
