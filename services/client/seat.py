"""A seat whose chain the client keeps: it rolls when it is called, signs if it has a key, and checks what it is told.

A link leaves only for the number that is due by the client's own count, after all that was told so far has been checked
and the number was written down. `docs/reference/fair-dice.md` says why ("What a client has to do").
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import grpc
from liarsdice.v1 import game_service_pb2 as wire
from msgspec.structs import replace

from domain.deciding import decide
from domain.events import CupsLifted, GameAbandoned, GameEnded, OpeningDiceRolled
from domain.fairness.chain import make_chain
from domain.fairness.findings import Findings
from domain.refusals import Refusal, ServerLinkInvalid
from domain.state import Bidding
from services.client.answers import Done, Game, Update
from services.client.failures import FalseServer, KeptBack, Refused, Unreachable
from services.client.line import Line, new_request_id
from services.client.looking import looked
from services.client.seats import Kept, SeatKeeper, Sent
from services.client.signing import Seen, Signer, move_of
from services.client.story import Story

CarryOut = Callable[[Any], Awaitable[Done]]

_LAID_OPEN = (OpeningDiceRolled, CupsLifted, GameEnded, GameAbandoned)
_SIGNINGS_MAX = 10
_NO_LINK = b""
"""With this a reroll is refused by the server, for whatever reason it has."""


class Seat:
    """One seat of the player, in one game."""

    def __init__(self, line: Line, keeper: SeatKeeper, kept: Kept) -> None:
        self._line, self._keeper, self.kept = line, keeper, kept
        self._chain = make_chain(kept.seed, kept.game_id, kept.length)
        self._signer = Signer(kept.signing_key)
        self._story = Story(kept, self._chain.anchor, self._signer.public)
        self._sent, self._seen = kept.sent, Seen(0, b"")
        self._rolled = 0
        """The number of the last roll that the server has confirmed."""
        self._false: FalseServer | None = None

    @property
    def promise(self) -> dict[str, bytes]:
        """What is published when the seat is taken."""
        return {"anchor": self._chain.anchor, "signing_key": self._signer.public or b""}

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._story.over

    async def told(self, update: Update) -> Update:
        """Check what was told; where dice were laid open, say what they prove."""
        self.saw(update.game)
        before = update.events[0].version - 1 if update.events else update.game.version
        if self._story.version < before:
            try:
                await self.look()
            except (Refused, Unreachable):
                return update  # Before anything is sent it is looked at again.
        self._hear(update)
        if any(isinstance(one.event, _LAID_OPEN) for one in update.events):
            return replace(update, proven=self.proven())
        return update

    async def look(self) -> None:
        """Be told the whole game."""
        update = await looked(self._line, self.kept.game_id)
        self.saw(update.game)
        self._hear(update)

    def saw(self, seen: Game | Done) -> None:
        """Remember the latest version, for the next signature."""
        if seen.version > self._seen.version:
            self._seen = Seen(seen.version, seen.digest)

    def proven(self) -> Findings:
        """What all that was told proves about the dice."""
        with self._found_out():
            return self._story.proven()

    async def roll(self, carry_out: CarryOut) -> None:
        """Roll for as long as the game waits for it."""
        await self._catch_up()
        while (number := self._story.due) is not None and number > self._rolled:
            request = wire.RollRequest(request_id=new_request_id(), game_id=self.kept.game_id)
            try:
                await self.moved(request, carry_out)
                self._rolled = number
            except Refused as refusal:
                if refusal.passing:
                    raise
                # The game has moved on meanwhile, or another client has rolled for this seat; or else it is serious.
                await self.look()
                if self._story.due == number:
                    raise

    async def moved(self, request: Any, carry_out: CarryOut) -> Done:
        """Carry out a move, with its link and its signature; one that was signed on a past gone by is signed anew."""
        for _ in range(_SIGNINGS_MAX):
            move = type(request)()
            move.CopyFrom(request)
            await self._complete(move)
            try:
                done = await carry_out(move)
            except Refused as refusal:
                # The link of a reroll that was refused may be known, so there is no second try.
                if refusal.reason != "SIGNATURE_STALE" or _reroll_of(request) is not None:
                    raise
                stale = refusal
                await self.look()
                request.request_id = new_request_id()
            else:
                self.saw(done)
                return done
        raise stale

    async def _complete(self, move: Any) -> None:
        self._check_not_false()
        reroll = _reroll_of(move)
        if isinstance(move, wire.RollRequest) and not move.link:
            await self._catch_up()
            move.link = _NO_LINK if self._story.due is None else await self._revealed(self._story.due)
        elif reroll is not None and not reroll.link:
            await self.look()
            reroll.link = await self._link_to_reroll(move)
        if self._signer.signs:
            await self._catch_up()
            if self._story.seat is not None:
                self._signer.sign(move, self.kept.game_id, self._story.seat, self._seen)

    async def _link_to_reroll(self, move: Any) -> bytes:
        state = self._story.state
        moved_on = move.HasField("expected_version") and move.expected_version != self._story.version
        if moved_on or not isinstance(state, Bidding) or not self._is_legal(move, state):
            return _NO_LINK
        sent = self._sent
        if sent is not None and sent.number > state.call and not self._story.rerolled_with(self._link(sent.number)):
            raise KeptBack(
                grpc.StatusCode.FAILED_PRECONDITION,
                "A reroll of this round was refused or not answered, so its link may be known; reroll in the next one.",
                "REROLL_KEPT_BACK",
            )
        return await self._revealed(state.link_number)

    def _is_legal(self, move: Any, state: Bidding) -> bool:
        """Whether a reroll would be accepted, as far as this seat can tell: all but the server's link is right."""
        tried = type(move)()
        tried.CopyFrom(move)
        tried.reroll.link = self._link(state.link_number)
        try:
            decide(move_of(tried, -1 if self._story.seat is None else self._story.seat), state)
        except ServerLinkInvalid:
            return True
        except Refusal:
            return False
        return False

    async def _revealed(self, number: int) -> bytes:
        """A link that is due now, once it is written down that it is sent."""
        self.proven()
        with self._found_out():
            self._check_number(number)
        if self._sent is None or number > self._sent.number:
            sent = Sent(number, self._story.version, self._story.told)
            await asyncio.to_thread(self._keeper.note, self.kept, sent)
            self._sent = sent
        return self._link(number)

    def _check_number(self, number: int) -> None:
        sent = self._sent
        if sent is None or number == sent.number:
            return
        if number < sent.number:
            raise FalseServer(self.kept.game_id, f"it calls for link {number} after link {sent.number} was sent")
        if self._story.version < sent.version:
            raise FalseServer(
                self.kept.game_id, f"it calls for link {number} before link {sent.number}, which was sent"
            )

    def _link(self, number: int) -> bytes:
        with self._found_out():
            if number > self.kept.length:
                raise FalseServer(self.kept.game_id, f"it calls for link {number} of a chain of {self.kept.length}")
        return self._chain.link(number)

    async def _catch_up(self) -> None:
        if not self._story.version or self._story.version < self._seen.version:
            await self.look()

    def _hear(self, update: Update) -> None:
        with self._found_out():
            self._story.hear(update.events)
            self._story.compare(update.game)

    def _check_not_false(self) -> None:
        """A server that was found false once gets nothing more."""
        if self._false is not None:
            raise self._false

    @contextmanager
    def _found_out(self) -> Iterator[None]:
        self._check_not_false()
        try:
            yield
        except FalseServer as false:
            self._false = false
            raise


def _reroll_of(request: Any) -> wire.Reroll | None:
    if isinstance(request, wire.PlaceBidRequest | wire.ShowAndRerollRequest) and request.HasField("reroll"):
        return request.reroll
    return None
