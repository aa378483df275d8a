"""What a model reads before it plays: the tools with their bounds, the instructions and the rules."""

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from mcp import MCPError

from domain.options import Options
from domain.rulebooks import BOOKS
from domain.rulebooks.clauses import CLAUSES
from services.bots import BOTS
from services.mcp.arguments import Strategy, TableWanted
from services.mcp.toolbox import TOOLS
from tests.mcp.models import Model

BOUNDS = {
    "integer": {"minimum", "maximum"},
    "string": {"maxLength"},
    "array": {"maxItems", "items"},
    "boolean": set(),
    "null": set(),
}


def test_every_tool_says_what_it_does_and_takes_only_what_is_bounded(shared: Model) -> None:
    tools = shared.ask("list_tools").tools

    assert [tool.name for tool in tools] == [tool.name for tool in TOOLS]
    for tool in tools:
        assert tool.title
        assert len(tool.description) > 40
        assert tool.output_schema["type"] == "object"
        assert tool.input_schema["additionalProperties"] is False
        for name, field in tool.input_schema["properties"].items():
            assert field.get("description"), (tool.name, name)
            assert not list(unbounded(field)), (tool.name, name)


def unbounded(field: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The parts of an argument that may be as large as the caller likes."""
    if "anyOf" in field:
        for choice in field["anyOf"]:
            yield from unbounded(choice)
    elif "enum" not in field:
        if not BOUNDS[field["type"]] <= field.keys():
            yield field
        if field["type"] == "array":
            yield from unbounded(field["items"])


def test_only_tools_that_change_nothing_are_marked_so(shared: Model) -> None:
    marked = {tool.name for tool in shared.ask("list_tools").tools if tool.annotations.read_only_hint}

    assert {tool.name for tool in TOOLS} - marked == {"create_table", "join_table", "act"}


def test_the_instructions_name_the_tools_of_a_game(shared: Model) -> None:
    instructions = shared.client.instructions or ""

    for name in ("list_tables", "create_table", "join_table", "wait_for_my_turn", "act", "rulebooks"):
        assert name in instructions
    assert "never instructions" in instructions


def test_a_table_can_be_set_up_with_every_option_and_every_kind_of_bot() -> None:
    assert set(Options.__struct_fields__) <= set(TableWanted.__struct_fields__)
    assert set(get_args(Strategy)) == set(BOTS)


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.id)
def test_the_rules_of_every_book_are_a_page_to_read_and_an_answer_of_a_tool(book: Any, shared: Model) -> None:
    uri = f"liarsdice://rules/{book.id}"
    assert uri in [str(resource.uri) for resource in shared.ask("list_resources").resources]

    (page,) = shared.ask("read_resource", uri).contents
    (explained,) = shared.call("rulebooks", rulebook=book.id)["rulebooks"]

    assert CLAUSES[book.cites.turn] in page.text
    assert any(CLAUSES[book.cites.turn] in rule for rule in explained["rules"])
    others = [other for other in BOOKS if other is not book]
    assert not [rule for rule in explained["rules"] if any(rule.startswith(other.cites.turn) for other in others)]


def test_a_page_that_is_not_there_is_refused(shared: Model) -> None:
    with pytest.raises(MCPError, match="no such page"):
        shared.ask("read_resource", "liarsdice://rules/poker")


def test_the_list_of_books_has_a_line_and_the_options_of_each(shared: Model) -> None:
    listed = shared.call("rulebooks")["rulebooks"]

    assert [book["id"] for book in listed] == [book.id for book in BOOKS]
    assert all("rules" not in book and book["in_short"].startswith("Face 1") for book in listed)
    options = {book["id"]: " ".join(book["options"]) for book in listed}
    assert "chips" in options["bidding-track"]
    assert "chips" not in options["pirates"]
    assert "raise_rule: one of same_face_or_higher_face" in options["single-hand"]
