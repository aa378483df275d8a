"""Spectators of a table with a delay: they see everything that much later, and learn nothing in any other way."""

import asyncio

import pytest
from liarsdice.v1 import game_pb2

from tests.rpc.servers import Server, Told, on_server


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
        assert rematch_id != server.running.host.marks.game_id(game_id, "rematch")
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
