"""The Play call: many commands and games on one stream."""

import asyncio
import logging
from typing import Any

import grpc
import pytest

from domain.fairness.chain import make_chain
from services.app.settings import Settings
from services.rpc.services.play_stream import COMMANDS_AT_ONCE_MAX, GAMES_MAX
from tests.rpc.servers import Server, Told, on_server, request


def command(method: str, **fields: Any) -> Any:
    return request(method, **fields)


def test_a_round_can_be_played_on_one_call_that_also_tells_what_happens() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.table([ann, bob])
        stream = ann.play()
        await stream.send(watch={"game_id": game_id})
        assert (await stream.next("snapshot")).view.game_id == game_id

        await stream.send(start_game=command("StartGame", game_id=game_id, request_id="go", opener=0))
        started = await stream.next("result")
        await ann.sees(game_id, lambda game: 0 in game.view.waiting and game.view.moves.lowest_bids)
        await stream.send(place_bid=command("PlaceBid", game_id=game_id, quantity=1, face=2, request_id="bid"))
        bid = await stream.next("result")
        await stream.send(challenge=command("Challenge", game_id=game_id, request_id="doubt"))
        refused = await stream.next("refused")
        await stream.call.done_writing()
        rest = [answer async for answer in stream]

        assert (started.request_id, bid.request_id) == ("go", "bid")
        assert (refused.request_id, refused.reason, refused.game_id) == ("doubt", "NOT_YOUR_TURN", game_id)
        assert refused.code == grpc.StatusCode.FAILED_PRECONDITION.value[0]
        assert refused.metadata["turn"] == "1"
        assert all(answer.HasField("update") or answer.HasField("connection") for answer in rest)

    on_server(story)


def test_commands_of_one_game_are_carried_out_in_the_order_they_came_in() -> None:
    """The roll has to look for a chain and the bid has not; still the bid waits for it."""

    async def story(server: Server) -> None:
        for turn in range(5):
            ann, bob = await server.players(2)
            created = await ann.ask("CreateGame", rulebook="single-hand", without_seat=True)
            game_id, length = created.game.view.game_id, created.game.chain_length
            chain = make_chain(bytes([turn]) * 32, game_id, length)
            await ann.ask("JoinGame", game_id=game_id, anchor=chain.anchor)
            await bob.ask("JoinGame", game_id=game_id)
            await ann.ask("StartGame", game_id=game_id, opener=0)
            game = await ann.sees(game_id, lambda game: list(game.view.waiting) == [0])
            stream = ann.play()
            await stream.send(roll=command("Roll", game_id=game_id, link=chain.link(game.link_number)))
            await stream.send(place_bid=command("PlaceBid", game_id=game_id, quantity=1, face=2))
            await stream.call.done_writing()

            assert [answer.WhichOneof("response") async for answer in stream] == ["result", "result"]

    on_server(story)


