"""The example in another language plays a whole game."""

import asyncio
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.rpc.servers import Server, on_server

ROOT = Path(__file__).parent.parent
NODE, NPM = shutil.which("node"), shutil.which("npm")
OFFLINE = re.compile(r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH")


@pytest.mark.skipif(NODE is None or NPM is None, reason="this example runs on Node.js, which is not installed here")
def test_a_client_on_node_that_knows_only_the_proto_files_plays_a_whole_game(tmp_path: Path) -> None:
    assert NODE is not None
    assert NPM is not None
    shutil.copytree(ROOT / "examples" / "node", tmp_path / "examples" / "node")
    shutil.copytree(ROOT / "proto" / "liarsdice", tmp_path / "proto" / "liarsdice")
    shutil.copy(ROOT / "proto" / "service_config.json", tmp_path / "proto")
    folder = tmp_path / "examples" / "node"
    install = [NPM, "install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"]
    installed = subprocess.run(install, cwd=folder, capture_output=True, text=True, check=False)
    if installed.returncode and OFFLINE.search(installed.stderr):
        pytest.skip("the packages of this example have to be fetched, and there is no network here")
    assert installed.returncode == 0, installed.stderr

    async def story(server: Server) -> tuple[int | None, str]:
        program = await asyncio.create_subprocess_exec(
            NODE or "",
            "play.js",
            server.running.address,
            cwd=folder,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await program.communicate()
        return program.returncode, output.decode()

    code, output = on_server(story)

    assert code == 0, output
    lines = output.splitlines()
    assert lines[0].startswith("registered as Node (p")
    assert lines[-1].endswith(" wins")
    assert "Round 2" in output
    assert "  Node bids" in output
