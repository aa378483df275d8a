"""Counts every request against the rate of its address, also those that no route answers."""

from typing import Any

from services.access.address import limit_key
from services.access.rate_limit import AddressLimit
from services.access.refusals import TooFast
from services.http.delivery import App, Receive, Send
from services.http.problems import problem_of_refusal, send_problem

REQUEST_CALLS = 10
"""To answer a request costs the server about as much as so many gRPC calls."""


def address_of(scope: Any) -> str:
    """The address of the one who sent a request, as limits count it."""
    return limit_key(scope["client"][0]) if scope.get("client") else ""


class Paced:
    """A layer that refuses the requests of an address that sends too many."""

    def __init__(self, app: App, limit: AddressLimit, calls: int = REQUEST_CALLS) -> None:
        """Each request counts as so many `calls`."""
        self._app, self._limit, self._calls = app, limit, calls

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it."""
        if scope["type"] == "http":
            address = address_of(scope)
            try:
                self._limit.check(address, self._calls)
            except TooFast as refusal:
                await self._limit.linger(address, self._calls)
                await send_problem(*problem_of_refusal(refusal), send)
                return
        await self._app(scope, receive, send)
