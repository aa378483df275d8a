"""Admits requests. Everybody may read; a token also opens one's own private games; the rate is limited."""

from typing import Any

from litestar.connection import ASGIConnection

from services.access.caller import NOBODY, Caller
from services.access.identity import Identities
from services.access.payer import payer_of
from services.access.rate_limit import RateLimit
from services.access.refusals import TokenInvalid

_BEARER = "bearer "


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

    def __init__(self, identities: Identities, of_player: RateLimit, of_address: RateLimit) -> None:
        self._identities, self._of_player, self._of_address = identities, of_player, of_address

    async def admit(self, connection: "ASGIConnection[Any, Any, Any, Any]") -> None:
        """Find the reader of a request. A request with an invalid token, or one too many, is refused."""
        address = connection.client.host if connection.client is not None else ""
        if self._of_address.rate:
            self._of_address.check(address)
        caller, token = NOBODY, ""
        header = connection.headers.get("authorization")
        if header is not None:
            if header[: len(_BEARER)].lower() != _BEARER:
                raise TokenInvalid
            token = header[len(_BEARER) :].strip()
            caller = self._identities.known(token) or await self._identities.identify(token)
            self._of_player.check(caller.player_id)
        connection.scope["state"]["reader"] = Reader(caller, token, address, self._identities)
