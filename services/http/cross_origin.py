"""Lets pages of other origins read our answers, if the operator names the origins (CORS).

It is a layer around everything that HTTP serves, so that a page can also read refusals that come before any route.
"""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from litestar.datastructures import Headers, MutableScopeHeaders

from services.http.delivery import App, Message, Receive, Send

ANYBODY = "*"
_METHODS = "GET, HEAD, POST, OPTIONS"
_ASKED = (
    "Authorization",
    "If-None-Match",
    "Last-Event-ID",
    "Content-Type",
    "Connect-Protocol-Version",
    "Connect-Timeout-Ms",
    "Grpc-Timeout",
    "X-Grpc-Web",
    "X-User-Agent",
)
_EXPOSED = (
    "ETag",
    "Link",
    "Retry-After",
    "Content-Disposition",
    "Liarsdice-Complete",
    "Liarsdice-Caught-Up-To",
    "Grpc-Status",
    "Grpc-Message",
    "Grpc-Status-Details-Bin",
)
_KEPT_SECONDS = 3_600


class CrossOrigin:
    """A layer that answers the questions of browsers, and adds the headers that they look for."""

    def __init__(self, app: App, origins: Sequence[str]) -> None:
        self._app, self._origins = app, frozenset(origins)

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if not self._origins or scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        asked = Headers.from_scope(scope)
        allowed = self._headers(asked.get("origin"))
        # A question costs less than anything else here, and browsers remember the answer. So no limit counts it.
        if scope["method"] == "OPTIONS" and "access-control-request-method" in asked:
            await send(_answer(allowed))
            await send({"type": "http.response.body", "body": b""})
            return

        async def shared(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableScopeHeaders.from_message(message)
                for name, value in allowed.items():
                    headers[name] = value
                headers["Vary"] = ", ".join(filter(None, (headers.get("vary", ""), "Origin")))
            await send(message)

        await self._app(scope, receive, shared)

    def _headers(self, origin: str | None) -> Mapping[str, str]:
        """What the answers to a page say; nothing for a page that may not read them."""
        if ANYBODY in self._origins:
            allowed = ANYBODY
        elif origin is not None and origin in self._origins:
            allowed = origin
        else:
            return {}
        return {"Access-Control-Allow-Origin": allowed, "Access-Control-Expose-Headers": ", ".join(_EXPOSED)}


def _answer(allowed: Mapping[str, str]) -> Message:
    """The answer to a browser that asks whether a page may send a request."""
    headers = {"Vary": "Origin", "Content-Length": "0"}
    if allowed:
        headers |= {
            "Access-Control-Allow-Origin": allowed["Access-Control-Allow-Origin"],
            "Access-Control-Allow-Methods": _METHODS,
            "Access-Control-Allow-Headers": ", ".join(_ASKED),
            "Access-Control-Max-Age": str(_KEPT_SECONDS),
        }
    written = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http.response.start", "status": HTTPStatus.NO_CONTENT.value, "headers": written}
