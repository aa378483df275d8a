"""The schema is true: each request that it allows gets an answer that it describes, and never a fault of the server."""

import asyncio
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.extent import extent
from tests.http.readers import API, Site, on_site
from tests.infra.postgres.databases import new_database
from tests.rpc.servers import Player

EXAMPLES = extent(3, 60)
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
STREAMS = {"watchGame", "replayGame"}


@pytest.mark.at_length
def test_whatever_the_schema_allows_is_answered_as_it_says_and_so_is_what_it_does_not_allow() -> None:
    async def story(site: Site) -> int:
        ended, clients = await site.played("bidding-track", 3)
        private, _ = await site.played(private=True)
        running = await site.server.bidding(await site.server.players(2))
        await site.listed(running)
        reader = clients[0].player
        known: dict[str, list[Any]] = {
            "game_id": [ended, private, running],
            "player_id": [reader.player_id],
            "version": [0, 5, 20],
        }
        club = await reader.ask("CreateClub", name="Evening")
        known |= {"number": [1, 2], "size": [1], "club_id": [club.club.club_id]}
        return await asyncio.to_thread(asked, site.url, known, reader)

    assert on_site(story, url=new_database()) > 20


def asked(url: str, known: dict[str, list[Any]], reader: Player) -> int:
    """Call every operation many times, half of them with ids that exist; returns the number of operations."""
    schema = schemathesis.openapi.from_url(f"{url}/schema/openapi.json")
    operations: list[Any] = [result.ok() for result in schema.get_all_operations()]  # type: ignore[union-attr]
    for operation in operations:
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            ask(operation, mode, known, reader)
    return len(operations)


def ask(operation: Any, mode: GenerationMode, known: dict[str, list[Any]], reader: Player) -> None:
    if mode is GenerationMode.NEGATIVE and not [*operation.iter_parameters()]:
        return

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), data=st.data())
    def run(case: Any, data: st.DataObject) -> None:
        for name in case.path_parameters or {}:
            if data.draw(st.booleans()):
                case.path_parameters[name] = data.draw(st.sampled_from(known[name]))
        if operation.definition.raw["operationId"] in STREAMS:
            settle(case, *known["game_id"])
        headers = {"Authorization": f"Bearer {reader.token}"} if data.draw(st.booleans()) else {}
        case.call_and_validate(checks=CHECKS, headers=headers, timeout=20)

    run()


def settle(case: Any, ended: str, _private: str, running: str) -> None:
    """Change a request for a stream so that it ends soon."""
    if case.operation.definition.raw["operationId"] == "replayGame":
        case.query = {**(case.query or {}), "wait_seconds_max": 0}
    if case.path_parameters.get("game_id") == running:
        case.path_parameters["game_id"] = ended


def test_every_route_and_every_parameter_is_described() -> None:
    async def story(site: Site) -> None:
        schema = (await site.get("/schema/openapi.json")).json()
        operations = {path: methods["get"] for path, methods in schema["paths"].items()}

        assert all(set(methods) == {"get"} for methods in schema["paths"].values())
        assert len({one["operationId"] for one in operations.values()}) == len(operations)
        for path, operation in operations.items():
            assert operation["summary"], path
            assert operation["description"], path
            assert operation["tags"], path
            for parameter in operation.get("parameters", []):
                assert parameter.get("description"), (path, parameter["name"])
            if path.startswith(API):
                for status in ("400", "401", "429", "503"):
                    assert set(operation["responses"][status]["content"]) == {"application/problem+json"}
        assert schema["components"]["securitySchemes"]["token"]["scheme"] == "bearer"

    on_site(story)


def test_the_schema_says_what_times_are_about() -> None:
    async def story(site: Site) -> None:
        paths = (await site.get("/schema/openapi.json")).json()["paths"]
        for path, what in (
            ("/games", "with a table that was set up"),
            ("/export", "that ended"),
            ("/leaderboards", "that ended"),
            ("/head-to-head", "that ended"),
            ("/players/{player_id}/statistics", "that ended"),
        ):
            told = {one["name"]: one["description"] for one in paths[API + path]["get"]["parameters"]}
            assert told["since"].startswith(f"Only games {what} at this time or later."), path
            assert told["until"].startswith(f"Only games {what} before this time."), path

    on_site(story)


def test_the_page_about_the_schema_needs_nothing_from_elsewhere() -> None:
    async def story(site: Site) -> None:
        answer = await site.get("/schema")

        assert answer.headers["content-type"].startswith("text/html")
        for sign in ("<script", "http://", "https://", "@import", "src="):
            assert sign not in answer.text
        for link in ("/schema/openapi.json", "GET /api/v1/games"):
            assert link in answer.text

    on_site(story)
