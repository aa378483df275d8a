"""What the document says about the interface as a whole, and its forms: JSON, YAML, and a page.

A thread makes it once, because that takes longer than players at a table should have to wait.
"""

import asyncio
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import msgspec
import yaml  # type: ignore[import-untyped]
from litestar import Litestar, MediaType, Request
from litestar.enums import OpenAPIMediaType
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import OpenAPIRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme, Tag

from services.http.schema.document import completed
from services.http.schema.page import PATH, schema_page

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
            self._made = self._make(completed(msgspec.to_builtins(openapi_schema)))
        return self._made


def config(assets: str) -> OpenAPIConfig:
    """What the schema says about the API as a whole. The files with the look of its page are in the folder `assets`."""

    def page(document: dict[str, Any]) -> bytes:
        return schema_page(document, assets)

    return OpenAPIConfig(
        title="Liar's Dice",
        version=version("liarsdice"),
        description=_DESCRIPTION,
        path=PATH,
        use_handler_docstrings=True,
        render_plugins=[
            Rendered("/", MediaType.HTML, page),
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
