"""The service for its operators: health, metrics, separate processes, TLS, and how it goes down."""

import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
import httpx
import pytest
from msgspec.structs import replace

from infra.postgres.migrating import Connection
from services.access.endpoint import Tls
from services.app.database_address import DATABASE_VARIABLE
from services.cli.main import main
from tests.certificates import made
from tests.http.readers import API, HTTP_SETTINGS, Site, on_site
from tests.infra.postgres.databases import folder_for_a_server, login, new_database, on_connection
from tests.servers import KEYS_ENVIRONMENT, ROOT, SECONDS_MAX, ServerProcess


def test_health_and_readiness_are_told() -> None:
    async def story(site: Site) -> None:
        for path, status in (("/health/live", "live"), ("/health/ready", "ready")):
            answer = await site.get(path)
            assert (answer.status_code, answer.json()) == (200, {"status": status})
            assert answer.headers["cache-control"] == "no-store"

    on_site(story)


def test_a_server_that_keeps_the_read_models_is_not_ready_while_one_is_at_fault() -> None:
    url = new_database(1)

    async def story(site: Site) -> None:
        await site.played()
        connection = await asyncpg.connect(url)
        await connection.execute(
            "UPDATE liarsdice.model_positions SET fault = 'ValueError', fault_position = 7, fault_game = 'secret-game',"
            " fault_since = now() WHERE name = 'history'"
        )
        await connection.close()
        ready = await site.get("/health/ready")
        assert (ready.status_code, ready.json()["status"]) == (503, "not ready")
        assert "the model history has stopped before position 7" in ready.json()["problem"]
        metrics = (await site.get("/metrics")).text
        assert 'liarsdice_model_faults{model="history",state="live"} 1.0' in metrics
        assert "secret-game" not in metrics

    on_site(story, url=url)


def test_metrics_with_an_address_of_their_own_are_nowhere_else() -> None:
    async def story(site: Site) -> None:
        reading = site.server.running.reading
        assert reading is not None
        assert (await site.get("/metrics")).status_code == 404
        async with httpx.AsyncClient(base_url=f"http://{reading.metrics}") as inside:
            assert "liarsdice_log_signing_stopped 0.0" in (await inside.get("/metrics")).text
            assert (await inside.get(f"{API}/games")).status_code == 404

    on_site(story, replace(HTTP_SETTINGS, metrics="127.0.0.1:0"))


def test_what_other_machines_can_reach_has_no_metrics() -> None:
    """On a quiet server they tell that somebody moves at a private table."""

    async def story(site: Site) -> None:
        assert (await site.get("/metrics")).status_code == 404
        assert (await site.get("/health/ready")).status_code == 200

    on_site(story, replace(HTTP_SETTINGS, http="0.0.0.0:0", plaintext_anywhere=True))


def test_metrics_count_requests_by_route_and_nothing_in_them_names_a_game_or_a_player() -> None:
    async def story(site: Site) -> None:
        game_id, clients = await site.played()
        for _ in range(3):
            await site.get(f"{API}/games/{game_id}/record", clients[0].player)
        await site.get(f"{API}/games/nothing")
        await site.get("/made-up-by-somebody")
        await site.client.request("BREW", f"{API}/games")
        await site.events(f"/games/{game_id}/replay?wait_seconds_max=0")
        metrics = (await site.get("/metrics")).text

        counted = {
            line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in metrics.splitlines() if line[0] != "#"
        }
        route = '{method="GET",route="/api/v1/games/{game_id}/record",status="200"}'
        assert counted[f"liarsdice_http_requests_total{route}"] == 3
        missing = '{method="GET",route="/api/v1/games/{game_id}",status="404"}'
        assert counted[f"liarsdice_http_requests_total{missing}"] == 1
        assert counted['liarsdice_http_requests_total{method="GET",route="none",status="404"}'] == 1
        assert counted['liarsdice_http_requests_total{method="other",route="none",status="405"}'] == 1
        assert counted['liarsdice_http_streams_open{kind="replay"}'] == 0
        assert counted["liarsdice_rpc_calls_total"] > 10
        assert counted["liarsdice_events_seen_total"] > 10
        for name, help_text in re.findall(r"# HELP liarsdice_(\w+) (.*)", metrics):
            assert re.fullmatch(r"[A-Z].*\.", help_text)
            assert help_text.lower().rstrip(".") != name.replace("_", " "), "a name said again explains nothing"
        models = set(re.findall(r'liarsdice_model_lag_events\{model="(\w+)"', metrics))
        assert models >= {"games", "history", "replays"}
        for secret in (game_id, clients[0].player.player_id, clients[0].player.token, "Player 0", "made-up"):
            assert secret not in metrics

    on_site(story, own=True)


def test_an_answer_does_not_wait_for_the_acknowledgement_of_another() -> None:
    async def story(site: Site) -> None:
        times = []
        for _ in range(20):
            began = time.perf_counter()
            await site.get("/health/live")
            times.append(time.perf_counter() - began)
        assert min(times) < 0.03

    on_site(story)


