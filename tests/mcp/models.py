"""A model for tests: the MCP library's own client, which starts `liarsdice mcp` and talks to it over pipes.

It keeps everything that it was ever told, so that a test can look for what must not be there.
"""

import sys
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters, stdio_client
from mcp.types import CallToolResult

from tests.servers import ROOT, SECONDS_MAX

ENVIRONMENT = {"PYTHONPATH": f"{ROOT}:{ROOT / 'proto' / 'gen'}"}


def arguments(address: str, folder: Path, *flags: str) -> list[str]:
    """The command line, after the interpreter, of an MCP server that keeps its secrets in a folder."""
    tokens = str(folder / "tokens.json")
    return ["-m", "services.cli", "mcp", "--server", address, "--token-file", tokens, *flags]


class Model:
    """A language model, as far as the server can tell; it does only what a test says."""

    def __init__(self, portal: BlockingPortal, client: Client, log: Path, folder: Path) -> None:
        self._portal, self.client, self._log, self.folder = portal, client, log, folder
        self.told: list[str] = []

    @property
    def logged(self) -> str:
        """What the MCP server has written to standard error."""
        return self._log.read_text()

    def ask(self, method: str, *arguments: Any) -> Any:
        """The answer to any other call of the protocol."""
        return self._portal.call(getattr(self.client, method), *arguments)

    def begin(self, tool: str, **arguments: Any) -> "Future[CallToolResult]":
        """Call a tool and go on while it works."""
        return self._portal.start_task_soon(self.client.call_tool, tool, arguments)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The answer of a tool, which must not refuse. The client checks it against the tool's schema."""
        answer, refused = self._answer(tool, arguments)
        assert not refused, answer
        return answer

    def refused(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The problem of a tool, which must refuse."""
        answer, refused = self._answer(tool, arguments)
        assert refused, answer
        return answer

    def _answer(self, tool: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        result = self._portal.call(self.client.call_tool, tool, arguments)
        (content,) = result.content
        self.told.append(content.text)
        assert isinstance(result.structured_content, dict)
        return result.structured_content, result.is_error

    def play(self, game_id: str, rounds: int | None = None) -> dict[str, Any]:
        """Play by the chances until the game is over, or has come to the end of some rounds; returns the last progress."""
        while True:
            progress = self.call("wait_for_my_turn", game_id=game_id, seconds=SECONDS_MAX)
            now = progress["now"]
            if progress["because"] == "game_over" or (rounds is not None and now.get("round", 0) > rounds):
                return progress
            assert progress["because"] == "your_turn"
            self.call("act", game_id=game_id, version=now["version"], **choice(now))


def choice(now: dict[str, Any]) -> dict[str, Any]:
    """A move: doubt what is unlikely, else bid what is most likely; and show dice where that is possible."""
    bids, standing = now["moves"].get("bid", []), now.get("standing_bid")
    if standing is not None and (standing["chance"] < 0.5 or not bids):
        return {"action": "challenge"}
    best = max(bids, key=lambda bid: bid["chance"])
    show = now["my_dice"][:1] if now["moves"].get("show_max") else []
    return {"action": "bid", "quantity": best["quantity"], "face": best["face"], "show": show}


@contextmanager
def model(address: str, folder: Path, *flags: str, mode: str = "auto") -> Iterator[Model]:
    """A model at a server; `mode` is how client and server agree on a version of the protocol."""
    started = StdioServerParameters(
        command=sys.executable, args=arguments(address, folder, *flags), env=ENVIRONMENT, cwd=folder
    )
    log = folder / "mcp.log"
    with log.open("a") as errors:
        client = Client(stdio_client(started, errlog=errors), mode=mode, read_timeout_seconds=SECONDS_MAX * 2)
        with start_blocking_portal() as portal, portal.wrap_async_context_manager(client):
            yield Model(portal, client, log, folder)
