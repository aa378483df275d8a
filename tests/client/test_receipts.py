"""The receipts that the Python library checks and keeps."""

import asyncio
from pathlib import Path
from unittest.mock import patch

import pytest
from liarsdice.v1.audit_service_pb2 import GetAuditRequest
from msgspec.structs import replace

from domain.options import Options
from infra.log.notes import Signer
from infra.log.receipts import Accepted, read_receipt, sign_receipts
from services.audit.receipts import Receipts as Signing
from services.client import Client, FalseServer, SeatKeeper
from services.client.channel import Channel
from services.verifier import Failed, verify
from tests.servers import LOG_KEYS, run, served

KEY = LOG_KEYS.vkeys[0]


async def a_round(ann: Client, bob: Client) -> str:
    """A game of one round."""
    table = await ann.create("single-hand", options=Options(dice_each=1), seats=2)
    other = await bob.join(table.game_id)
    await table.start()
    async for update in table.watch():
        if update.game.view.phase == "bidding":
            break
    opener = table if update.game.view.viewer in update.game.view.waiting else other
    async with ann.play() as play:
        moves = play.moves(table.game_id) if opener is table else other
        await moves.bid(1, 2)
    await (other if opener is table else table).challenge()
    return table.game_id


def test_receipts_of_all_commands_are_kept_and_agree_with_the_proof(tmp_path: Path) -> None:
    async def story() -> None:
        async with served() as server:
            keeper = SeatKeeper(tmp_path)
            async with Client.connect(server.address, seats=keeper) as ann, Client.connect(server.address) as bob:
                player = await ann.register("Ann")
                await bob.register("Bob")
                game_id = await a_round(ann, bob)
                kept = keeper.receipts(server.address, player.player_id, game_id)
                assert kept == await ann.table(game_id).receipts()
                (file,) = tmp_path.glob("*.receipts")  # noqa: ASYNC240 - a file of the test
                assert file.stat().st_mode & 0o777 == 0o600
                # To set up the table, sit down, start, roll for the opener until nobody ties, roll, and bid or challenge.
                count = kept.count(b"\n") - 2
                assert count >= 6
                bundle = await audited(ann, game_id)
                report = verify(bundle, KEY, receipts=kept)
                assert report.proven[-1] == f"{count} receipts say the same as the bundle."
                bobs = await bob.table(game_id).receipts()
                assert verify(bundle, KEY, receipts=bobs).proven[-1] == "2 receipts say the same as the bundle.", (
                    "the server rolls for Bob, who joined and bid or challenged"
                )
                # Whoever writes a line when the machine stops leaves half of it.
                with file.open("ab") as damaged:
                    damaged.write(b"AAAA")
                assert keeper.receipts(server.address, player.player_id, game_id) == kept

    run(story())


async def audited(client: Client, game_id: str) -> bytes:
    """The bundle of a whole game, as its player gets it."""
    async with Channel(client.address, client.token) as channel:
        return (await channel.ask(channel.audit.GetAudit, GetAuditRequest(game_id=game_id))).bundle


@pytest.mark.parametrize("lie", ["another digest", "another key", "no receipt at all"])
def test_a_false_receipt_shows_that_the_server_is_false(lie: str) -> None:
    """Told at the first command, and not when the receipt is needed."""

    async def false(self: Signing, game_id: str, version: int, digest: bytes) -> bytes:
        if lie == "no receipt at all":
            return b"trust me"
        accepted = Accepted(game_id, version, bytes(32) if lie == "another digest" else digest)
        signer = self._signers.newest if lie == "another digest" else Signer("liarsdice", b"x" * 32)
        return sign_receipts([accepted], signer)[0]

    async def story() -> None:
        async with served() as server, Client.connect(server.address) as ann:
            await ann.register("Ann")
            table = await ann.create("single-hand", seats=2)
            with patch.object(Signing, "receipt", false), pytest.raises(FalseServer, match="receipt"):
                await table.add_bot()

    run(story())


def test_a_server_that_changes_an_accepted_move_is_convicted_by_the_receipt() -> None:
    """The receipt and the bundle are signed by one key, and say two things."""

    async def story() -> None:
        async with (
            served() as server,
            Client.connect(server.address) as ann,
            Client.connect(server.address) as bob,
        ):
            await ann.register("Ann")
            await bob.register("Bob")
            game_id = await a_round(ann, bob)
            kept, bundle = await ann.table(game_id).receipts(), await audited(ann, game_id)
        signer = LOG_KEYS.newest
        for told, sentence in (
            (Accepted(game_id, 2, bytes(32)), "two things of which one is a lie: event 2 has the digest"),
            (Accepted(game_id, 999, bytes(32)), "the game ended with event"),
        ):
            other = file_of(game_id, *sign_receipts([told], signer))
            with pytest.raises(Failed, match=sentence) as failed:
                verify(bundle, KEY, receipts=other)
            assert failed.value.check == "receipts"
        (one,) = sign_receipts([Accepted(game_id, 2, bytes(32))], signer)
        unsigned = bytes(replace(read_receipt(one), signature=bytes(64)))
        with pytest.raises(Failed, match="is not signed by its key"):
            verify(bundle, KEY, receipts=file_of(game_id, unsigned))
        # An older key of the log, or one that nobody has named.
        old = Signer("liarsdice", b"o" * 32)
        (by_old,) = sign_receipts([Accepted(game_id, 2, bytes(32))], old)
        report = verify(bundle, KEY, receipts=file_of(game_id, by_old))
        assert "1 receipts are signed by keys that were not given." in report.not_proven
        with pytest.raises(Failed) as failed:
            verify(bundle, KEY, receipts=file_of(game_id, by_old), receipt_keys=[old.verifier.vkey])
        assert failed.value.check == "receipts"
        for broken in (
            kept[:-1],
            kept.replace(b".v1", b".v2", 1),
            kept.replace(game_id.encode(), b"other"),
            kept + b"x\n",
        ):
            with pytest.raises(Failed) as failed:
                verify(bundle, KEY, receipts=broken)
            assert failed.value.check == "form"

    run(story())


def file_of(game_id: str, *receipts: bytes) -> bytes:
    keeper = SeatKeeper()
    for receipt in receipts:
        keeper.add_receipt("server", "player", game_id, receipt)
    return keeper.receipts("server", "player", game_id)


def test_receipts_that_nobody_can_check_now_are_kept(tmp_path: Path) -> None:
    """A server behind a proxy that hides the keys of its log still signs; a bundle shows later whether it lied."""

    async def story() -> None:
        async with served() as server, Client.connect(server.address, seats=SeatKeeper(tmp_path)) as ann:
            await ann.register("Ann")
            with patch("services.client.receipts.Receipts._found_keys", return_value=False):
                table = await ann.create("single-hand", seats=2)
            assert (await table.receipts()).count(b"\n") == 2 + 2

    run(story())


def test_two_clients_of_one_player_add_to_the_same_file(tmp_path: Path) -> None:
    async def story() -> None:
        keepers = [SeatKeeper(tmp_path) for _ in range(4)]
        receipts = sign_receipts([Accepted("game", n + 1, bytes(32)) for n in range(20)], LOG_KEYS.newest)
        await asyncio.gather(
            *(
                asyncio.to_thread(keepers[n % 4].add_receipt, "server", "player", "game", receipt)
                for n, receipt in enumerate(receipts)
            )
        )
        lines = keepers[0].receipts("server", "player", "game").split(b"\n")
        assert len(set(lines[2:-1])) == 20

    asyncio.run(story())
