"""Clients that play whole games: each follows its game on a stream and moves by calls, as any program would."""

from base64 import b64encode
from random import Random
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from liarsdice.v1 import game_pb2

from domain.events import AnyEvent
from domain.fairness.chain import Chain, make_chain
from services.bots import BOTS, Raise
from services.wire.translation import event_of, view_of
from tests.rpc.servers import Player, Told


def signature(key: Ed25519PrivateKey, game: game_pb2.Game, method: str, fields: dict[str, Any]) -> dict[str, Any]:
    """The signature of a move, as docs/reference/audit-format.md defines it."""
    shown = fields.get("reroll")
    reroll = f"show {','.join(map(str, shown['shown']))} link {b64encode(shown['link']).decode()}" if shown else ""
    match method:
        case "Roll":
            move = f"roll {b64encode(fields['link']).decode()}"
        case "PlaceBid":
            move = f"bid {fields['quantity']} {fields['face']} {reroll}".rstrip()
        case "ShowAndReroll":
            move = reroll
        case _:
            move = method.lower()
    digest = b64encode(game.digest).decode()
    text = f"liarsdice.move.v1\n{game.view.game_id}\n{game.version}\n{digest}\n{game.view.viewer}\n{move}\n"
    return {"after_version": game.version, "signature": key.sign(text.encode())}


class Client:
    """A player with a strategy, and with a chain and a signing key of its own if it wants them."""

    def __init__(self, player: Player, game_id: str, seed: int, strategy: str = "calculating") -> None:
        self.player, self.game_id, self.strategy = player, game_id, strategy
        self.chance = Random(seed)
        self.chain: Chain | None = None
        self.signing: Ed25519PrivateKey | None = None
        self.events: list[AnyEvent] = []

    async def join(self, *, own_chain: bool, signs: bool = False) -> None:
        """Take a seat."""
        anchor = signing_key = b""
        if signs:
            self.signing = Ed25519PrivateKey.from_private_bytes(self.chance.randbytes(32))
            signing_key = self.signing.public_key().public_bytes_raw()
        if own_chain:
            length = (await self.player.ask("GetGame", game_id=self.game_id)).game.chain_length
            self.chain = make_chain(self.chance.randbytes(32), self.game_id, length)
            anchor = self.chain.anchor
        await self.player.ask("JoinGame", game_id=self.game_id, anchor=anchor, signing_key=signing_key)

    async def play(self) -> None:
        """Follow the game from its first event on, and move, until it is over."""
        stream = self.player.watch(self.game_id, after_version=0, include_game=True)
        async for answer in stream:
            if answer.HasField("update"):
                self.events += [event_of(event) for event in answer.update.events]
                if answer.update.game.view.phase == game_pb2.PHASE_ENDED:
                    break
                await self._move(answer.update.game)
        stream.call.cancel()

    async def _move(self, game: game_pb2.Game) -> None:
        method, fields = self._choice(game)
        if method is None:
            return
        request_id = f"{method}-{game.version}"
        if self.signing is not None:
            fields["signature"] = signature(self.signing, game, method, fields)
        try:
            await self.player.ask(
                method, game_id=self.game_id, request_id=request_id, expected_version=game.version, **fields
            )
        except Told as told:
            # Someone else's roll, or the server's, came first; the stream tells what to do instead.
            assert told.reason in {"VERSION_MOVED", "SIGNATURE_STALE"}, told  # noqa: PT017 - anything else is a fault

    def _choice(self, game: game_pb2.Game) -> tuple[str | None, dict[str, Any]]:
        view = view_of(game.view)
        if view.moves.roll:
            return ("Roll", {"link": self._link(game)}) if self.chain else (None, {})
        if view.viewer not in view.waiting:
            return None, {}
        choice = BOTS[self.strategy](view, self.chance)
        if not isinstance(choice, Raise):
            return "Challenge", {}
        fields: dict[str, Any] = {"quantity": choice.bid.quantity, "face": choice.bid.face}
        if choice.shown:
            fields["reroll"] = {"shown": choice.shown, "link": self._link(game)}
        return "PlaceBid", fields

    def _link(self, game: game_pb2.Game) -> bytes:
        return b"" if self.chain is None else self.chain.link(game.link_number)
