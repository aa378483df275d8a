"""The MCP server over standard input and output. Only this module knows the MCP library."""

from importlib.metadata import version
from typing import Any

import msgspec
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from domain.rulebooks import BOOKS, Rulebook
from services.mcp.answers import Answer, Problem
from services.mcp.rules import page_of_book
from services.mcp.schemas import input_schema, output_schema
from services.mcp.session import Connect, Session, Setup
from services.mcp.toolbox import INSTRUCTIONS, TOOLS, Tool, call

_RULES = "liarsdice://rules/"
_PAGE = "text/markdown"


async def serve(connect: Connect, setup: Setup) -> None:
    """Serve the tools until standard input ends."""
    session = Session(connect, setup)
    server = server_of(session)
    try:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())
    finally:
        await session.close()


def server_of(session: Session) -> Server[Any]:
    """An MCP server with all tools, for one player."""

    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in TOOLS])

    async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        return _result(await call(session, params.name, params.arguments or {}))

    async def list_resources(_context: Any, _params: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[_resource(book) for book in BOOKS])

    async def read_resource(_context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return _page(str(params.uri))

    return Server(
        "liarsdice",
        version=version("liarsdice"),
        title="Liar's Dice",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )


def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=input_schema(tool.arguments),
        output_schema=output_schema(tool.answer, explained=tool.explains),
        annotations=types.ToolAnnotations(
            read_only_hint=tool.reads, destructive_hint=tool.destroys, idempotent_hint=tool.reads, open_world_hint=True
        ),
    )


def _result(answer: Answer) -> types.CallToolResult:
    """An answer as text, which every model can read, and as data."""
    text = msgspec.json.encode(answer).decode()
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=msgspec.to_builtins(answer),
        is_error=isinstance(answer, Problem),
    )


def _resource(book: Rulebook) -> types.Resource:
    return types.Resource(
        uri=f"{_RULES}{book.id}",
        name=f"rules-{book.id}",
        title=f"Rules: {book.title}",
        description=f"Every rule of the book {book.id}.",
        mime_type=_PAGE,
    )


def _page(uri: str) -> types.ReadResourceResult:
    for book in BOOKS:
        if uri == f"{_RULES}{book.id}":
            page = types.TextResourceContents(uri=uri, mime_type=_PAGE, text=page_of_book(book))
            return types.ReadResourceResult(contents=[page])
    raise MCPError(types.INVALID_PARAMS, "There is no such page; resources/list has all.")
