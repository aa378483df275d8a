"""Following a game: a snapshot first, then everything once and in order, as far as the viewer may see it."""

import asyncio
import itertools
import time
from typing import Any

import grpc
import pytest

from services.app.settings import Settings
from services.live import mailbox
from services.wire.translation import event_of, view_of
from tests.infra.postgres.databases import new_database
from tests.rpc.clients import Client
from tests.rpc.servers import Server, Told, on_server

QUICK = Settings(sweep_seconds=0.05, grace_seconds=1.0, heartbeat_seconds=0.05)


def test_a_stream_begins_with_the_game_as_it_stands_and_goes_on_with_what_happens() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.bidding([ann, bob])
        stream = bob.watch(game_id)

        snapshot = await stream.next("snapshot")
        await ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2)
        update = await stream.next("update")

        assert snapshot.view.viewer == 1
        assert len(snapshot.view.seats[1].hidden.dice) == 5
        assert update.version == snapshot.version + 1
        assert [event.WhichOneof("event") for event in update.events] == ["bid_placed"]
        assert not update.HasField("game")

    on_server(story)


def test_a_game_resumed_after_each_of_its_events_is_told_without_a_gap_or_a_duplicate() -> None:
    async def story(server: Server) -> None:
        players = await server.players(2)
        game_id = await server.table(players, "bidding-track")
        clients = [Client(player, game_id, seed) for seed, player in enumerate(players)]
        following = [asyncio.create_task(client.play()) for client in clients]
        await players[0].ask("StartGame", game_id=game_id)
        resumed: list[Any] = []
        while not resumed or not resumed[-1].HasField("game_ended"):
            stream = players[0].watch(game_id, after_version=len(resumed))
            resumed += (await stream.next("update")).events[:1]
            stream.call.cancel()
        await asyncio.gather(*following)

        assert [event_of(event) for event in resumed] == clients[0].events
        assert [event.version for event in resumed] == list(range(1, len(resumed) + 1))
        assert len(resumed) > 50

    on_server(story)


def test_a_game_can_be_resumed_on_another_server() -> None:
    url = new_database(lanes=2)

    async def first(server: Server) -> tuple[str, Any, int]:
        ann, bob = await server.players(2)
        game_id = await server.bidding([ann, bob])
        version = (await ann.watch(game_id).next("snapshot")).version
        await ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2)
        return game_id, ann, version

    game_id, ann, version = on_server(first, url=url)

    async def second(server: Server) -> Any:
        ann.channel = server.channel
        return await ann.watch(game_id, after_version=version).next("update")

    assert [event.WhichOneof("event") for event in on_server(second, url=url).events] == ["bid_placed"]


def test_what_is_no_version_can_not_be_resumed_after() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        with pytest.raises(Told, match="INVALID_ARGUMENT FIELD_INVALID") as caught:
            await anext(ann.watch(await server.table([ann]), after_version=-1))
        assert caught.value.field == "after_version"

    on_server(story)


@pytest.mark.parametrize("after", [1_000, 2**62])
def test_a_version_that_is_not_there_yet_can_not_be_resumed_after(after: int) -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        game_id = await server.table([ann])
        with pytest.raises(Told, match="INVALID_ARGUMENT VERSION_AHEAD") as caught:
            await anext(ann.watch(game_id, after_version=after))
        assert caught.value.metadata["version"] == "2"

    on_server(story)


def test_spectators_see_what_is_public_and_may_do_nothing() -> None:
    async def story(server: Server) -> None:
        ann, bob, eve = await server.players(3)
        game_id = await server.bidding([ann, bob])

        snapshot = await eve.watch(game_id).next("snapshot")

        seen = view_of(snapshot.view)
        assert seen.viewer is None
        assert [(seat.hidden_count, seat.hidden) for seat in seen.seats] == [(5, None), (5, None)]
        assert not seen.moves.lowest_bids
        with pytest.raises(Told, match="PERMISSION_DENIED NOT_SEATED"):
            await eve.ask("PlaceBid", game_id=game_id, quantity=1, face=2)

    on_server(story)


def test_a_rematch_is_told_to_those_who_still_watch_the_game_before() -> None:
    async def story(server: Server) -> None:
        ann, bob, eve = await server.players(3)
        game_id = await server.bidding([ann, bob])
        early, both = bob.watch(game_id), eve.play()
        await early.next("snapshot")
        await both.send(watch={"game_id": game_id})
        await both.next("snapshot")
        over = (await ann.ask("Forfeit", game_id=game_id)).result.version
        late = eve.watch(game_id)
        await late.next("snapshot")

        rematch_id = (await ann.ask("CreateRematch", game_id=game_id)).game.view.game_id
        told = [await stream.next("rematch") for stream in (early, both, late)]
        resumed = await eve.watch(game_id, after_version=over).next("rematch")

        assert {(one.game_id, one.rematch_id) for one in (*told, resumed)} == {(game_id, rematch_id)}
        assert (await eve.ask("GetGame", game_id=rematch_id)).game.rematch_of == game_id
        assert (await eve.watch(game_id).next("snapshot")).rematch_id == rematch_id

    on_server(story)


def test_it_is_told_who_comes_and_who_goes() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.table([ann, bob])
        stream = ann.watch(game_id)
        assert list((await stream.next("snapshot")).connected) == [0]

        other = bob.watch(game_id)
        came = await stream.next("connection")
        assert list((await other.next("snapshot")).connected) == [0, 1]
        twice = bob.watch(game_id)
        await twice.next("snapshot")
        twice.call.cancel()
        other.call.cancel()
        went = await stream.next("connection")

        assert (came.seat, came.connected) == (1, True)
        assert (went.seat, went.connected) == (1, False)
        assert list((await ann.ask("GetGame", game_id=game_id)).game.connected) == [0]

    on_server(story)


