"""The OpenAPI schema at `/schema`: as JSON, as YAML, and as a page that needs nothing from elsewhere.

A thread makes it once, because that takes longer than players at a table should have to wait.
"""

import asyncio
from collections.abc import Callable
from html import escape
from importlib.metadata import version
from typing import Any

import msgspec
import yaml  # type: ignore[import-untyped]
from litestar import Litestar, MediaType, Request
from litestar.enums import OpenAPIMediaType
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import OpenAPIRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme, Tag

from services.http.security_headers import PAGE_STYLE

PATH = "/schema"
_DESCRIPTION = """\
Past and running games of Liar's Dice, for readers. Everything here is read only; games are played over gRPC.

Without a token you see what every spectator sees. With your player's token, sent as `Authorization: Bearer <token>`,
you also read your own private games and your clubs; auditors and admins read all games. Nobody sees dice under cups that were not
lifted.

All times are milliseconds since 1970, in UTC. Bytes are base64. Failures are answered as `application/problem+json`.
"""


class Rendered(OpenAPIRenderPlugin):
    """The schema in one form, which is made once."""

    def __init__(self, path: str, media_type: MediaType | OpenAPIMediaType, make: "Callable[[Any], bytes]") -> None:
        super().__init__(path=path, media_type=media_type)
        self._make = make
        self._made: bytes | None = None

    def render(self, _request: "Request[Any, Any, Any]", openapi_schema: dict[str, Any]) -> bytes:
        """The schema in this form."""
        return self.prepared(openapi_schema)

    def prepared(self, openapi_schema: dict[str, Any]) -> bytes:
        """The schema in this form, made at the first call."""
        if self._made is None:
            self._made = self._make(msgspec.to_builtins(openapi_schema))
        return self._made


def _page(openapi_schema: dict[str, Any]) -> bytes:
    """The schema as a page for people."""
    info = openapi_schema["info"]
    operations = "".join(
        _operation(path, operation)
        for path, methods in sorted(openapi_schema["paths"].items())
        for operation in (methods["get"],)
    )
    described = "".join(f"<p>{escape(part)}</p>" for part in info["description"].split("\n\n"))
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(info["title"])}</title><style>{PAGE_STYLE}</style></head>
<body><h1>{escape(info["title"])}</h1>{described}
<p>For programs: <a href="{PATH}/openapi.json">OpenAPI as JSON</a>, <a href="{PATH}/openapi.yaml">as YAML</a>.</p>
{operations}</body></html>
""".encode()


def config() -> OpenAPIConfig:
    """What the schema says about the API as a whole."""
    return OpenAPIConfig(
        title="Liar's Dice",
        version=version("liarsdice"),
        description=_DESCRIPTION,
        path=PATH,
        use_handler_docstrings=True,
        render_plugins=[
            Rendered("/", MediaType.HTML, _page),
            Rendered("/openapi.json", OpenAPIMediaType.OPENAPI_JSON, msgspec.json.encode),
            Rendered("/openapi.yaml", OpenAPIMediaType.OPENAPI_YAML, _yaml),
        ],
        components=Components(
            security_schemes={
                "token": SecurityScheme(
                    type="http",
                    scheme="bearer",
                    description="The token that a player registered with, or a signed one.",
                )
            }
        ),
        security=[{}, {"token": []}],
        tags=[
            Tag("games", "Games that were played or are being played."),
            Tag("streams", "Server-sent events, for an `EventSource` or `curl -N`."),
            Tag("players", "Players who have played at public tables."),
            Tag("statistics", "Numbers about players."),
            Tag("clubs", "Clubs and their seasons, for their members."),
            Tag("audit", "Proofs of games, and disputes."),
            Tag("operations", "For operators of the server."),
        ],
    )


async def prepare(app: Litestar) -> None:
    """Make the schema in all its forms before anybody asks for it."""

    def work() -> None:
        assert app.openapi_config is not None
        schema = app.openapi_schema.to_schema()
        for plugin in app.openapi_config.render_plugins:
            assert isinstance(plugin, Rendered)
            plugin.prepared(schema)

    await asyncio.to_thread(work)


def _yaml(openapi_schema: dict[str, Any]) -> bytes:
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    written: str = yaml.dump(openapi_schema, Dumper=dumper, allow_unicode=True, sort_keys=False)
    return written.encode()


def _operation(path: str, operation: dict[str, Any]) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(one['name'])}</code></td><td>{escape(one['in'])}</td>"
        f"<td>{escape(one.get('description', ''))}</td></tr>"
        for one in operation.get("parameters", [])
    )
    table = f"<table><tr><th>parameter</th><th>in</th><th></th></tr>{rows}</table>" if rows else ""
    statuses = ", ".join(sorted(operation.get("responses", {})))
    return (
        f"<h2><code>GET {escape(path)}</code></h2><p>{escape(operation.get('description', ''))}</p>{table}"
        f"<p>Answers with {escape(statuses)}.</p>"
    )
