"""Programs on Node with clients that others made. Their packages are fetched once, and kept outside of the repository."""

import asyncio
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from itertools import cycle, product
from pathlib import Path
from typing import Any

import google.rpc
import pytest

from tests.extent import cases
from tests.rpc.servers import Server

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
BUF = str(Path(sys.executable).parent / "buf")
NODE, NPM = shutil.which("node") or "", shutil.which("npm") or ""
BOOKS = ("bidding-track", "single-hand", "pirates", "prediction-track", "palafico")
needs_node = pytest.mark.skipif(not (NODE and NPM), reason="these clients run on Node.js, which is not installed here")

_OFFLINE = re.compile(r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH")
_INSTALL = ("install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "liarsdice-tests"
_DETAILS = ("code", "error_details", "status")

Hear = Callable[[str], Awaitable[None] | None]


def program_folder(folder: Path) -> Path:
    """A folder with the programs, the packages that they use, and the code that is generated from the contract."""
    packages = _packages()
    generated = _generated(packages)
    for program in (*HERE.glob("node/*"), *HERE.glob("web/*")):
        shutil.copy(program, folder)
    (folder / "node_modules").symlink_to(packages / "node_modules")
    for kind in ("gen", "gen-ts"):
        (folder / kind).symlink_to(generated / kind)
    return folder


async def run_program(folder: Path, *command: str, hear: Hear | None = None) -> Any:
    """What a program says at its end, in JSON. What it says before is heard line by line while it runs."""
    program = await asyncio.create_subprocess_exec(
        *command, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert program.stdout is not None
    assert program.stderr is not None
    errors = asyncio.create_task(program.stderr.read())
    last = b""
    try:
        while line := await program.stdout.readline():
            last = line
            if hear is not None and (heard := hear(line.decode().strip())) is not None:
                await heard
        assert await program.wait() == 0, (last + await errors).decode()
        return json.loads(last)
    finally:
        if program.returncode is None:
            program.kill()
        await errors


async def bundle(folder: Path, program: str, platform: str) -> Path:
    """One file with a program and all that it imports, for Node or for browsers."""
    bundled = folder / f"{Path(program).stem}.bundle.js"
    flags = ("--bundle", "--format=esm", "--log-level=warning", f"--platform={platform}", f"--outfile={bundled}")
    assert await output(folder, str(folder / "node_modules" / ".bin" / "esbuild"), program, *flags) == (0, "")
    return bundled


async def output(folder: Path, *command: str) -> tuple[int | None, str]:
    """How a command ended, and all that it wrote."""
    pipe, both = asyncio.subprocess.PIPE, asyncio.subprocess.STDOUT
    program = await asyncio.create_subprocess_exec(*command, cwd=folder, stdout=pipe, stderr=both)
    written, _ = await program.communicate()
    return program.returncode, written.decode()


def games_over(protocols: Sequence[str]) -> Sequence[tuple[str, str]]:
    """Each protocol with a book that is played over it, until every book is played; or all of them with all books.

    The test needs the mark `at_length`.
    """
    return cases(list(zip(cycle(protocols), BOOKS, strict=False)), list(product(protocols, BOOKS)))


def as_arguments(games: Iterable[tuple[str, str]]) -> list[str]:
    """Games as arguments for a program: the protocol, a colon, and the book."""
    return [":".join(game) for game in games]


def http_of(server: Server) -> str:
    """Where the server answers HTTP."""
    assert server.running.reading is not None
    return server.running.reading.url


def assert_without_gap(versions: list[int]) -> None:
    """Every event came once, in order."""
    assert versions == list(range(versions[0], versions[0] + len(versions)))


def _packages() -> Path:
    """The folder with the packages, which every test and every run shares."""
    wanted = HERE / "node" / "package.json"
    folder = _CACHE / f"node-{_digest([wanted])}"
    with _alone(folder):
        if not (folder / "node_modules").exists():
            shutil.copy(wanted, folder)
            installed = subprocess.run([NPM, *_INSTALL], cwd=folder, capture_output=True, text=True, check=False)
            if installed.returncode:
                shutil.rmtree(folder / "node_modules", ignore_errors=True)
            if installed.returncode and _OFFLINE.search(installed.stderr):
                pytest.skip("the packages have to be fetched, and there is no network here")
            assert installed.returncode == 0, installed.stderr
    return folder


def _generated(packages: Path) -> Path:
    """The code for this contract; it lies beside the packages, because it imports them."""
    contract = sorted((ROOT / "proto" / "liarsdice").rglob("*.proto"))
    folder = packages / f"contract-{_digest([*contract, Path(__file__)])}"
    with _alone(folder):
        if not (folder / "gen-ts").exists():
            _generate(packages, folder)
    return folder


def _generate(packages: Path, folder: Path) -> None:
    source = folder / "proto"
    shutil.copytree(ROOT / "proto" / "liarsdice", source / "liarsdice", dirs_exist_ok=True)
    (source / "google" / "rpc").mkdir(parents=True, exist_ok=True)
    for name in _DETAILS:
        shutil.copy(Path(next(iter(google.rpc.__path__))) / f"{name}.proto", source / "google" / "rpc")
    plugin = [NODE, str(packages / "node_modules" / "@bufbuild" / "protoc-gen-es" / "bin" / "protoc-gen-es")]
    kinds = {"gen": ["target=js", "import_extension=js"], "gen-ts": ["target=ts"]}
    template = {
        "version": "v2",
        "plugins": [
            {"local": plugin, "out": str(folder / f"{kind}.new"), "opt": options, "strategy": "all"}
            for kind, options in kinds.items()
        ],
    }
    subprocess.run([BUF, "generate", str(source), "--template", json.dumps(template)], check=True)
    for kind in kinds:
        (folder / f"{kind}.new").rename(folder / kind)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """No other process makes this folder at the same time."""
    folder.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _digest(files: Iterable[Path]) -> str:
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
