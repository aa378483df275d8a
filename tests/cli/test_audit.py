"""`liarsdice audit`, `verify` and `witness` as their users type them, against a server that is a process of its own."""

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from infra.log.checkpoints import open_checkpoint
from infra.log.notes import read_vkey
from services import verifier
from services.cli.main import main
from services.client import Client, PlayedGame, Refused, SeatKeeper, TokenFile
from services.client.played_game import LiftedCups
from tests.servers import LOG_KEYS, ServerProcess, server_process

KEY = LOG_KEYS.vkeys[0]


async def played(address: str, tokens: Path) -> str:
    """A whole game against a bot; the token is remembered where the commands look for it."""
    async with Client.connect(address, seats=SeatKeeper(tokens.parent / "seats")) as client:
        await client.register("Ann")
        table = await client.create("palafico", seats=2)
        await table.add_bot()
        await table.start()
        async for update in table.watch():
            view = update.game.view
            if view.phase == "bidding" and view.viewer in view.waiting:
                lowest = view.moves.lowest_bids
                try:
                    if view.bids or not lowest:
                        await table.challenge(expected_version=update.game.version)
                    else:
                        await table.bid(lowest[0].quantity, lowest[0].face, expected_version=update.game.version)
                except Refused as refusal:
                    assert refusal.reason == "VERSION_MOVED"  # noqa: PT017 - the bot was faster
        assert client.token is not None
        TokenFile(tokens).keep(address, "Ann", client.token)
        return table.game_id


class Table:
    """A server with one game that is over, and who asks about it."""

    def __init__(self, server: ServerProcess, folder: Path) -> None:
        self.server, self.tokens = server, folder / "tokens.json"
        self.game_id = asyncio.run(played(server.address, self.tokens))

    def audit(self, *flags: str) -> int:
        """What `liarsdice audit` ends with."""
        who = ("--server", self.server.address, "--token-file", str(self.tokens))
        return main(["audit", self.game_id, *who, *flags])


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    """One server for all tests of this module."""
    with server_process() as server:
        yield Table(server, tmp_path_factory.mktemp("tokens"))


