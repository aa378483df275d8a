"""The report about bids that pass is for auditors and admins alone, over gRPC and in the terminal."""

import asyncio
import json
import signal
from pathlib import Path
from unittest.mock import patch

import pytest

from services.cli.main import main
from services.client import TokenFile
from tests.rpc.servers import Server, Told, on_server

BOTS = ["bot.cautious", "bot.bluffing"]


@pytest.mark.parametrize(
    ("scopes", "allowed"),
    [(("auditor",), True), (("admin",), True), (("player", "auditor"), True), (("player",), False)],
)
def test_only_auditors_and_admins_get_it(scopes: tuple[str, ...], allowed: bool) -> None:  # noqa: FBT001 - a case
    async def story(server: Server) -> None:
        caller = await server.player("Dot", scopes)
        if not allowed:
            with pytest.raises(Told) as told:
                await caller.ask("GetPassedBids", player_ids=BOTS)
            assert told.value.reason == "SCOPE_MISSING"
            return
        answer = await caller.ask("GetPassedBids", player_ids=BOTS)
        assert sorted((pair.player_id, pair.other_id) for pair in answer.pairs) == sorted(
            [tuple(BOTS), tuple(BOTS[::-1])]
        )
        assert answer.HasField("freshness")
        with pytest.raises(Told) as told:
            await caller.ask("GetPassedBids", player_ids=BOTS[:1])
        assert told.value.reason == "FIELD_INVALID"
        assert told.value.field == "player_ids"

    on_server(story)


def test_the_terminal_shows_it_and_says_that_it_is_a_hint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async def story(server: Server) -> None:
        auditor = await server.player("Dot", ("auditor",))
        tokens = tmp_path / "tokens.json"
        TokenFile(tokens).keep(server.running.address, "Dot", auditor.token)
        asked = ["collusion", *BOTS, "--server", server.running.address, "--token-file", str(tokens)]
        assert await asyncio.to_thread(run, [*asked, "--json"]) == 0
        report = json.loads(capsys.readouterr().out)
        assert report["player_ids"] == BOTS
        assert {"against_other", "usual", "difference", "stands_out"} < set(report["pairs"][0])
        assert await asyncio.to_thread(run, asked) == 0
        printed = capsys.readouterr().out
        assert "A hint and no proof" in printed
        assert all(name in printed for name in BOTS)

    on_server(story)


def run(arguments: list[str]) -> int:
    """The command, in a thread, where no signal can be handled."""
    with patch.object(signal, "signal"):
        return main(arguments)
