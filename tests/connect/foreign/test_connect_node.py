"""Connect's own client for Node plays here, with every protocol that it has for HTTP/1.1."""

from pathlib import Path
from typing import Any

from tests.connect.foreign.programs import (
    BOOKS,
    NODE,
    assert_without_gap,
    http_of,
    needs_node,
    program_folder,
    run_program,
)
from tests.rpc.servers import Server, on_server

pytestmark = needs_node
PROTOCOLS = ("connect json", "connect protobuf", "grpc-web protobuf", "grpc-web json")


def test_it_plays_every_book_over_every_protocol(tmp_path: Path) -> None:
    folder = program_folder(tmp_path)

    async def story(server: Server) -> Any:
        return await run_program(folder, NODE, "connect_node.js", http_of(server))

    games = on_server(story)

    assert {(game["name"], game["rulebook"]) for game in games} == {(name, book) for name in PROTOCOLS for book in BOOKS}
    for game in games:
        assert game["winner"] in {0, 1}
        assert game["streams"] == game["snapshots"] == 1
        assert_without_gap(game["versions"])
