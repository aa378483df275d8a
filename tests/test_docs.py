"""Every command in the documentation does what it says there, and every link leads somewhere."""

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import grpc
import pytest

from services.client.channel import SERVICE_CONFIG
from tests.how_to import FOLDER as HOW_TOS
from tests.infra.postgres.databases import folder_for_a_server
from tests.rpc.servers import Player, Server, on_server
from tests.servers import ServerProcess, server_process

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("proto/*.md"),
        *ROOT.glob("k8s/*.md"),
        *ROOT.glob("services/**/*.md"),
    ]
)
MAKE_TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
SESSIONS = [
    ROOT / "docs" / name
    for name in (
        "play/tour.md",
        "play/clubs.md",
        "client/connect.md",
        "client/http.md",
        "client/integration.md",
        "operate/read-models.md",
        "operate/witness.md",
    )
]
"""Pages whose blocks are one session of a shell; on all others each line stands for itself."""
LEAVING_NOTHING = [ROOT / "docs" / "client" / name for name in ("integration.md", "connect.md")]
"""Pages that clear away what they made, and wait until what they started has ended."""
FOLLOWED = sorted(HOW_TOS.glob("*.md"))
"""Pages that are followed in a copy of the repository (`test_how_to.py`)."""
NAMING_TESTS = [
    ROOT / "docs" / name
    for name in ("understand/store.md", "understand/threat-model.md", "operate/proxy.md", "reference/versioning.md")
]
"""Pages on which every promise names its test."""


def blocks(page: Path, language: str = "sh") -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)


def commands() -> list[str]:
    elsewhere = {*SESSIONS, *FOLLOWED}
    lines = [line for page in PAGES if page not in elsewhere for block in blocks(page) for line in block.splitlines()]
    return [line for line in lines if line.strip()]


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with server_process() as running:
        yield running


@pytest.mark.parametrize("line", commands())
def test_a_documented_command_works(line: str, request: pytest.FixtureRequest) -> None:
    """Make targets only have to exist: running the tests inside the tests would never end."""
    program, *arguments = shlex.split(line, comments=True)
    if program == "make":
        assert set(arguments) <= MAKE_TARGETS
        return
    module = {".venv/bin/liarsdice": ["-m", "services.cli"], ".venv/bin/python": []}[program]
    arguments = [str(ROOT / argument) if argument.startswith("examples/") else argument for argument in arguments]
    needs_server = any(
        part in line for part in (" play ", " replay ", " export ", " statistics ", " report ", "_client.py")
    )
    address = request.getfixturevalue("server").address if needs_server else ""
    with folder_for_a_server() as folder:
        ran = subprocess.run(
            [sys.executable, *module, *arguments],
            cwd=folder,
            env={"PYTHONPATH": str(ROOT), "PATH": os.defpath, "HOME": folder, "LIARSDICE_SERVER": address},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )

    assert ran.returncode == 0, ran.stderr.decode()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_make_target_that_a_page_names_is_there(page: Path) -> None:
    named = set(re.findall(r"(?:^|`)make ([a-z]+)", page.read_text(), re.MULTILINE))

    assert named <= MAKE_TARGETS


