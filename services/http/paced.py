"""Counts every request against the rate of its address, also those that no route answers."""

from typing import Any

import msgspec

from services.access.address import limit_key
from services.access.rate_limit import AddressLimit
from services.access.refusals import TooFast
from services.http.delivery import App, Receive, Send
from services.http.problems import MEDIA_TYPE, problem_of_refusal

REQUEST_CALLS = 10
"""To answer a request costs the server about as much as so many gRPC calls."""


def address_of(scope: Any) -> str:
    """The address of the one who sent a request, as limits count it."""
    return limit_key(scope["client"][0]) if scope.get("client") else ""


class Paced:
    """A layer that refuses the requests of an address that sends too many."""

    def __init__(self, app: App, limit: AddressLimit) -> None:
        self._app, self._limit = app, limit

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it."""
        if scope["type"] == "http":
            address = address_of(scope)
            try:
                self._limit.check(address, REQUEST_CALLS)
            except TooFast as refusal:
                await self._limit.linger(address, REQUEST_CALLS)
                await _refuse(refusal, send)
                return
        await self._app(scope, receive, send)


async def _refuse(refusal: TooFast, send: Send) -> None:
    problem, more = problem_of_refusal(refusal)
    headers = {"Content-Type": MEDIA_TYPE, "Cache-Control": "no-store", **more}
    written = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": problem.status, "headers": written})
    await send({"type": "http.response.body", "body": msgspec.json.encode(problem)})
