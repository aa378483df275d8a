"""The schema is true: each request that it allows gets an answer that it describes, and never a fault of the server."""

import asyncio
import re
from collections.abc import Iterator
from html import escape
from html.parser import HTMLParser
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator
from schemathesis import GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from domain.rulebooks import BOOKS
from tests.error_table import reasons
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
        known |= {"number": [1, 2], "size": [1], "tile": ["entries/000.p/1"], "club_id": [club.club.club_id]}
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


async def document_of(site: Site) -> Any:
    return (await site.get("/schema/openapi.json")).json()


def contents(document: Any) -> Iterator[tuple[str, str, str, Any]]:
    """The contents of all answers: operation, status, media type and content."""
    for methods in document["paths"].values():
        operation = methods["get"]
        for status, response in operation["responses"].items():
            for kind, content in response.get("content", {}).items():
                yield operation["operationId"], status, kind, content


def check(content: Any, schema: Any, document: Any) -> None:
    """A content is what a schema of the document allows."""
    Draft202012Validator({**schema, "components": document["components"]}).validate(content)


def test_the_document_is_openapi_3_1() -> None:
    document = on_site(document_of)

    assert document["openapi"] == "3.1.0"
    schemathesis.openapi.from_dict(document).validate()
    document["paths"][f"{API}/games"]["get"]["parameters"][0]["in"] = "nowhere"
    with pytest.raises(ValueError, match="nowhere"):
        schemathesis.openapi.from_dict(document).validate()


def test_every_parameter_has_its_limits_and_an_example_that_it_allows() -> None:
    document = on_site(document_of)

    for path, methods in document["paths"].items():
        for parameter in methods["get"].get("parameters", []):
            schema, where = parameter["schema"], (path, parameter["name"])
            Draft202012Validator(schema).validate(parameter["example"])
            assert isinstance(schema["type"], str), where
            assert schema["type"] not in ("integer", "number") or {"minimum", "maximum"} <= set(schema), where
            if parameter["name"] == "rulebook":
                assert schema["enum"] == [book.id for book in BOOKS]


def test_every_struct_and_every_field_of_an_answer_is_explained() -> None:
    schemas = on_site(document_of)["components"]["schemas"]

    assert [name for name, schema in schemas.items() if not schema["description"]] == []
    assert [
        (name, field)
        for name, schema in schemas.items()
        for field, content in schema.get("properties", {}).items()
        if not content.get("description")
    ] == [], "give the field a docstring, or name its message in services/http/schema/meanings.py"
    for name, schema in schemas.items():
        book = schema.get("properties", {}).get("rulebook", {})
        assert {one.id for one in BOOKS} <= set(book.get("enum", [one.id for one in BOOKS])), name


def test_every_answer_has_an_example_that_its_schema_allows() -> None:
    document = on_site(document_of)

    for operation, status, kind, content in contents(document):
        if status == "200":
            assert "example" in content, f"run `python -m tests.http.example_answers` for {operation}"
            if kind == "application/json":
                check(content["example"], content["schema"], document)
        elif kind == "application/problem+json":
            for reason in content["examples"]:
                example = document["components"]["examples"][reason]["value"]
                assert (example["reason"], str(example["status"])) == (reason, status)
                check(example, content["schema"], document)


def test_every_reason_that_the_schema_names_is_in_the_table_of_errors() -> None:
    document = on_site(document_of)
    known = {reason.name for reason in reasons()} | {"INTERNAL"}

    assert set(document["components"]["examples"]) <= known
    for path, methods in document["paths"].items():
        if path.startswith(API):
            headers = {status: set(one["headers"]) for status, one in methods["get"]["responses"].items()}
            assert all("Cache-Control" in names for names in headers.values()), path
            assert "Retry-After" in headers["429"] & headers["503"], path
            assert "WWW-Authenticate" in headers["401"], path
            assert "304" not in headers or "ETag" in headers["200"] & headers["304"], path


class Links(HTMLParser):
    """The anchors of a page, and all that it links and loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: list[str] = []
        self.targets: set[str] = set()
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.add(tag)
        self.anchors += [given["id"] or ""] if "id" in given else []
        self.targets |= {given[name] or "" for name in ("href", "src") if name in given}


def test_the_page_about_the_schema_needs_nothing_from_elsewhere_and_all_its_links_lead_somewhere() -> None:
    async def story(site: Site) -> None:
        answer = await site.get("/schema")
        page = Links(answer.text)

        assert answer.headers["content-type"].startswith("text/html")
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert not page.tags & {"script", "style", "iframe", "form"}
        assert " style=" not in answer.text
        assert all(target.startswith(("/", "#")) and not target.startswith("//") for target in page.targets)
        assert len(page.anchors) == len(set(page.anchors))
        assert {target[1:] for target in page.targets if target.startswith("#")} <= set(page.anchors)
        for target in sorted(target for target in page.targets if target.startswith("/")):
            assert (await site.get(target)).status_code == 200, target

    on_site(story)


def test_the_page_about_the_schema_tells_everything_that_the_document_does() -> None:
    async def story(site: Site) -> None:
        document, text = await document_of(site), (await site.get("/schema")).text
        page = Links(text)

        for path, methods in document["paths"].items():
            operation = methods["get"]
            assert operation["operationId"] in page.anchors
            assert escape(path) in text
            for parameter in operation.get("parameters", []):
                assert f">{parameter['name']}</code>" in text
        assert {f"fields-{name}" for name in document["components"]["schemas"]} <= set(page.anchors)
        assert {f"reason-{name}" for name in document["components"]["examples"]} <= set(page.anchors)
        assert not re.search(r"(?<!-)\bNone\b", text), "what is None in the program is null here"

    on_site(story)
