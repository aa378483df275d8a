"""The gate does what every call needs, whatever protocol it came over: it finds the caller, checks the scope and limits the rate.

An adapter for each protocol (`grpc_adapter`, `services.connect`) wraps a call into an `Exchange`. Behind it no code knows
which protocol it is.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeAlias

from google.protobuf.message import Message

from services.access.budget import NO_BUDGET, Budget
from services.access.caller import NOBODY, Caller
from services.access.identity import Identities
from services.access.open_streams import OpenStreams
from services.access.payer import Payer, payer_of
from services.access.rate_limit import AddressLimit, BeginningLimit, RateLimit
from services.access.refusals import (
    ReadsWaiting,
    ReadTooMuch,
    ScopeMissing,
    StreamsTooMany,
    TokenInvalid,
    TokenMissing,
    TooFast,
)

WRONG_TOKEN_CALLS = 10
"""A token that nobody has costs as much as so many calls: it is looked up in the database, each time."""
LIST_CALLS = 10
"""A list is read and written by the event loop, and costs it about as much as so many calls. Over HTTP it counts the same."""

_TOO_MUCH = (TooFast, ReadTooMuch, ReadsWaiting, StreamsTooMany)

Answer: TypeAlias = "Message | bytes"
Unary: TypeAlias = "Callable[[Any, Call], Awaitable[Answer]]"
"""Returns the answer to a request, as a message or as the bytes of one."""


class Exchange(Protocol):
    """One call, as a protocol carries it."""

    @property
    def address(self) -> str:
        """The address of the caller, as limits count it."""

    @property
    def token(self) -> str | None:
        """The caller's token, if the call has one."""

    async def begin(self) -> None:
        """Let the caller see that the stream of answers is open, before there is one."""

    async def send(self, message: bytes) -> None:
        """Send one answer on the stream of this call; cancels the task if the caller is gone."""


class Call:
    """One call: its caller, and the stream for its answers."""

    __slots__ = ("_identities", "address", "begin", "caller", "exchange", "send", "token")

    def __init__(self, exchange: Exchange, address: str, caller: Caller, token: str, identities: Identities) -> None:
        # The address is a value, because asking an ended gRPC call for its peer would crash the process.
        self.exchange, self.address = exchange, address
        self.begin, self.send = exchange.begin, exchange.send
        self.caller, self.token, self._identities = caller, token, identities

    @property
    def payer(self) -> Payer:
        """The one whose limits this call counts for."""
        return payer_of(self.caller.player_id, self.address)

    async def renew(self) -> None:
        """Refuse to go on if the call has a token that is no longer valid."""
        if self.token and self._identities.known(self.token) is None:
            await self._identities.identify(self.token)


class Gate:
    """Admits calls, or refuses them because of their token, scope or rate."""

    def __init__(
        self,
        identities: Identities,
        of_player: RateLimit,
        of_address: AddressLimit,
        streams: OpenStreams | None = None,
        budget: Budget = NO_BUDGET,
        *,
        table_rate: float = 0.0,
    ) -> None:
        """`table_rate` is how many tables a second a player may set up, on and on; 0 is no limit."""
        self._identities, self._of_player, self._of_address = identities, of_player, of_address
        self._of_tables = BeginningLimit(table_rate, "new tables", by_address=bool(of_address.rate))
        self.streams, self.budget = streams or OpenStreams(0), budget
        self.calls = 0
        """The number of calls so far, and of commands on open streams."""
        self.refused: Counter[type[Exception]] = Counter()
        """How many of them were refused or failed, by the kind of error."""

    @property
    def of_address(self) -> AddressLimit:
        """The limit of all calls from one address."""
        return self._of_address

    def admit_known(self, exchange: Exchange, *, open_to_all: bool = False, scope: str | None = None) -> Call | None:
        """Count a call and admit it; None if the caller is not in memory, and `admit` has to read who it is."""
        # Not a coroutine, because every call passes here and most callers are in memory.
        self.calls += 1
        self._of_address.check(exchange.address)
        token = exchange.token
        if token is None:
            if open_to_all:
                return Call(exchange, exchange.address, NOBODY, "", self._identities)
            raise TokenMissing
        caller = self._identities.known(token)
        return None if caller is None else self._admitted(exchange, caller, token, scope)

    async def admit(self, exchange: Exchange, *, scope: str | None = None, same_for_all: bool = False) -> Call:
        """Admit a call for which `admit_known` returned None."""
        token, address = exchange.token, exchange.address  # It must be asked for before the call may have ended.
        assert token is not None, "only a call with a token has a caller to look up"
        try:
            caller = await self._identities.identify(token)
        except TokenInvalid:
            self._of_address.charge(address, WRONG_TOKEN_CALLS - 1)
            if same_for_all:
                return Call(exchange, address, NOBODY, "", self._identities)
            raise
        return self._admitted(exchange, caller, token, scope)

    def _admitted(self, exchange: Exchange, caller: Caller, token: str, scope: str | None) -> Call:
        self._of_player.check(caller.player_id)
        if scope is not None:
            check_scope(caller, scope)
        return Call(exchange, exchange.address, caller, token, self._identities)

    async def refuse(self, address: str, error: Exception) -> None:
        """Count a call that is refused. A caller who is refused again and again because of a limit waits for it."""
        self.refused[type(error)] += 1
        await self.linger(address, error)

    async def linger(self, address: str, error: Exception) -> None:
        """Let a caller who is refused again and again because of a limit wait."""
        if isinstance(error, _TOO_MUCH):
            await self._of_address.linger(address)

    async def rest(self, address: str, refusal: TooFast) -> None:
        """Wait before the next command of a stream is looked at, because this one came too fast."""
        await asyncio.sleep(refusal.fields["retry_seconds"])
        await self.linger(address, refusal)

    def count(self, call: Call, calls: int = 1) -> None:
        """Count a command on an open stream, or one that is worth several, against the rates of its caller and address."""
        self.calls += 1
        self._of_address.check(call.address, calls)
        if call.token:
            self._of_player.check(call.caller.player_id, calls)

    def count_table(self, call: Call) -> None:
        """Count a table that a call sets up against the rates of its caller and address."""
        self._of_tables.check(call.payer)

    def charge(self, call: Call, calls: int) -> None:
        """Count a call that was admitted as so many calls of its caller and address."""
        self._of_address.charge(call.address, calls - 1)
        if call.token:
            self._of_player.charge(call.caller.player_id, calls - 1)


def check_scope(caller: Caller, scope: str) -> None:
    """Refuse a caller without this scope. No scope includes another."""
    if scope not in caller.scopes:
        raise ScopeMissing(scope=scope)
