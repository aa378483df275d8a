"""Every accepted command is answered with a receipt, over every protocol, and no refused one is."""

import asyncio
from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import MethodOptions
from liarsdice.v1 import game_pb2
from liarsdice.v1.game_service_pb2 import DESCRIPTOR

from domain.fairness.chain import make_chain
from infra.log.receipts import Receipt, read_receipt
from services.audit.receipts import Receipts
from tests.connect.channels import PROTOCOLS
from tests.rpc.servers import Player, Server, Told, on_server
from tests.servers import LOG_KEYS

(KEY,) = LOG_KEYS.verifiers


def good(content: bytes, game_id: str) -> Receipt:
    receipt = read_receipt(content)
    assert receipt.is_signed_by(KEY, game_id)
    return receipt


def check(result: Any, game_id: str) -> None:
    receipt = good(result.receipt, game_id)
    assert (receipt.version, receipt.digest) == (result.version, result.digest)


@pytest.mark.parametrize("protocol", ["grpc", *PROTOCOLS[:3]])
def test_every_accepted_command_has_a_receipt_for_its_version_and_digest(protocol: str) -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        created = await ann.ask("CreateGame", rulebook="single-hand")
        game_id = created.game.view.game_id
        assert good(created.receipt, game_id).digest == created.game.digest
        bot = await ann.ask("AddBot", game_id=game_id)
        check(bot.result, game_id)
        check((await ann.ask("LeaveGame", game_id=game_id, bot_seat=bot.seat)).result, game_id)
        joined = await bob.ask("JoinGame", game_id=game_id)
        assert good(joined.receipt, game_id).digest == joined.game.digest
        check((await ann.ask("StartGame", game_id=game_id, opener=0)).result, game_id)
        await ann.sees(game_id, lambda game: any(seat.hidden_count for seat in game.view.seats))
        bid = {"game_id": game_id, "quantity": 1, "face": 2, "request_id": "bid"}
        first = (await ann.ask("PlaceBid", **bid)).result
        check(first, game_id)
        with pytest.raises(Told) as told:
            await ann.ask("PlaceBid", **bid | {"request_id": "again"})
        assert told.value.reason == "NOT_YOUR_TURN"
        again = (await ann.ask("PlaceBid", **bid)).result
        assert again.repeated_answer
        check(again, game_id)
        assert again.digest == first.digest
        check((await bob.ask("Challenge", game_id=game_id)).result, game_id)

    on_server(story, protocol=protocol)


COMMANDS = {
    method.name
    for method in DESCRIPTOR.services_by_name["GameService"].methods
    if not (method.client_streaming or method.server_streaming)
    and method.GetOptions().idempotency_level != MethodOptions.NO_SIDE_EFFECTS
}
"""The calls that change a game, by the contract."""


class Receiver:
    """Asks for commands, and checks the receipt of each answer."""

    def __init__(self) -> None:
        self.commands: set[str] = set()

    async def ask(self, player: Player, method: str, **fields: Any) -> Any:
        """The answer to a command, with a good receipt in it."""
        answer = await player.ask(method, **fields)
        if "result" in answer.DESCRIPTOR.fields_by_name:
            check(answer.result, fields["game_id"])
        else:
            receipt = good(answer.receipt, answer.game.view.game_id)
            assert (receipt.version, receipt.digest) == (answer.game.version, answer.game.digest)
        self.commands.add(method)
        return answer


def test_each_command_of_the_contract_is_answered_with_a_receipt() -> None:
    async def story(server: Server) -> None:
        receiver, admin = Receiver(), await server.player("Root", ("player", "admin"))
        ann, bob = await server.players(2)
        told = await receiver.ask(ann, "CreateGame", rulebook="bidding-track")
        game = {"game_id": told.game.view.game_id}
        chain = make_chain(b"seed" * 8, game["game_id"], told.game.chain_length)
        await receiver.ask(bob, "JoinGame", **game, anchor=chain.anchor)
        bot = await receiver.ask(ann, "AddBot", **game)
        await receiver.ask(ann, "LeaveGame", **game, bot_seat=bot.seat)
        await receiver.ask(ann, "StartGame", **game, opener=1)
        deal = await bob.sees(game["game_id"], lambda seen: seen.view.moves.roll)
        await receiver.ask(bob, "Roll", **game, link=chain.link(deal.link_number))
        await bob.sees(game["game_id"], lambda seen: seen.view.phase == game_pb2.PHASE_BIDDING)
        await receiver.ask(bob, "PlaceBid", **game, quantity=1, face=2)
        await receiver.ask(ann, "PlaceBid", **game, quantity=1, face=3)
        hidden = (await ann.ask("GetGame", **game)).game.view.seats[0].hidden.dice
        await receiver.ask(ann, "ShowAndReroll", **game, reroll={"shown": hidden[:1]})
        await receiver.ask(bob, "Challenge", **game)  # That may be the end of the game.
        other = {"game_id": await server.bidding([ann, bob])}
        await receiver.ask(bob, "Forfeit", **other)
        await receiver.ask(ann, "CreateRematch", **other)
        await receiver.ask(ann, "ForkGame", **other, version=5, seat=0)
        await receiver.ask(admin, "AbandonGame", game_id=await server.table([ann]), reason="enough")
        assert receiver.commands == COMMANDS

    on_server(story)


def test_over_play_every_result_has_a_receipt_and_no_refusal_has_one() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.bidding([ann, bob])
        stream = ann.play()
        await stream.send(place_bid={"request_id": "one", "game_id": game_id, "quantity": 1, "face": 2})
        check((await stream.next("result")).result, game_id)
        await stream.send(place_bid={"request_id": "two", "game_id": game_id, "quantity": 1, "face": 2})
        refused = await stream.next("refused")
        assert "receipt" not in refused.DESCRIPTOR.fields_by_name

    on_server(story)


def test_commands_of_one_turn_of_the_loop_share_a_signature_also_if_a_caller_gives_up() -> None:
    async def story() -> None:
        receipts = Receipts(LOG_KEYS)
        waiting = [asyncio.ensure_future(receipts.receipt("game", n, bytes(32))) for n in (1, 2, 3)]
        await asyncio.sleep(0)
        waiting[1].cancel()
        one, gone, three = await asyncio.gather(*waiting, return_exceptions=True)
        assert isinstance(one, bytes)
        assert isinstance(three, bytes)
        assert isinstance(gone, asyncio.CancelledError)
        held = [good(content, "game") for content in (one, three)]
        assert [receipt.version for receipt in held] == [1, 3]
        assert len({receipt.signature for receipt in held}) == 1
        assert await receipts.receipt("game", 4, b"") == b""

    asyncio.run(story())
