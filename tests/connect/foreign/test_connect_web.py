"""Connect's client for browsers, in TypeScript: its types fit the contract, and it plays."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.connect.foreign.programs import (
    NODE,
    as_arguments,
    assert_without_gap,
    bundle,
    games_over,
    http_of,
    needs_node,
    output,
    program_folder,
    run_program,
)
from tests.rpc.servers import Server, on_server

pytestmark = needs_node
GAMES = games_over(("connect json", "connect protobuf", "grpc-web json", "grpc-web protobuf"))


@pytest.mark.at_length
def test_a_program_in_strict_typescript_fits_the_generated_types_and_plays_every_book(tmp_path: Path) -> None:
    folder = program_folder(tmp_path)

    async def story(server: Server) -> Any:
        program = await bundle(folder, "web_node.ts", "node")
        return await asyncio.gather(
            output(folder, NODE, "node_modules/typescript/bin/tsc", "--project", "."),
            run_program(folder, NODE, str(program), http_of(server), *as_arguments(GAMES)),
        )

    compiled, games = on_server(story)

    assert compiled == (0, "")
    played = {(game["protocol"], game["rulebook"]) for game in games}
    assert played == set(GAMES)
    for game in games:
        assert game["winner"] in {0, 1}
        assert_without_gap(game["versions"])