def test_commands_that_come_too_fast_are_refused_and_the_others_keep_their_order(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Also when there are more of them than may be under way at once: those that are refused make room again."""
    count = 3 * COMMANDS_AT_ONCE_MAX

    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.bidding([ann, bob])
        stream = ann.play()
        for number in range(count):
            await stream.send(
                place_bid=command("PlaceBid", game_id=game_id, quantity=1, face=9, request_id=f"{number}")
            )
        await stream.call.done_writing()
        refused = [answer.refused async for answer in stream]

        assert [int(answer.request_id) for answer in refused] == list(range(count))
        assert {answer.reason for answer in refused} == {"FACE_OUT_OF_RANGE", "TOO_FAST"}

    with caplog.at_level(logging.WARNING):
        on_server(story, Settings(sweep_seconds=0.05, grace_seconds=1.0, player_rate=60))
    assert caplog.text == ""


def test_a_game_resumed_on_a_call_comes_in_order_while_it_goes_on() -> None:
    """What is missing has to be read; what happens meanwhile must not overtake it."""

    async def story(server: Server) -> None:
        players = await server.players(2)
        game_ids = [await server.bidding(players) for _ in range(4)]
        for game_id in game_ids:
            bidding = asyncio.create_task(raise_in_turn(players, game_id))
            for _ in range(6):
                stream = players[0].play()
                await stream.send(watch={"game_id": game_id, "after_version": 0})
                versions: list[int] = []
                while len(versions) < 20:
                    versions += [event.version for event in (await stream.next("update")).events]
                assert versions == list(range(1, len(versions) + 1))
                stream.call.cancel()
            await bidding

    on_server(story)


async def raise_in_turn(players: list[Any], game_id: str) -> None:
    for quantity in range(1, 11):
        for player in players:
            face = 2 + players.index(player)
            await player.ask("PlaceBid", game_id=game_id, quantity=quantity, face=face)


def test_a_game_resumed_after_the_version_of_an_answer_does_not_tell_that_answer_again() -> None:
    """The stream of others may be a moment behind the answer to a command; whoever resumes must not notice."""

    async def story(server: Server) -> None:
        players = await server.players(2)
        game_id = await server.bidding(players)
        follower = players[1].watch(game_id)
        await follower.next("snapshot")
        streams: list[tuple[int, Any]] = []
        for quantity in range(1, 11):
            for face, player in enumerate(players, 2):
                version = (await player.ask("PlaceBid", game_id=game_id, quantity=quantity, face=face)).result.version
                streams.append((version, player.watch(game_id, after_version=version)))
        await players[0].ask("Challenge", game_id=game_id)

        for version, stream in streams:
            assert (await stream.next("update")).events[0].version == version + 1

    on_server(story)


def test_a_wish_to_watch_that_makes_no_sense_is_refused_and_the_call_goes_on() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        game_id = await server.table([ann])
        stream = ann.play()
        wishes: list[dict[str, Any]] = [
            {},
            {"watch": {"game_id": "nothing-here"}},
            {"watch": {"game_id": "no id!"}},
            {"unwatch": {"game_id": game_id}},
            {"watch": {"game_id": game_id, "after_version": 99}},
            {"watch": {"game_id": game_id}},
            {"watch": {"game_id": game_id}},
        ]
        for wish in wishes:
            await stream.send(**wish)
        reasons = [(await stream.next("refused")).reason for _ in range(6)]

        assert reasons == [
            "FIELD_INVALID",
            "NO_SUCH_GAME",
            "FIELD_INVALID",
            "NOT_WATCHED",
            "VERSION_AHEAD",
            "ALREADY_WATCHED",
        ]
        await stream.send(unwatch={"game_id": game_id})
        await stream.send(watch={"game_id": game_id})
        assert (await stream.next("snapshot")).view.game_id == game_id

    on_server(story)


def test_a_call_follows_a_limited_number_of_games() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        stream = ann.play()
        for _ in range(GAMES_MAX + 1):
            await stream.send(watch={"game_id": await server.table([ann])})
        refused = await stream.next("refused")
        assert (refused.reason, refused.metadata["limit"]) == ("TOO_MANY", str(GAMES_MAX))

    on_server(story)


def test_bytes_that_are_no_request_end_the_call_with_a_reason() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        stream = ann.play()
        await stream.call.write(b"\xff\xff\xff")
        with pytest.raises(Told, match="INVALID_ARGUMENT MALFORMED"):
            await anext(stream)

    on_server(story)


def test_without_a_token_there_is_no_call() -> None:
    async def story(server: Server) -> None:
        stream = server.stranger.play()
        with pytest.raises(Told, match="TOKEN_MISSING"):
            await anext(stream)

    on_server(story)


def test_who_asks_for_batches_is_told_the_same_in_fewer_messages() -> None:
    """Commands of many games are stored together, so their answers come together; without asking nobody gets a batch."""

    async def heard(server: Server, *, batches: bool) -> tuple[list[str], list[int]]:
        ann, bob = await server.players(2)
        games = [await server.bidding([ann, bob]) for _ in range(12)]
        stream = ann.play()
        if batches:
            await stream.send(options={"batches": True})
        for number, game_id in enumerate(games):
            bid = command("PlaceBid", game_id=game_id, quantity=number % 2, face=2, request_id=f"bid-{number}")
            await stream.send(place_bid=bid)
        await stream.call.done_writing()
        messages = [message async for message in stream]
        each = [message.batch.responses if message.HasField("batch") else [message] for message in messages]
        told = [
            f"{kind} {getattr(response, kind).request_id}"
            for responses in each
            for response in responses
            if (kind := response.WhichOneof("response"))
        ]
        return told, [len(responses) for responses in each]

    async def story(server: Server) -> None:
        plain, plain_sizes = await heard(server, batches=False)
        batched, sizes = await heard(server, batches=True)
        assert set(plain_sizes) == {1}
        assert max(sizes) > 1
        assert sorted(plain) == sorted(batched)
        assert len(plain) == 12
        assert {answer.split()[0] for answer in plain} == {"result", "refused"}

    on_server(story)
