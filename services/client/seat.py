"""A seat whose chain the client keeps: it rolls when the game calls it, signs if it has a key, and trusts no server.

The dice of a deal follow from one link of every seat and one of the server. The links of a chain are hashes of one
another, so a link gives away all links with lower numbers, and none with a higher one. A server that gets a link before
its time foresees the dice that the link helps to make, and may tell another player. It can try this in three ways:

- **It calls for a number that is not due.** `CheckedGame` folds the events by the rules, so the client counts by itself.
  It sends only the link that is due by its own count, after it has checked everything that the server has sent so far.
- **It changes the past after it got a link**, so that the same link makes other dice. Before a link leaves, its number
  is on the disk, together with a hash of all that mattered to the dice by then. From then on no lower number leaves, not
  even after a restart, and the server must stand by that past.
- **It takes the link of a reroll and refuses the reroll, or does not answer.** The next reroll would take the same link,
  which the server then knows. So there is no other reroll in that round; the next round takes higher numbers.

A server that was found false once gets nothing more for this seat: `FalseServer` is raised again and again.
`docs/reference/fair-dice.md` has the same as rules for clients in any language ("What a client has to do").
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
from services.client.channel import Channel, new_request_id
from services.client.checked_game import CheckedGame
from services.client.errors import FalseServer, KeptBack, Refused, Unreachable
from services.client.game_stream import whole_game
from services.client.played_game import PlayedGame, lifted_cups
from services.client.seat_keeper import Kept, SeatKeeper, Sent
from services.client.signer import Seen, Signer, move_of

CarryOut = Callable[[Any], Awaitable[Done]]
"""Sends a command to the server, and waits for what it did."""

_LAID_OPEN = (OpeningDiceRolled, CupsLifted, GameEnded, GameAbandoned)
_SIGNINGS_MAX = 10
_NO_LINK = b""
"""The server refuses a move with this link, and its refusal gives the reason why the move is not possible."""


class Seat:
    """One seat of the player, in one game."""

    def __init__(self, channel: Channel, keeper: SeatKeeper, kept: Kept) -> None:
        self._channel, self._keeper, self.kept = channel, keeper, kept
        self._chain = make_chain(kept.seed, kept.game_id, kept.length)
        self._signer = Signer(kept.signing_key)
        self._game = CheckedGame(kept, self._chain.anchor, self._signer.public)
        self._sent, self._seen = kept.sent, Seen(0, b"")
        self._told = 0
        """The latest version that an update or a read has brought. The answer to a move may be ahead of it."""
        self._rolled = 0
        """The number of the last roll that the server has confirmed."""
        self._false: FalseServer | None = None

    @property
    def promise(self) -> dict[str, bytes]:
        """The public part of the secrets, which the server gets when the seat is taken."""
        return {"anchor": self._chain.anchor, "signing_key": self._signer.public or b""}

    @property
    def played(self) -> PlayedGame:
        """What is remembered of the game when it is over."""
        kept = self.kept
        return PlayedGame(
            server=kept.server,
            player_id=kept.player_id,
            game_id=kept.game_id,
            anchor=self._chain.anchor,
            signing_key=self._signer.public,
            cups=lifted_cups(self._game.events),
        )

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._game.over

    async def checked(self, update: Update) -> Update:
        """An update that was checked; if dice were laid open, with what they prove."""
        self._note_told(update.game)
        before = update.events[0].version - 1 if update.events else update.game.version
        if self._game.version < before:
            try:
                await self.read_game()
            except (Refused, Unreachable):
                return update  # The seat reads the game again before it sends anything.
        self._check(update)
        if any(isinstance(one.event, _LAID_OPEN) for one in update.events):
            return replace(update, proven=self.proven())
        return update

    async def read_game(self) -> None:
        """Read the whole game from the server, and check it."""
        update = await whole_game(self._channel, self.kept.game_id)
        self._note_told(update.game)
        self._check(update)

    def note_version(self, seen: Game | Done) -> None:
        """Remember the latest version, for the next signature."""
        if seen.version > self._seen.version:
            self._seen = Seen(seen.version, seen.digest)

    def proven(self) -> Findings:
        """What all events so far prove about the dice."""
        with self._remembering_false_server():
            return self._game.proven()

    async def roll(self, carry_out: CarryOut) -> None:
        """Roll for as long as the game waits for it."""
        # What a move of this seat did comes over the stream, and this is called again then. To read it would read the game
        # for each move.
        await self._catch_up(self._told)
        # A roll that the server has confirmed is not sent again, although its event may still be on its way.
        while (number := self._game.roll_due) is not None and number > self._rolled:
            request = wire.RollRequest(request_id=new_request_id(), game_id=self.kept.game_id)
            try:
                await self.moved(request, carry_out)
                self._rolled = number
            except Refused as refusal:
                if refusal.passing:
                    raise
                # The game may have moved on, or another client has rolled for this seat. Otherwise it is serious.
                await self.read_game()
                if self._game.roll_due == number:
                    raise

    async def moved(self, request: Any, carry_out: CarryOut) -> Done:
        """What a move did; the seat adds the link and the signature before it sends the move."""
        for _ in range(_SIGNINGS_MAX):
            # The request stays as it is: each try gets a link and a signature for the game as it stands then.
            move = _copy(request)
            await self._complete(move)
            try:
                done = await carry_out(move)
            except Refused as refusal:
                # A signature holds for one version of the game, so somebody else's move makes it stale. But the server
                # may know the link of a reroll that it refused, so a reroll has no second try.
                if refusal.reason != "SIGNATURE_STALE" or _reroll_of(request) is not None:
                    raise
                stale = refusal
                await self.read_game()
                request.request_id = new_request_id()
            else:
                self.note_version(done)
                return done
        raise stale

    async def _complete(self, move: Any) -> None:
        """Add the link and the signature that a move needs; a link that the caller gave stays."""
        self._check_not_false()
        reroll = _reroll_of(move)
        if isinstance(move, wire.RollRequest) and not move.link:
            await self._catch_up()
            number = self._game.roll_due
            move.link = _NO_LINK if number is None else await self._revealed(number)
        elif reroll is not None and not reroll.link:
            # Always, not only if an event is missing: the latest state decides whether the link may leave.
            await self.read_game()
            reroll.link = await self._link_to_reroll(move)
        if self._signer.signs:
            await self._catch_up()
            if self._game.seat is not None:
                self._signer.sign(move, self.kept.game_id, self._game.seat, self._seen)

    async def _link_to_reroll(self, move: Any) -> bytes:
        """The link for a reroll; none if the server has to refuse the move anyway, so that it does not cost a link."""
        state, number = self._game.state, self._game.next_link
        moved_on = move.HasField("expected_version") and move.expected_version != self._game.version
        if moved_on or number is None or not isinstance(state, Bidding) or not self._is_legal(move, state, number):
            return _NO_LINK
        # A link above that of the round's roll left for a reroll. If no reroll was made with it, the server sits on it.
        sent = self._sent
        if sent is not None and sent.number > state.call and not self._game.rerolled_with(self._link(sent.number)):
            raise KeptBack(
                grpc.StatusCode.FAILED_PRECONDITION,
                "A reroll of this round was refused or not answered, so its link may be known; reroll in the next one.",
                "REROLL_KEPT_BACK",
            )
        return await self._revealed(number)

    def _is_legal(self, move: Any, state: Bidding, number: int) -> bool:
        """Whether the rules allow a reroll with the link of this number."""
        tried = _copy(move)
        tried.reroll.link = self._link(number)
        try:
            decide(move_of(tried, -1 if self._game.seat is None else self._game.seat), state)
        except ServerLinkInvalid:
            # Rules check the server's link last, and only the server has it. So all else is right.
            return True
        except Refusal:
            return False
        return False

    async def _revealed(self, number: int) -> bytes:
        """The link with this number, once the disk knows that it leaves."""
        self.proven()
        with self._remembering_false_server():
            self._check_number(number)
        # A link that left already may leave again: the first answer was lost, and the server learns nothing new.
        if self._sent is None or number > self._sent.number:
            sent = Sent(number, self._game.version, self._game.dice_hash)
            await asyncio.to_thread(self._keeper.note, self.kept, sent)
            self._sent = sent
        return self._link(number)

    def _check_number(self, number: int) -> None:
        """Numbers only rise, and no link leaves before the game has come as far as it was for the last one."""
        sent = self._sent
        if sent is None or number == sent.number:
            return
        if number < sent.number:
            raise FalseServer(self.kept.game_id, f"it calls for link {number} after link {sent.number} was sent")
        if self._game.version < sent.version:
            raise FalseServer(
                self.kept.game_id, f"it calls for link {number} before link {sent.number}, which was sent"
            )

    def _link(self, number: int) -> bytes:
        with self._remembering_false_server():
            if number > self.kept.length:
                raise FalseServer(self.kept.game_id, f"it calls for link {number} of a chain of {self.kept.length}")
        return self._chain.link(number)

    async def _catch_up(self, version: int | None = None) -> None:
        """Read the game if the client has checked it only up to an earlier version than this, or than the latest it has seen."""
        if not self._game.version or self._game.version < (self._seen.version if version is None else version):
            await self.read_game()

    def _note_told(self, game: Game) -> None:
        self.note_version(game)
        self._told = max(self._told, game.version)

    def _check(self, update: Update) -> None:
        with self._remembering_false_server():
            self._game.add(update.events)
            self._game.compare(update.game, update.events)

    def _check_not_false(self) -> None:
        if self._false is not None:
            raise self._false

    @contextmanager
    def _remembering_false_server(self) -> Iterator[None]:
        """Remember that the server was found false, so that it gets nothing more."""
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


def _copy(request: Any) -> Any:
    copy = type(request)()
    copy.CopyFrom(request)
    return copy