def test_many_who_come_at_once_all_follow_the_same_live_game() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.table([ann, bob])
        for _ in range(5):
            streams = [player.watch(game_id) for player in (ann, bob) for _ in range(5)]
            await asyncio.gather(*(stream.next("snapshot") for stream in streams[1:]))
            streams[0].call.cancel()
            assert list((await ann.ask("GetGame", game_id=game_id)).game.connected) == [0, 1]
            for stream in streams:
                stream.call.cancel()

    on_server(story)


def test_a_stream_on_which_nothing_happens_gives_signs_of_life() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        game_id = await server.table([ann])
        stream, both = ann.watch(game_id), ann.play()
        await both.send(watch={"game_id": game_id})
        assert (await anext(stream)).HasField("snapshot")

        beat, other = await stream.next("heartbeat"), await both.next("heartbeat")

        assert beat.version == 2
        assert other.version == 0
        assert beat.at.seconds > 1_600_000_000

    on_server(story, QUICK)


def test_signs_of_life_are_never_further_apart_than_promised_whenever_something_else_came() -> None:
    promised = 0.4
    settings = Settings(sweep_seconds=0.05, grace_seconds=1.0, heartbeat_seconds=promised)

    async def story(server: Server) -> list[float]:
        ann, bob = await server.players(2)
        game_id = await server.table([ann])
        stream, came = ann.watch(game_id), []
        await anext(stream)
        came.append(time.monotonic())
        await asyncio.sleep(promised / 4)
        await bob.ask("JoinGame", game_id=game_id)  # Something comes between two heartbeats of a common clock.
        while len(came) < 6:
            await anext(stream)
            came.append(time.monotonic())
        return came

    came = on_server(story, settings)

    assert max(after - before for before, after in itertools.pairwise(came)) <= promised * 1.1


def test_whoever_reads_too_slowly_is_let_go_and_told_where_to_resume(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a small mailbox a game in which much happens at once is enough to be too slow."""
    monkeypatch.setattr(mailbox, "MAILBOX_MAX", 0)

    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.table([ann, bob])
        stream = ann.watch(game_id)
        with pytest.raises(Told, match="RESOURCE_EXHAUSTED WATCHER_TOO_SLOW") as caught:
            await stream.next("update")
        assert caught.value.metadata["version"] == "3"

        monkeypatch.setattr(mailbox, "MAILBOX_MAX", 256)
        await bob.ask("StartGame", game_id=game_id, opener=0)
        resumed = await ann.watch(game_id, after_version=3).next("update")
        assert resumed.events[0].version == 4

    on_server(story, own=True)


def test_a_server_that_goes_down_tells_streams_where_to_resume() -> None:
    """A call that follows several games has no version of its own: a client knows those of its games."""

    async def story(server: Server) -> None:
        ann = await server.player()
        game_id = await server.table([ann])
        stream, both = ann.watch(game_id), ann.play()
        await stream.next("snapshot")
        await both.send(watch={"game_id": game_id})
        await both.next("snapshot")
        await server.running.pulse.close()
        for going, metadata in ((stream, {"version": "2"}), (both, {})):
            with pytest.raises(Told, match="SERVER_DRAINING") as caught:
                await anext(going)
            assert caught.value.code is grpc.StatusCode.UNAVAILABLE
            assert caught.value.metadata == metadata
        with pytest.raises(Told, match="SERVER_DRAINING"):
            await anext(ann.watch(game_id, after_version=2))

    on_server(story, own=True)


def test_a_revoked_token_ends_its_streams_and_moves_nothing_on_them() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.bidding([ann, bob])
        stream, both, others = ann.watch(game_id), ann.play(), bob.watch(game_id)
        await stream.next("snapshot")
        await both.send(watch={"game_id": game_id})
        await both.next("snapshot")
        await others.next("snapshot")

        await ann.ask("RevokeToken", all=True)
        await both.send(place_bid={"request_id": "late", "game_id": game_id, "quantity": 1, "face": 2})

        for ended in (stream, both):
            with pytest.raises(Told) as told:
                await ended.next("result")
            assert told.value.reason == "TOKEN_INVALID"
        assert (await bob.ask("GetGame", game_id=game_id)).game.view.bids == []
        await others.next("heartbeat")

    on_server(story, QUICK)


def test_a_table_is_set_up_whole_even_if_its_owner_gives_up_meanwhile() -> None:
    async def story(server: Server) -> None:
        (ann,) = await server.players(1)
        for number in range(12):
            call = asyncio.create_task(ann.ask("CreateGame", rulebook="pirates", request_id=f"given-up-{number}"))
            await asyncio.sleep(0.001 * number**2)
            call.cancel()
            await asyncio.wait([call])
        await asyncio.sleep(0.5)  # What was given up may still begin.

        async def set_up() -> bool:
            games = (await ann.ask("ListGames", page_size=100, mine=True)).games
            return bool(games) and all(list(game.players) for game in games)

        async with asyncio.timeout(20):  # A table that is half set up for a moment is listed too.
            while not await set_up():  # noqa: ASYNC110 - it is asked
                await asyncio.sleep(0.1)

    on_server(story)
