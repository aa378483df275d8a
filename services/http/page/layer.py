"""The layer that gives out the page. All other requests go on to the application behind it."""

from http import HTTPStatus
from typing import Any

from services.access.rate_limit import AddressLimit
from services.http.delivery import App, Receive, Send
from services.http.paced import Paced
from services.http.page.site import Site
from services.http.problems import problem_of_transport, send_problem
from services.http.security_headers import Secured

PREPARED_CALLS = 1
"""A prepared answer costs a tenth of what a request usually costs, and a browser asks for dozens of them at once."""
_METHODS = ("GET", "HEAD")
_OF_PROGRAMS = ("/api/", "/assets/")
_ALLOW = {"Allow": ", ".join((*_METHODS, "OPTIONS"))}
_READ_ONLY = problem_of_transport(
    HTTPStatus.METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", "This can only be read: use GET or HEAD."
)


class Paged:
    """A layer that answers requests for the page."""

    def __init__(self, site: Site, limit: AddressLimit, app: App) -> None:
        self._site, self._app = site, app
        # The answers have their own headers. Only refusals get the usual ones.
        self._page = Secured(Paced(self._answer, limit, PREPARED_CALLS))

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http" and self._site.find(scope["path"]) is not None:
            await self._page(scope, receive, send)
        else:
            await self._app(scope, receive, self._told(scope, send) if _is_reader(scope) else send)

    def _told(self, scope: Any, send: Send) -> Send:
        """Send answers on; the page itself says that an address leads nowhere, in the reader's language."""
        is_missing = False

        async def sent(message: Any) -> None:
            nonlocal is_missing
            if message["type"] == "http.response.start" and message["status"] == HTTPStatus.NOT_FOUND:
                is_missing = True
                await self._site.index.send(scope, send, HTTPStatus.NOT_FOUND)
            elif not is_missing:
                await send(message)

        return sent

    async def _answer(self, scope: Any, _receive: Receive, send: Send) -> None:
        found = self._site.find(scope["path"])
        assert found is not None, "it was there before the limit was checked"
        scope["path_template"], answer = found  # By this name the metrics count it.
        if scope["method"] in _METHODS:
            await answer.send(scope, send)
        elif scope["method"] == "OPTIONS":
            await _send_methods(send)
        else:
            await send_problem(_READ_ONLY, _ALLOW, send)


def _is_reader(scope: Any) -> bool:
    """Whether somebody has opened an address in a browser. Programs get problems as data."""
    if scope["type"] != "http" or scope["method"] not in _METHODS or scope["path"].startswith(_OF_PROGRAMS):
        return False
    return any(name == b"accept" and b"text/html" in value for name, value in scope["headers"])


async def _send_methods(send: Send) -> None:
    headers = [(name.lower().encode(), value.encode()) for name, value in _ALLOW.items()]
    await send({"type": "http.response.start", "status": HTTPStatus.NO_CONTENT.value, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
