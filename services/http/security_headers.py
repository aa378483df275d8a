"""Headers that tell browsers how little an answer may do. They are on every answer, whatever it says.

Nothing here runs scripts, loads anything or belongs into a frame. `Cross-Origin-Resource-Policy` does not touch the
pages that CORS lets read: it is about pages that embed an answer without asking.
"""

from base64 import b64encode
from hashlib import sha256
from typing import Any

from litestar.datastructures import MutableScopeHeaders

from services.http.delivery import App, Message, Receive, Send

_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
PAGE_STYLE = """
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin: 2.5rem 0 .3rem; font-size: 1.1rem; } table { border-collapse: collapse; } code { font-size: .95em; }
td, th { border: 1px solid #8886; padding: .2rem .6rem; text-align: left; vertical-align: top; }
"""
"""The style of all our pages, exactly as it stands between the tags. Browsers accept no other."""
_PAGE_DIGEST = b64encode(sha256(PAGE_STYLE.encode()).digest()).decode()
_OF_PAGE = HEADERS | {"Content-Security-Policy": f"{_POLICY}; style-src 'sha256-{_PAGE_DIGEST}'"}


class Secured:
    """A layer around an application that adds the headers."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Add the headers to one answer."""

        async def secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableScopeHeaders.from_message(message)
                is_page = headers.get("content-type", "").startswith("text/html")
                for name, value in (_OF_PAGE if is_page else HEADERS).items():
                    headers[name] = value
            await send(message)

        await self._app(scope, receive, secured)
