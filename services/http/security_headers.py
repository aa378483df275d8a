"""Headers that tell browsers how little an answer may do. They are on every answer, whatever it says.

Only the web page runs scripts and loads anything, all of it from here. Nothing belongs into a frame.
`Cross-Origin-Resource-Policy` does not touch the pages that CORS lets read: it is about pages that embed an answer
without asking.
"""

from typing import Any

from litestar.datastructures import MutableScopeHeaders

from services.http.delivery import App, Message, Receive, Send

_NO_MORE = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_POLICY = f"default-src 'none'; {_NO_MORE}"
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_OF_PAGE = HEADERS | {"Content-Security-Policy": f"{_POLICY}; style-src 'self'; img-src 'self'"}
"""For pages without scripts: their look is in files from here."""

_SWITCHED_OFF = (
    "accelerometer",
    "camera",
    "display-capture",
    "geolocation",
    "gyroscope",
    "hid",
    "idle-detection",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "serial",
    "usb",
    "xr-spatial-tracking",
)
OF_APP = HEADERS | {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
        f" font-src 'self'; manifest-src 'self'; {_NO_MORE}"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in _SWITCHED_OFF),
}
"""For the web page: it is made of files from here, and talks with nobody else."""
OF_ASSET = HEADERS | {"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"}
"""For the files of the web page. They are the same for everybody, and other sites may use them for an element of ours."""
OF_WORKER = HEADERS | {
    "Content-Security-Policy": f"default-src 'none'; script-src 'self'; connect-src 'self'; {_NO_MORE}"
}
"""For the files with which a worker begins: it has the policy of its file, and not that of the page."""


class Secured:
    """A layer around an application that adds the headers, as far as an answer has none of its own."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Add the headers to one answer."""

        async def secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableScopeHeaders.from_message(message)
                is_page = headers.get("content-type", "").startswith("text/html")
                for name, value in (_OF_PAGE if is_page else HEADERS).items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, secured)
