"""Google's client for gRPC-Web plays here."""

from pathlib import Path
from typing import Any

import pytest

from tests.connect.foreign.programs import (
    NODE,
    as_arguments,
    assert_without_gap,
    games_over,
    http_of,
    needs_node,
    program_folder,
    run_program,
)
from tests.rpc.servers import Server, on_server

pytestmark = needs_node
GAMES = games_over(("text", "binary"))


@pytest.mark.at_length
def test_it_plays_every_book_as_text_and_as_bytes_and_reads_refusals(tmp_path: Path) -> None:
    folder = program_folder(tmp_path)

    async def story(server: Server) -> Any:
        return await run_program(folder, NODE, "grpc_web.js", http_of(server), *as_arguments(GAMES))

    games = on_server(story)

    played = {(game["format"], game["rulebook"]) for game in games}
    assert played == set(GAMES)
    for game in games:
        assert game["winner"] in {0, 1}
        assert_without_gap(game["versions"])
        assert game["reasons"] == [["NOT_FOUND", "NO_SUCH_GAME"]] * 2
