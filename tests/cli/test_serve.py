"""`liarsdice serve` as a process: it outlives its database, and says what is wrong in a sentence."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from infra.embedded.postmaster import postmaster_of
from services.access.endpoint import Tls
from services.cli import main as cli
from services.cli import serve
from services.cli.play_hint import how_to_play, page_to_open
from services.client import Client
from services.tables.allowance import Limits
from tests.certificates import made
from tests.infra.postgres.databases import folder_for_a_server, new_database
from tests.servers import KEYS_ENVIRONMENT

ROOT = Path(__file__).parents[2]


@contextmanager
def served(folder: str, *flags: str) -> Iterator[str]:
    """The address of a server on an embedded Postgres of its own."""
    command = [
        sys.executable,
        "-m",
        "services.cli",
        "serve",
        "--data",
        folder,
        "--listen",
        "127.0.0.1:0",
        "--http",
        "127.0.0.1:0",
        *flags,
    ]
    environment = {"PATH": os.defpath, "HOME": folder, "PYTHONPATH": f"{ROOT}:{ROOT / 'proto' / 'gen'}"}
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]
    finally:
        process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        assert process.wait(timeout=60) == 0
        assert time.monotonic() - began < 30
        process.communicate()


def test_the_server_outlives_its_database_and_goes_down_when_asked() -> None:
    async def play(address: str, cluster: Path) -> None:
        async with Client.connect(address) as client:
            await client.register("Ann")
            table = await client.create("pirates")
            await table.add_bot("cautious")
            await table.start()
            postmaster = postmaster_of(cluster)
            assert postmaster is not None
            os.kill(postmaster.process, signal.SIGKILL)

            async with asyncio.timeout(60):
                async for update in table.watch():
                    if update.game.view.phase == "bidding" and update.game.view.waiting == (0,):
                        await table.forfeit()
            assert (await table.game()).view.winner == 1

    with folder_for_a_server() as folder, served(folder) as address:
        asyncio.run(play(address, Path(folder) / "postgres" / "cluster"))


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--listen", "0.0.0.0:0"], "without TLS the server listens on loopback only"),
        (["--tls-key", "key.pem"], "--tls-certificate and --tls-key belong together"),
        (["--jwks", "keys.json"], "--jwks and --jwt-issuer belong together"),
        (["--listen", "127.0.0.1:99999"], "--listen takes HOST:PORT, not 127.0.0.1:99999"),
        (["--listen", "nonsense"], "--listen takes HOST:PORT, not nonsense"),
        (["--listen", "127.0.0.1:0", "--http", "nonsense"], "--http takes HOST:PORT, not nonsense"),
        (["--tls-certificate", "no.pem", "--tls-key", "no.pem"], "can't read no.pem"),
        (["--processes", "2", "--listen", "0.0.0.0:0"], "without TLS the server listens on loopback only"),
        (["--processes", "2", "--listen", "nonsense"], "--listen takes HOST:PORT, not nonsense"),
        (["--processes", "2", "--listen", "127.0.0.1:0", "--http", "nonsense"], "--http takes HOST:PORT, not nonsense"),
    ],
)
def test_a_wrong_flag_is_told_in_a_sentence(
    flags: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in {**KEYS_ENVIRONMENT, "DATABASE_URL": new_database(lanes=1)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)

    assert cli.main(["serve", "--data", str(tmp_path), *flags]) == 2

    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("number", ["0", "65", "-1", "1.5", "two", "", "9" * 5_000])
def test_a_number_of_processes_that_can_not_be_is_answered_with_what_may_be(
    number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(["serve", f"--processes={number}"])

    assert stopped.value.code == 2
    assert "a whole number from 1 to 64 is needed" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("command", ["serve", "http"])
def test_a_key_that_does_not_fit_is_told_in_one_line(command: str, tmp_path: Path) -> None:
    made(tmp_path, "server")
    made(tmp_path, "other")
    environment = {"PATH": os.defpath, "PYTHONPATH": f"{ROOT}:{ROOT / 'proto' / 'gen'}"}
    flags = ["--listen", "127.0.0.1:0", "--tls-certificate", "server.crt", "--tls-key", "other.key"]
    with folder_for_a_server() as folder:
        ran = subprocess.run(
            [sys.executable, "-m", "services.cli", command, "--data", folder, *flags],
            env={**environment, **KEYS_ENVIRONMENT, "HOME": folder, "DATABASE_URL": new_database()},
            cwd=tmp_path,
            capture_output=True,
            check=False,
            text=True,
            timeout=120,
        )

    assert ran.returncode == 2
    assert "liarsdice: the certificate in server.crt and the key in other.key don't fit" in ran.stderr
    assert "port" not in ran.stderr
    assert "ssl" not in ran.stderr.lower()


def test_it_says_how_it_can_be_reached_from_another_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, certificate, key = made(tmp_path, "server")
    _, authority, _ = made(tmp_path, "authority")
    address = "127.0.0.1:50051"
    monkeypatch.setattr(sys, "argv", [".venv/bin/liarsdice", "serve"])
    monkeypatch.setenv("PATH", os.defpath)
    called = f".venv/bin/liarsdice play --server {address}"

    assert how_to_play(address, None) == called
    assert how_to_play(address, Tls(certificate, key)) == f"{called} --tls-ca {certificate}"
    asking = how_to_play(address, Tls(certificate, key, authority))
    assert asking == f"{called} --tls-ca {certificate} --tls-certificate FILE --tls-key FILE"


@pytest.mark.parametrize(
    ("url", "page"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/"),
        ("https://dice.example:443", "https://dice.example:443/"),
        ("http://0.0.0.0:8080", "http://127.0.0.1:8080/"),
        ("http://[::]:8080", "http://[::1]:8080/"),
        ("http://[::1]:8080", "http://[::1]:8080/"),
    ],
)
def test_the_page_is_opened_where_a_browser_on_this_machine_finds_it(url: str, page: str) -> None:
    assert page_to_open(url) == page


def test_it_says_to_trust_the_authority_of_a_certificate_that_does_not_sign_itself(tmp_path: Path) -> None:
    _, certificate, key = made(tmp_path, "server", signed_by="some authority")

    assert how_to_play("127.0.0.1:50051", Tls(certificate, key)).endswith(" --tls-ca FILE")


@pytest.mark.parametrize(
    ("argument", "program"),
    [
        ("/opt/liars dice/bin/liarsdice", "'/opt/liars dice/bin/liarsdice'"),
        ("{folder}/liarsdice", "liarsdice"),
        ("services/cli/main.py", "liarsdice"),
    ],
)
def test_it_names_the_program_as_it_was_called_and_by_its_name_where_that_is_enough(
    argument: str, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = tmp_path / "liarsdice"
    found.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [argument.format(folder=tmp_path), "serve"])

    assert how_to_play("h:1", None) == f"{program} play --server h:1"


@pytest.mark.parametrize(
    ("flags", "http"),
    [([], "127.0.0.1:8080"), (["--http", "[::1]:80"], "[::1]:80"), (["--no-http"], None), (["--http", "none"], None)],
)
def test_http_is_there_unless_it_is_not_wanted(flags: list[str], http: str | None) -> None:
    arguments = cli.parser_for(["serve"]).parse_args(["serve", *flags])

    assert serve._settings(arguments).http == http  # noqa: SLF001 - what the program does with its arguments


def test_a_player_has_limits_unless_the_operator_takes_them_away() -> None:
    none = ["--tables-max=0", "--practice-games-max=0", "--bot-games-max=0", "--bot-rate=0"]
    parser = cli.parser_for(["serve"])
    usual, unlimited = (serve._settings(parser.parse_args(["serve", *flags])) for flags in ([], none))  # noqa: SLF001 - as above

    assert (usual.limits, usual.bot_rate) == (Limits(tables=50, practice_games=20, bot_games=30), 50.0)
    assert (unlimited.limits, unlimited.bot_rate) == (Limits(), 0.0)