@contextmanager
def process(*arguments: str, environment: dict[str, str], folder: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "services.cli", *arguments]
    places = {"PATH": os.defpath, "HOME": folder, "PYTHONPATH": f"{ROOT}:{ROOT / 'proto' / 'gen'}"}
    running = subprocess.Popen(
        command, env={**places, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder
    )
    try:
        yield running
    finally:
        if running.poll() is None:
            running.kill()
        running.communicate(timeout=SECONDS_MAX)


def test_it_runs_beside_a_game_server_without_any_key_and_shows_its_games_live() -> None:
    url = new_database()
    with folder_for_a_server() as folder:
        server = ServerProcess(url, folder, 0.0)
        try:
            assert server.process.stdout is not None
            last = [server.process.stdout.readline() for _ in range(3)][-1]
            assert last == f"Open http://{server.http}/ to play.\n"
            with process(
                "http", "--listen", "127.0.0.1:0", environment={DATABASE_VARIABLE: url}, folder=folder
            ) as reader:
                assert reader.stdout is not None
                address = reader.stdout.readline().split()[-1]
                assert "LIARSDICE_KEYS" not in Path(f"/proc/{reader.pid}/environ").read_text()
                game_id = simulated(server, folder)
                with httpx.Client(base_url=address, timeout=SECONDS_MAX) as client:
                    assert client.get("/health/ready").json() == {"status": "ready"}
                    assert "/page/main.js" in client.get("/").text
                    # By this the page finds out that nobody can play here.
                    assert client.post("/liarsdice.v1.GameService/ListRulebooks", json={}).status_code == 404
                    assert client.get(f"{API}/games/{game_id}").json()["result"] == "ended"
                    with client.stream("GET", f"{API}/games/{game_id}/live") as answer:
                        text = answer.read().decode()
                    assert "event: game" in text
                    assert "event: end" in text
                    until_bundled(client, game_id)
                reader.send_signal(signal.SIGTERM)
                assert reader.wait(timeout=SECONDS_MAX) == 0
        finally:
            server.end()


def simulated(server: ServerProcess, folder: str) -> str:
    """A game that is put into the store of a server that runs."""
    command = [
        sys.executable,
        "-m",
        "services.cli",
        "simulate",
        "--rulebook",
        "single-hand",
        "--store",
        "--data",
        folder,
    ]
    subprocess.run(command, env=server.environment, capture_output=True, check=True, cwd=folder, timeout=SECONDS_MAX)
    with httpx.Client(base_url=f"http://{server.http}", timeout=SECONDS_MAX) as client:
        while not (found := client.get(f"{API}/games").json()["games"]):
            time.sleep(0.05)
    return str(found[0]["game_id"])


def until_bundled(client: httpx.Client, game_id: str) -> None:
    """The log is kept by another process, which may take a moment."""
    while (answer := client.get(f"{API}/games/{game_id}/audit")).status_code == 503:
        assert answer.json()["reason"] == "LOG_BEHIND"
        time.sleep(0.1)
    assert answer.json()["format"] == "liarsdice.bundle.v1"


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--listen", "0.0.0.0:0"], "without TLS the server listens on loopback only"),
        (["--listen", "nonsense"], "--listen takes HOST:PORT, not nonsense"),
        (["--tls-key", "key.pem"], "--tls-certificate and --tls-key belong together"),
        (["--tls-certificate", "no.pem", "--tls-key", "no.pem"], "can't read no.pem"),
    ],
)
def test_a_wrong_flag_is_told_in_a_sentence(
    flags: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(DATABASE_VARIABLE, new_database(lanes=1))
    monkeypatch.chdir(tmp_path)

    assert main(["http", *flags]) == 2

    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("command", [["http", "--listen"], ["serve", "--listen", "127.0.0.1:0", "--http"]])
def test_a_port_that_is_taken_is_told(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {**KEYS_ENVIRONMENT, DATABASE_VARIABLE: new_database(lanes=1)}.items():
        monkeypatch.setenv(name, value)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        assert main([*command, address]) == 2

    assert f"can't listen on {address}: is the port taken?" in capsys.readouterr().err


def test_with_a_certificate_it_speaks_tls_and_nothing_else(tmp_path: Path) -> None:
    _, certificate, key = made(tmp_path, "server")
    tls = Tls(certificate, key)

    async def story(site: Site) -> None:
        assert site.url.startswith("https://")
        with pytest.raises(httpx.HTTPError):
            await site.get(f"{API}/rulebooks")  # This reader does not trust it.
        trusted = ssl.create_default_context(cafile=str(certificate))
        async with httpx.AsyncClient(base_url=site.url, verify=trusted) as client:
            assert (await client.get(f"{API}/rulebooks")).status_code == 200
        async with httpx.AsyncClient(base_url=site.url.replace("https", "http")) as client:
            with pytest.raises(httpx.HTTPError):
                await client.get(f"{API}/rulebooks")

    on_site(story, replace(HTTP_SETTINGS, tls=tls))


def test_a_login_that_may_read_and_look_up_tokens_is_enough() -> None:
    """As docs/operate/kubernetes.md says."""
    url = new_database()
    mine = login("only_http", owns=False, url=url)

    async def grant(connection: Connection) -> None:
        await connection.execute("GRANT liarsdice_tokens, liarsdice_reader TO only_http")

    on_connection(url, grant)
    with (
        folder_for_a_server() as folder,
        process("http", "--listen", "127.0.0.1:0", environment={DATABASE_VARIABLE: mine}, folder=folder) as reader,
    ):
        assert reader.stdout is not None
        address = reader.stdout.readline().split()[-1]
        with httpx.Client(base_url=address, timeout=SECONDS_MAX) as client:
            for path in (
                "/health/ready",
                "/metrics",
                f"{API}/games",
                f"{API}/players",
                f"{API}/export",
                f"{API}/leaderboards",
            ):
                assert client.get(path).status_code == 200
            missing = client.get(f"{API}/games/nothing/live", headers={"Authorization": "Bearer ldt_made-up"})
            assert missing.json()["reason"] == "TOKEN_INVALID"
        reader.send_signal(signal.SIGTERM)
        assert reader.wait(timeout=SECONDS_MAX) == 0
