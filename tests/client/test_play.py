"""The Play call of the client library: several games over one call, which may break as any other."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random

import pytest

from domain.events import BidPlaced
from domain.options import Options
from services.app.settings import Settings
from services.client import Client, Done, Patience, Play, Refused, Table, Unreachable, Update
from tests.client.players import play_on
from tests.client.proxies import Proxy
from tests.infra.postgres.databases import new_database
from tests.servers import SECONDS_MAX, ServerProcess, served, server_process

QUICK = Patience(try_seconds=2, pause_seconds_min=0.01, pause_seconds_max=0.2)


@asynccontextmanager
async def ann_at(address: str) -> AsyncIterator[Client]:
    async with Client.connect(address, patience=QUICK) as client:
        await client.register("Ann")
        yield client


async def against_a_bot(client: Client, rulebook: str = "pirates") -> Table:
    table = await client.create(rulebook, options=Options(dice_each=3))
    await table.add_bot("cautious")
    return table


async def own_turn(play: Play) -> Update:
    async for update in play:
        view = update.game.view
        if view.phase == "bidding" and view.viewer in view.waiting:
            return update
    raise AssertionError


async def played(client: Client, server: ServerProcess, number: signal.Signals) -> None:
    """Two games at once, with a server that ends in the middle; each event of each game comes once."""
    tables = [await against_a_bot(client) for _ in range(2)]
    told: dict[str, list[int]] = {table.game_id: [] for table in tables}
    ended, over = False, set[str]()
    async with client.play() as play:
        for table in tables:
            play.watch(table.game_id, after=0)
            await play.moves(table.game_id).start()
        async for update in play:
            game_id = update.game.view.game_id
            told[game_id] += [one.version for one in update.events]
            moving = asyncio.create_task(play_on(play.moves(game_id), update, "cautious", Random(1)))
            if not ended and update.game.view.bids:
                ended = True
                await asyncio.to_thread(server.end, number)
                await asyncio.to_thread(server.start)
            await moving
            over |= {game_id} if update.game.view.phase == "ended" else set()
            if len(over) == len(tables):
                break
    assert ended
    for table in tables:
        assert told[table.game_id] == list(range(1, (await table.game()).version + 1))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_games_on_one_call_go_on_when_the_server_is_ended_in_the_middle(number: signal.Signals) -> None:
    async def story(server: ServerProcess) -> None:
        async with asyncio.timeout(SECONDS_MAX), ann_at(server.address) as ann:
            await played(ann, server, number)

    with server_process(bot_seconds=0.05) as server:
        asyncio.run(story(server))


def test_a_move_whose_answer_was_lost_is_sent_again_and_not_made_twice() -> None:
    async def story(url: str) -> tuple[Done, list[object]]:
        async with (
            served(url) as server,
            Proxy.to(server.address) as proxy,
            ann_at(proxy.address) as ann,
            ann.play() as play,
        ):
            table = await against_a_bot(ann)
            play.watch(table.game_id)
            await play.moves(table.game_id).start()
            game = (await own_turn(play)).game
            proxy.swallowing = True
            lowest = game.view.moves.lowest_bids[0]
            bidding = asyncio.create_task(play.moves(table.game_id).bid(lowest.quantity, lowest.face))
            while (await server.host.games.load(table.game_id))[1] == game.version:  # noqa: ASYNC110 - as others would ask
                await asyncio.sleep(0.01)
            proxy.swallowing = False
            proxy.cut()
            done = await bidding
            return done, list(await server.host.games.events(table.game_id, game.version))

    done, stored = asyncio.run(story(new_database()))

    assert done.repeated
    assert stored.count(done.events[0].event) == 1
    assert isinstance(done.events[0].event, BidPlaced)


def test_a_refusal_ends_neither_the_call_nor_what_is_told_of_other_games() -> None:
    async def story(url: str) -> None:
        async with served(url) as server, ann_at(server.address) as ann, ann.play() as play:
            table = await against_a_bot(ann)
            play.watch("nothing-here")
            with pytest.raises(Refused, match="no game with this id") as watching:
                await anext(play)
            play.watch(table.game_id)
            moves = play.moves(table.game_id)
            with pytest.raises(Refused) as moving:
                await moves.start(expected_version=1)
            await moves.start()
            game = (await own_turn(play)).game
            with pytest.raises(Refused) as bidding:
                await moves.bid(1, 1, expected_version=game.version)
            play.unwatch(table.game_id)
            await moves.forfeit()

            assert watching.value.reason == "NO_SUCH_GAME"
            assert (moving.value.reason, moving.value.metadata["version"]) == ("VERSION_MOVED", "3")
            assert bidding.value.clauses

    asyncio.run(story(new_database()))


def test_a_client_that_moves_too_fast_waits_and_one_without_a_token_is_refused() -> None:
    async def story(url: str) -> None:
        async with served(url, Settings(player_rate=10)) as server, Client.connect(server.address) as ann:
            async with ann.play() as nobody:
                with pytest.raises(Refused, match="needs a Bearer token"):
                    await nobody.moves("g").challenge()
                for _ in range(2):
                    with pytest.raises(Refused, match="needs a Bearer token"):
                        await anext(nobody)
            await ann.register("Ann")
            table = await against_a_bot(ann)
            async with ann.play() as play:
                moves = [play.moves(table.game_id).challenge() for _ in range(30)]
                told = await asyncio.gather(*moves, return_exceptions=True)
            assert {one.reason for one in told if isinstance(one, Refused)} == {"GAME_NOT_STARTED"}

    asyncio.run(story(new_database()))


def test_a_server_that_stays_away_is_given_up_after_a_while() -> None:
    async def story() -> None:
        patience = Patience(total_seconds=0.5, pause_seconds_max=0.1)
        async with Client.connect("127.0.0.1:1", "token", patience=patience) as ann, ann.play() as play:
            with pytest.raises(Unreachable):
                await play.moves("g").challenge()

    asyncio.run(story())
