"""The desk: heavy reads are done by workers, paid for, and the same as without workers."""

import asyncio
from typing import Any

import pytest

from services.access.budget import Budget
from services.access.payer import payer_of
from services.access.refusals import ReadsWaiting, ReadTooMuch
from services.app.settings import Settings
from services.desk import desk as desks
from services.desk.desk import Desk
from services.desk.sources import Sources
from tests.rpc.servers import Player, Server, Told, on_server

ANN = payer_of("ann", "10.0.0.1")
QUICK = Settings(sweep_seconds=0.05, grace_seconds=1.0)


async def made(_: Sources, size: int) -> bytes:
    """A job."""
    return bytes(size)


def test_a_read_is_charged_for_the_bytes_that_it_makes_and_refused_when_all_is_spent() -> None:
    async def story() -> None:
        sources: Any = None
        desk = Desk(sources, budget=Budget(10.0))
        assert len(await desk.ask(ANN, "game", made, 256 * 100)) == 256 * 100
        await desk.ask(ANN, "game", made, 256)
        with pytest.raises(ReadTooMuch):
            await desk.ask(ANN, "game", made, 0)
        assert await desk.ask(payer_of("bob", "10.0.0.2"), "game", made, 0) == b""

    asyncio.run(story())


def test_a_part_of_a_stream_waits_until_it_can_be_paid() -> None:
    async def story() -> None:
        sources: Any = None
        desk = Desk(sources, budget=Budget(1_000.0))
        await desk.ask(ANN, "game", made, 256 * 10_200)
        began = asyncio.get_running_loop().time()
        await desk.ask_patiently(ANN, "game", made, 0)
        assert asyncio.get_running_loop().time() - began >= 0.19

    asyncio.run(story())


def test_too_many_reads_of_one_caller_do_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desks, "READS_WAITING_MAX", 1)

    class Busy:
        def waiting(self, key: str) -> int:
            return 1 if key == ANN.caller else 0

    async def story() -> None:
        busy: Any = Busy()
        sources: Any = None
        with pytest.raises(ReadsWaiting):
            await Desk(sources, busy).ask(ANN, "game", made, 0)

    asyncio.run(story())


async def reads(player: Player, game_id: str) -> list[bytes]:
    """All heavy reads of a game, as one caller gets them."""
    await player.ask("GetStep", game_id=game_id)
    await player.ask("ListSteps", game_id=game_id)
    await player.ask("GetRecord", game_id=game_id)
    stream = await player.replay(game_id, speed=1_000, wait_seconds_max=0, include_view=True)
    await stream.next("end")
    with pytest.raises(Told, match="NO_SUCH_STEP"):
        await player.ask("GetStep", game_id=game_id, version=1_000)
    with pytest.raises(Told, match="NO_SUCH_GAME"):
        await player.ask("GetStep", game_id="nothing")
    return [heard.raw for heard in player.heard]


def test_workers_answer_as_the_server_does_and_a_player_sees_the_own_dice_of_the_round() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        eve = await server.player("Eve")
        game_id = await server.bidding([ann, bob])
        await ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2)
        for one in (ann, bob, eve):
            one.heard.clear()
            by_workers = await reads(one, game_id)
            seen = (await one.ask("GetStep", game_id=game_id)).view
            assert any(seat.hidden.dice for seat in seen.seats) == (one is not eve)
            one.heard.clear()
            desk: Any = server.running.desk
            pool, desk._pool = desk._pool, None  # noqa: SLF001 - the same server without its workers
            assert await reads(one, game_id) == by_workers
            desk._pool = pool  # noqa: SLF001 - as above

    on_server(story, Settings(sweep_seconds=0.05, grace_seconds=1.0, workers=1))
