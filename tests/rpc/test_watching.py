"""Following a game: a snapshot first, then everything once and in order, as far as the viewer may see it."""

import asyncio
from typing import Any

import grpc
import pytest
from liarsdice.v1 import game_pb2

from services.hosting.ids import new_game_id
from services.rpc import broadcast
from services.serving import Settings
from services.wire import event_of, view_of
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
    async def first(server: Server) -> tuple[str, Any, int]:
        ann, bob = await server.players(2)
        game_id = await server.bidding([ann, bob])
        version = (await ann.watch(game_id).next("snapshot")).version
        await ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2)
        return game_id, ann, version

    game_id, ann, version = on_server(first)

    async def second(server: Server) -> Any:
        ann.channel = server.channel
        return await ann.watch(game_id, after_version=version).next("update")

    assert [event.WhichOneof("event") for event in on_server(second).events] == ["bid_placed"]


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


def test_spectators_of_a_table_with_a_delay_see_everything_that_much_later() -> None:
    async def story(server: Server) -> None:
        ann, bob, eve = await server.players(3)
        game_id = await server.table([ann, bob], spectator_delay_seconds=1)
        clock = asyncio.get_running_loop().time
        stream = eve.watch(game_id, include_game=True)
        assert (await stream.next("snapshot")).version == 3

        await ann.ask("StartGame", game_id=game_id, opener=0)
        began = clock()
        live = (await ann.ask("GetGame", game_id=game_id)).game.version
        seen = (await eve.ask("GetGame", game_id=game_id)).game.version
        update = await stream.next("update")

        assert seen == 3 < live
        assert 0.8 < clock() - began < 5
        assert update.version == update.game.version == 4

    on_server(story)


def test_whoever_gives_the_seat_back_does_not_go_on_watching_without_the_delay() -> None:
    async def story(server: Server) -> None:
        ann, bob, eve = await server.players(3)
        game_id = await server.table([ann, bob, eve], spectator_delay_seconds=3600)
        stream, both = eve.watch(game_id), eve.play()
        await stream.next("snapshot")
        await both.send(watch={"game_id": game_id})
        await both.next("snapshot")

        await eve.ask("LeaveGame", game_id=game_id)
        await ann.ask("StartGame", game_id=game_id, opener=0)

        left = [await told.next("update") for told in (stream, both)]
        again = eve.watch(game_id, after_version=left[0].version)

        assert [event.WhichOneof("event") for update in left for event in update.events] == ["player_left"] * 2
        for silent in (stream, both, again):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(silent.next("update"), 0.2)

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


@pytest.mark.parametrize("at_once", [True, False], ids=["before they see the end", "after it"])
def test_spectators_who_see_a_game_late_are_told_of_its_rematch_once_they_have_seen_its_end(*, at_once: bool) -> None:
    async def story(server: Server) -> None:
        ann, bob, eve = await server.players(3)
        game_id = await server.bidding([ann, bob], spectator_delay_seconds=1)
        watched, both = eve.watch(game_id, include_game=True), eve.play()
        await watched.next("snapshot")
        await both.send(watch={"game_id": game_id})
        await both.next("snapshot")
        over = (await ann.ask("Forfeit", game_id=game_id)).result.version
        if at_once:
            await ann.ask("CreateRematch", game_id=game_id)
        while (await watched.next("update")).version != over:
            pass
        assert not any("rematch" in str(heard.message) for heard in eve.heard)
        rematch_id = (await ann.ask("CreateRematch", game_id=game_id)).game.view.game_id

        told = [await stream.next("rematch") for stream in (watched, both)]
        resumed = await eve.watch(game_id, after_version=over).next("rematch")

        assert {(one.game_id, one.rematch_id) for one in (*told, resumed)} == {(game_id, rematch_id)}
        assert (await eve.watch(game_id).next("snapshot")).rematch_id == rematch_id

    on_server(story)


def test_spectators_who_see_a_game_late_do_not_learn_from_its_rematch_that_it_is_over() -> None:
    async def story(server: Server) -> None:
        ann, bob, eve = await server.players(3)
        game_id = await server.bidding([ann, bob], spectator_delay_seconds=1)
        await ann.ask("Forfeit", game_id=game_id)
        rematch_id = (await ann.ask("CreateRematch", game_id=game_id)).game.view.game_id
        stream = eve.watch(game_id, include_game=True)
        early = [(await eve.ask("GetGame", game_id=game_id)).game, await stream.next("snapshot")]
        while (game := (await stream.next("update")).game).view.phase != game_pb2.PHASE_ENDED:
            early.append(game)

        assert {game.rematch_id for game in early} == {""}
        assert (await eve.ask("GetGame", game_id=game_id)).game.rematch_id == game.rematch_id == rematch_id

    on_server(story)