def test_an_audit_is_one_file_that_is_checked_in_an_empty_directory(
    table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert table.audit("--round", "1", "--public-key", KEY) == 0
    printed = capsys.readouterr().out
    (bundle,) = tmp_path.iterdir()
    assert bundle.name == f"{table.game_id}-round-1.bundle"
    assert bundle.name in printed

    empty = tmp_path / "empty"
    empty.mkdir()
    shutil.copy(bundle, empty)
    monkeypatch.chdir(empty)
    assert main(["verify", bundle.name, "--public-key", KEY]) == 0
    assert "Ann" in capsys.readouterr().out
    shutil.copytree(Path(verifier.__file__).parent, empty / "verifier")
    alone = [sys.executable, "-I", "verifier", bundle.name, "--public-key", KEY]
    assert subprocess.run(alone, cwd=empty, capture_output=True, check=False).returncode == 0

    changed = bytearray(bundle.read_bytes())
    changed[len(changed) // 2] ^= 1
    (empty / bundle.name).write_bytes(changed)
    assert main(["verify", bundle.name, "--public-key", KEY]) == 1
    assert subprocess.run(alone, cwd=empty, capture_output=True, check=False).returncode == 1


def test_an_audit_is_compared_with_what_the_client_has_kept(
    table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A server that made up the whole game could prove it, but not with the player's own chain and dice."""
    (path,) = (table.tokens.parent / "seats").glob("*.played")
    kept = path.read_bytes()
    assert table.audit("--out", str(tmp_path / "game")) == 0
    assert "The chain and the key of your seat and the dice of" in capsys.readouterr().out

    played = msgspec.json.decode(kept, type=PlayedGame)
    other = msgspec.structs.replace(played, anchor=b"a" * 32, cups=(LiftedCups(1, ((9,), (9,))),))
    try:
        path.write_bytes(msgspec.json.encode(other))
        assert table.audit("--out", str(tmp_path / "game")) == 1
        told = capsys.readouterr().out
        path.unlink()
        assert table.audit("--out", str(tmp_path / "game")) == 0
    finally:
        path.write_bytes(kept)
    assert "Your seat has the anchor " in told
    assert "In round 1 seat 0 has the dice (" in told
    assert "but your client saw (9,)." in told
    assert "Your client has kept nothing of this game" in capsys.readouterr().out


def test_the_whole_game_is_audited_and_a_dispute_is_ruled_on(
    table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert table.audit("--out", str(tmp_path / "game")) == 0
    capsys.readouterr()
    assert table.audit("--round", "1", "--out", str(tmp_path / "round"), "--dispute", "I doubt it.") == 0
    assert "The result stands." in capsys.readouterr().out
    assert table.audit("--round", "1", "--out", str(tmp_path / "round"), "--dispute", "Once more.") == 2
    assert "disputed round 1 already" in capsys.readouterr().err
    assert table.audit("--disputes") == 0
    assert "Round 1, disputed by seat 0: 'I doubt it.'" in capsys.readouterr().out
    assert table.audit("--disputes", "--json") == 0
    (dispute,) = json.loads(capsys.readouterr().out)["disputes"]
    assert (dispute["game_id"], dispute["round"], dispute["reason"]) == (table.game_id, 1, "I doubt it.")
    assert dispute["ruling"]["stands"]
    assert dispute["ruling"]["at"] >= dispute["opened"] > 1_600_000_000_000
    assert dispute["closing"] is None


def test_an_audit_as_json_is_the_report_of_verify(
    table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle, receipts = str(tmp_path / "round"), str(tmp_path / "receipts")
    kept = ("--receipts-out", receipts)
    assert table.audit("--round", "1", "--out", bundle, "--json", "--public-key", KEY, *kept) == 0
    audited = capsys.readouterr().out
    assert "receipts say the same as the bundle." in audited
    assert main(["verify", bundle, "--json", "--public-key", KEY, "--receipts", receipts]) == 0

    assert audited == capsys.readouterr().out
    assert table.audit("--round", "1", "--out", bundle, "--json", "--public-key", "nonsense") == 2
    assert set(json.loads(capsys.readouterr().out)) == {"failed", "sentence"}


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--round", "99"], "is not over, or there is no such round"),
        (["--dispute", "Why?"], "--dispute needs --round"),
        (["--store"], "name a game, or say --store"),
        (["--json", "--out", "-"], "standard output can't have both"),
        (["--json", "--round", "1", "--dispute", "Why?"], "say --disputes too"),
        (["--round", "1", "--public-key", "nonsense", "--out", "-"], "does not hold"),
    ],
)
def test_what_cannot_be_audited_is_told_in_a_sentence(
    table: Table, capsys: pytest.CaptureFixture[str], flags: list[str], sentence: str
) -> None:
    assert table.audit(*flags) == 2
    assert sentence in capsys.readouterr().err


def test_a_witness_follows_the_server(table: Table, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    files = ["--state", str(tmp_path / "seen"), "--key-file", str(tmp_path / "key"), "--log-key", KEY]
    for turn in range(2):
        assert main(["witness", "--server", table.server.address, *files]) == 0
        note, checkpoint = open_checkpoint(capsysbinary.readouterr().out, [read_vkey(KEY)])
        assert len(note.signatures) == 2
        assert checkpoint.size > 2 + turn
        asyncio.run(played(table.server.address, tmp_path / "tokens"))
    assert main(["witness", *files]) == 2
    assert main(["witness", "--server", "127.0.0.1:1", *files]) == 2


def test_the_store_is_checked_while_it_is_served(
    table: Table, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in table.server.environment.items():
        if name.startswith(("LIARSDICE", "DATABASE")):
            monkeypatch.setenv(name, value)
    assert main(["audit", "--store"]) == 0
    assert "everything is as it was signed" in capsys.readouterr().out
    assert main(["audit", "--store", "--json"]) == 0
    checked = json.loads(capsys.readouterr().out)
    assert checked["events"] > checked["leaves"] > 0
    assert checked["differences"] == []
