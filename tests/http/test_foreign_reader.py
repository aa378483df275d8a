"""The published log and its proofs, read by Go's own packages for transparent logs (`golang.org/x/mod/sumdb`)."""

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from infra.keys.log_keys import SignerRing
from services.audit.published_tiles import PublishedTiles
from services.cli.tlog_proof import tlog_proof
from tests.http.readers import API, Site, on_site
from tests.infra.postgres.databases import new_database
from tests.servers import LOG_KEYS

GO, PACKAGES = shutil.which("go"), Path("/usr/share/gocode")
"""The second is where Debian and its descendants put the sources of Go packages (golang-golang-x-mod-dev)."""
has_packages = (PACKAGES / "src/golang.org/x/mod/sumdb/tlog").is_dir()
pytestmark = [
    pytest.mark.skipif(GO is None, reason="Go is not installed here"),
    pytest.mark.skipif(not has_packages, reason=f"golang.org/x/mod is not in {PACKAGES}"),
]
PROGRAM = Path(__file__).parent / "foreign" / "read_log.go"


def built(folder: Path) -> str:
    """The program, made ready to run."""
    where = {"GO111MODULE": "off", "GOPATH": str(PACKAGES), "GOCACHE": str(folder / "cache")}
    subprocess.run([GO or "go", "build", "-o", folder / "read_log", PROGRAM], check=True, env=os.environ | where)
    return str(folder / "read_log")


async def said(*command: str) -> tuple[int, str]:
    """The exit code of a program, and what it says."""
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


async def write_proof(site: Site, path: Path) -> None:
    """Play, and write the proof file of a game and its entry."""
    game_id, _ = await site.played("bidding-track", 3, options={"dice_each": 2})
    await site.played(private=True)
    await site.server.running.logbook.caught_up(10)
    bundle = (await site.get(f"{API}/games/{game_id}/audit")).content
    entry, proof = tlog_proof(bundle)
    path.write_bytes(proof)  # noqa: ASYNC240 - a file of the test
    path.with_name(f"{path.name}.entry").write_bytes(entry)


def test_programs_of_others_read_the_log_and_check_its_proofs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(PublishedTiles, "AGE_SECONDS", 0)
    key, program, path = LOG_KEYS.vkeys[0], built(tmp_path), tmp_path / "proof"

    async def story(site: Site) -> None:
        await write_proof(site, path)
        log = f"{site.url}{API}/log"
        size = (await site.get(f"{API}/log/checkpoint")).text.splitlines()[1]
        assert int(size) > 3
        assert await said(program, log, key, str(path)) == (0, f"{size}\n")

        another = SignerRing(LOG_KEYS.origin, [b"another" * 4 + b"key."]).vkeys[0]
        assert (await said(program, log, another, str(path)))[0] == 1
        entry = path.with_name("proof.entry")
        entry.write_bytes(entry.read_bytes()[:-2] + b"x\n")
        assert await said(program, log, key, str(path)) == (1, "invalid transparency proof\n")

    on_site(story, url=new_database())