def test_who_sits_elsewhere_does_not_learn_from_a_refusal_or_a_rematch_that_a_late_game_is_over() -> None:
    async def story(server: Server) -> None:
        ann, bob, eve, owner = await server.players(4)
        created = await owner.ask("CreateGame", rulebook="single-hand", without_seat=True, spectator_delay_seconds=2)
        game_id = created.game.view.game_id
        for player in (ann, bob):
            await player.ask("JoinGame", game_id=game_id)

        async def refusals() -> set[tuple[str, bytes]]:
            found = set()
            for player, method, fields in (
                (eve, "JoinGame", {}),
                (owner, "JoinGame", {}),
                (owner, "AddBot", {}),
                (owner, "AddBot", {"expected_version": 1}),
                (owner, "StartGame", {}),
                (owner, "StartGame", {"expected_version": 1}),
                (owner, "LeaveGame", {"bot_seat": 1, "expected_version": 1}),
            ):
                with pytest.raises(Told) as caught:
                    await player.ask(method, game_id=game_id, **fields)
                found.add((caught.value.reason, caught.value.raw))
            return found

        await owner.ask("StartGame", game_id=game_id, opener=0)
        running = await refusals()
        await ann.ask("Forfeit", game_id=game_id)
        rematch_id = (await ann.ask("CreateRematch", game_id=game_id)).game.view.game_id
        over = await refusals()
        await eve.ask("JoinGame", game_id=rematch_id)
        linked = [(await player.ask("GetGame", game_id=rematch_id)).game.rematch_of for player in (eve, owner)]
        linked.append((await eve.watch(rematch_id).next("snapshot")).rematch_of)
        past = [game.rematch_of for game in (await owner.ask("ListPastGames")).games if game.game_id == rematch_id]

        assert {reason for reason, _ in running} == {"GAME_ALREADY_STARTED"}
        assert over == running
        assert {*linked, *past} == {""}
        assert rematch_id != new_game_id(game_id, "rematch")
        await eve.sees(game_id, lambda game: game.view.phase == game_pb2.PHASE_ENDED)
        with pytest.raises(Told, match="GAME_OVER"):
            await eve.ask("JoinGame", game_id=game_id)
        while (await eve.ask("GetGame", game_id=rematch_id)).game.rematch_of != game_id:
            pass

    on_server(story)


def test_the_owner_of_a_table_with_a_delay_who_does_not_play_is_a_spectator_like_others() -> None:
    async def story(server: Server) -> None:
        owner, ann, bob = await server.players(3)
        created = await owner.ask("CreateGame", rulebook="single-hand", without_seat=True, spectator_delay_seconds=60)
        game_id = created.game.view.game_id
        for player in (ann, bob):
            await player.ask("JoinGame", game_id=game_id)
        start = {"game_id": game_id, "request_id": "go", "include_game": True, "opener": 0}
        started = await owner.ask("StartGame", **start)
        await ann.sees(game_id, lambda game: any(seat.hidden_count for seat in game.view.seats))

        again = await owner.ask("StartGame", **start)

        assert created.game.version == 1
        assert again.result.version == started.result.version
        assert started.result.game.version == again.result.game.version == 3

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


def test_whoever_reads_too_slowly_is_let_go_and_told_where_to_resume(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a small mailbox a game in which much happens at once is enough to be too slow."""
    monkeypatch.setattr(broadcast, "MAILBOX_MAX", 0)

    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.table([ann, bob])
        stream = ann.watch(game_id)
        with pytest.raises(Told, match="RESOURCE_EXHAUSTED WATCHER_TOO_SLOW") as caught:
            await stream.next("update")
        assert caught.value.metadata["version"] == "3"

        monkeypatch.setattr(broadcast, "MAILBOX_MAX", 256)
        await bob.ask("StartGame", game_id=game_id, opener=0)
        resumed = await ann.watch(game_id, after_version=3).next("update")
        assert resumed.events[0].version == 4

    on_server(story)


def test_a_server_that_goes_down_tells_streams_where_to_resume() -> None:
    """A call that follows several games has no version of its own: a client knows those of its games."""

    async def story(server: Server) -> None:
        ann = await server.player()
        game_id = await server.table([ann])
        stream, both = ann.watch(game_id), ann.play()
        await stream.next("snapshot")
        await both.send(watch={"game_id": game_id})
        await both.next("snapshot")
        await server.running.hub.close()
        for going, metadata in ((stream, {"version": "2"}), (both, {})):
            with pytest.raises(Told, match="SERVER_DRAINING") as caught:
                await anext(going)
            assert caught.value.code is grpc.StatusCode.UNAVAILABLE
            assert caught.value.metadata == metadata
        with pytest.raises(Told, match="SERVER_DRAINING"):
            await anext(ann.watch(game_id, after_version=2))

    on_server(story)


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
            await asyncio.sleep(0.001 * number)
            call.cancel()
            await asyncio.wait([call])
        await asyncio.sleep(0.5)

        games = (await ann.ask("ListGames", page_size=100)).games
        assert games
        assert all(list(game.players) for game in games)

    on_server(story)