@pytest.mark.parametrize("page", SESSIONS, ids=lambda page: page.name)
def test_a_documented_session_works(page: Path) -> None:
    """It is run as it stands there, on ports that are free; what it started has ended with it."""
    script = "\n".join(block for block in blocks(page) if not block.startswith("make "))
    if "curl " in script and shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    with socket.socket() as one, socket.socket() as other:
        for free, named in ((one, ":50051"), (other, ":8080")):
            free.bind(("127.0.0.1", 0))
            script = script.replace(named, f":{free.getsockname()[1]}")
        server = f"127.0.0.1:{one.getsockname()[1]}"
    with folder_for_a_server() as folder:
        (Path(folder) / ".venv").symlink_to(Path(sys.prefix))
        for name in ("examples", "proto"):
            (Path(folder) / name).symlink_to(ROOT / name)
        log = Path(folder) / "session.log"
        with log.open("wb") as output:
            session = subprocess.Popen(
                ["/bin/sh", "-eu", "-c", script],
                cwd=folder,
                env={**os.environ, "HOME": folder, "LIARSDICE_SERVER": server},
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
            left_running = False
            try:
                session.wait(120)
            finally:
                with suppress(ProcessLookupError):  # What has failed may have left its server behind.
                    os.killpg(session.pid, signal.SIGKILL if session.returncode else signal.SIGTERM)
                    left_running = True

        assert session.returncode == 0, log.read_text()
        logs = [log, Path(folder) / "server.log"]
        told = "".join(log.read_text() for log in logs if log.exists())
        assert "liarsdice serve" not in script or "going down" in told
        if page in LEAVING_NOTHING:
            assert not left_running
            assert {path.name for path in Path(folder).iterdir()} <= {".venv", "examples", "proto", log.name, ".cache"}


def test_the_service_config_that_the_guide_names_is_one_that_clients_take() -> None:
    assert "(../../proto/service_config.json)" in (ROOT / "docs" / "client" / "integration.md").read_text()

    async def story(server: Server) -> None:
        options = (("grpc.service_config", SERVICE_CONFIG.read_text()),)
        async with grpc.aio.insecure_channel(server.running.address, options) as channel:
            assert (await Player(channel).ask("ListRulebooks")).rulebooks

    on_server(story)


def test_there_is_one_service_config_and_nothing_repeats_a_part_of_it() -> None:
    """Pages and examples name the file, so none can say anything else than it does."""
    read = [*PAGES, *(path for path in (ROOT / "examples").rglob("*.*") if "node_modules" not in path.parts)]
    repeating = [str(path) for path in read if re.search(r"retryPolicy|maxAttempts", path.read_text())]

    assert "retryPolicy" in SERVICE_CONFIG.read_text()
    assert not repeating
    assert '"service_config.json"' in (ROOT / "examples" / "node" / "play.js").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    """A part of a page that is linked is one of its headings."""
    links = [link for link in re.findall(r"\]\(([^)\s]+)", page.read_text()) if "://" not in link]
    found = [(link, (page.parent / link.partition("#")[0]) if not link.startswith("#") else page) for link in links]
    broken = [link for link, path in found if not path.exists()]
    broken += [link for link, path in found if "#" in link and link.partition("#")[2] not in _headings(path)]

    assert not broken


def _headings(page: Path) -> set[str]:
    """The headings of a page, as links name them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_way_in_has_five_parts_and_leads_to_every_page() -> None:
    entry = ROOT / "docs" / "README.md"
    text = entry.read_text()
    linked = {(entry.parent / link).resolve() for link in re.findall(r"\]\(([^)#\s]+)", text)}

    assert re.findall(r"^## (.*)", text, re.MULTILINE) == [
        "Play",
        "Build a client",
        "Operate",
        "Understand",
        "Reference",
    ]
    assert linked >= {page.resolve() for page in (ROOT / "docs").rglob("*.md") if page != entry}


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "adr").glob("*.md")), ids=lambda page: page.stem)
def test_every_decision_has_the_one_form(page: Path) -> None:
    """Its number and title, date and status, then what was asked, decided, rejected if anything was, and what follows."""
    text = page.read_text()
    number = int(page.stem[:4])
    status = r"accepted|superseded by \[decision \d+\]\(\d{4}-[a-z-]+\.md\)"

    assert re.match(rf"# {number}\. .+\n\n- Date: \d{{4}}-\d\d-\d\d\n- Status: ({status})\n\n## Context\n", text)
    parts = re.findall(r"^## (.*)", text, re.MULTILINE)
    assert [part for part in parts if part != "Alternatives"] == ["Context", "Decision", "Consequences"]
    assert parts.index("Consequences") == len(parts) - 1


def test_the_layers_of_services_are_on_the_pages_as_they_are_in_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract.get("containers") == ["services"]]
    rooms = (ROOT / "docs" / "adr" / "0012-rooms.md").read_text()
    table = (ROOT / "docs" / "understand" / "architecture.md").read_text().partition("## The layers of services")[2]

    assert "\n".join(f"    {layer}" for layer in layers) in rooms
    rows = re.findall(r"^\| (`[a-z`, ]+`) \|", table.partition("\n## ")[0], re.MULTILINE)
    assert [sorted(re.findall(r"[a-z]+", row)) for row in rows] == [sorted(layer.split(" | ")) for layer in layers]


def test_decisions_are_numbered_without_a_gap() -> None:
    numbers = [int(page.stem[:4]) for page in sorted((ROOT / "docs" / "adr").glob("*.md"))]

    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("page", sorted({*PAGES} - {*FOLLOWED}), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_that_a_page_names_is_there(page: Path) -> None:
    named = re.findall(r"`((?:docs|domain|examples|infra|k8s|proto|services|tests)/[\w./-]+)`", page.read_text())

    assert not [path for path in named if not (ROOT / path).exists()]


@pytest.mark.parametrize("page", NAMING_TESTS, ids=lambda page: page.stem)
def test_every_test_that_a_page_names_is_there(page: Path) -> None:
    named = set(re.findall(r"`(?:tests/[\w/]+/)?(test_\w+(?:\.py)?)`", page.read_text()))
    modules = list((ROOT / "tests").rglob("test_*.py"))
    found = {module.name for module in modules}
    found |= {name for module in modules for name in re.findall(r"def (test_\w+)", module.read_text())}

    assert named
    assert named <= found


def test_the_readme_is_short_and_begins_with_the_two_commands() -> None:
    lines = (ROOT / "README.md").read_text().splitlines()

    assert len(lines) <= 80
    assert [line.split("#")[0].strip() for line in lines[3:5]] == ["make run", "make test"]


def test_the_game_in_the_readme_is_the_one_that_the_command_beside_it_plays() -> None:
    text = (ROOT / "README.md").read_text()
    (arguments,) = re.findall(r"`\.venv/bin/liarsdice (demo [^`]+)`", text)
    (sample,) = blocks(ROOT / "README.md", "text")
    environment = {"PYTHONPATH": str(ROOT), "PATH": os.defpath, "PYTHONIOENCODING": "utf-8"}
    told = subprocess.run(
        [sys.executable, "-m", "services.cli", *arguments.split()], env=environment, check=True, capture_output=True
    ).stdout.decode()

    told_lines, sample_lines = ([line.rstrip() for line in part.splitlines()] for part in (told, sample))
    assert "\n".join(sample_lines) in "\n".join(told_lines)
