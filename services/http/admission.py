"""Admits readers. Everybody may read; a token also opens one's own private games; the rate of a player is limited."""

from typing import Any

from litestar.connection import ASGIConnection

from services.access.caller import NOBODY, Caller
from services.access.identity import Identities, bearer_of
from services.access.payer import payer_of
from services.access.rate_limit import RateLimit
from services.access.refusals import TokenInvalid
from services.http.paced import address_of

SAME_FOR_ALL = "same_for_all"
"""Marks the routes whose answer does not depend on the reader."""


class Reader:
    """The caller of a request, and the token if there was one."""

    __slots__ = ("_identities", "caller", "payer", "token")

    def __init__(self, caller: Caller, token: str, address: str, identities: Identities) -> None:
        self.caller, self.token, self._identities = caller, token, identities
        self.payer = payer_of(caller.player_id, address)

    async def renew(self) -> None:
        """Refuse to go on if the reader has a token that is no longer valid."""
        if self.token and self._identities.known(self.token) is None:
            await self._identities.identify(self.token)


class Admission:
    """Admits requests, and puts the reader into the state of each."""

    def __init__(self, identities: Identities, of_player: RateLimit) -> None:
        self._identities, self._of_player = identities, of_player

    async def admit(self, connection: "ASGIConnection[Any, Any, Any, Any]", *, same_for_all: bool = False) -> None:
        """Find the reader of a request. A request with an invalid token, or one too many of a player, is refused.

        Where the answer is `same_for_all`, an invalid token is ignored.
        """
        caller, token = NOBODY, ""
        header = connection.headers.get("authorization")
        if header is not None:
            try:
                caller, token = await self._holder(header)
            except TokenInvalid:
                if not same_for_all:
                    raise
            else:
                self._of_player.check(caller.player_id)
        connection.scope["state"]["reader"] = Reader(caller, token, address_of(connection.scope), self._identities)

    async def _holder(self, header: str) -> tuple[Caller, str]:
        """The caller whose token is in a header, and the token."""
        token = bearer_of(header)
        if token is None:
            raise TokenInvalid
        return self._identities.known(token) or await self._identities.identify(token), token
