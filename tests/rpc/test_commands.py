"""Commands over the wire: each is done once, for the version it was made for, and refused with a reason."""

import asyncio
from base64 import b64encode
from typing import Any

import grpc
import pytest
from liarsdice.v1 import game_pb2

from domain.fairness.chain import make_chain
from tests.infra.postgres.databases import new_database
from tests.rpc.servers import METHODS, Player, Server, Told, on_server, server


async def refusal(call: Any) -> Told:
    """What a call was refused with."""
    with pytest.raises(Told) as caught:
        await call
    return caught.value


def test_of_two_who_race_for_the_same_turn_one_wins_and_the_other_is_told_why_not() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.bidding([ann, bob])
        version = (await ann.ask("GetGame", game_id=game_id)).game.version
        twin = Player(server.channel, ann.token, ann.player_id)

        outcomes = await asyncio.gather(
            ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2, expected_version=version),
            twin.ask("PlaceBid", game_id=game_id, quantity=1, face=3, expected_version=version),
            return_exceptions=True,
        )

        refused = [outcome for outcome in outcomes if isinstance(outcome, Told)]
        assert [(told.code, told.reason) for told in refused] == [(grpc.StatusCode.ABORTED, "VERSION_MOVED")]
        assert len((await ann.ask("GetGame", game_id=game_id)).game.view.bids) == 1

    on_server(story)


def test_without_a_version_the_loser_of_a_race_is_told_whose_turn_it_is() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.bidding([ann, bob])

        outcomes = await asyncio.gather(
            *(ann.ask("PlaceBid", game_id=game_id, quantity=1, face=face) for face in (2, 3)), return_exceptions=True
        )

        (told,) = [outcome for outcome in outcomes if isinstance(outcome, Told)]
        assert (told.code, told.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "NOT_YOUR_TURN")
        assert told.metadata == {"turn": "1", "seat": "0", "clauses": "SH-5"}

    on_server(story)


def test_a_command_for_another_version_changes_nothing_and_is_told_the_current_one() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.bidding([ann, bob])
        before = (await ann.ask("GetGame", game_id=game_id)).game

        told = {
            expected: await refusal(ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2, expected_version=expected))
            for expected in (before.version - 1, before.version + 1, 2**63 - 1, 0, -1)
        }

        moved, *ahead, none, negative = told.values()
        assert (moved.code, moved.reason) == (grpc.StatusCode.ABORTED, "VERSION_MOVED")
        assert {(one.code, one.reason) for one in ahead} == {(grpc.StatusCode.INVALID_ARGUMENT, "VERSION_AHEAD")}
        assert {one.metadata["version"] for one in (moved, *ahead)} == {str(before.version)}
        assert {(one.reason, one.field) for one in (none, negative)} == {("FIELD_INVALID", "expected_version")}
        assert {one.field for one in ahead} == {"expected_version"}
        assert (await ann.ask("GetGame", game_id=game_id)).game == before

    on_server(story)


@pytest.mark.parametrize("move", ["Roll", "PlaceBid"])
def test_a_link_for_a_seat_whose_chain_the_server_keeps_is_refused_and_not_ignored(move: str) -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.bidding([ann, bob], "bidding-track")
        fields: dict[str, Any] = {"link": b"l" * 32}
        if move == "PlaceBid":
            fields = {"quantity": 1, "face": 2, "reroll": {"shown": [1], "link": b"l" * 32}}

        told = await refusal(ann.ask(move, game_id=game_id, **fields))

        assert (told.code, told.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "LINK_UNEXPECTED")
        assert told.field == ("link" if move == "Roll" else "reroll.link")
        assert "send the move without a link" in told.message

    on_server(story)


def test_a_wrong_link_is_told_which_one_was_sent_and_which_one_is_due() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        created = (await bob.ask("CreateGame", rulebook="single-hand", without_seat=True, seats_max=2)).game
        game_id = created.view.game_id
        chain = make_chain(b"s" * 32, game_id, created.chain_length)
        await ann.ask("JoinGame", game_id=game_id, anchor=chain.anchor)
        await bob.ask("JoinGame", game_id=game_id)
        await bob.ask("StartGame", game_id=game_id, opener=0)
        await ann.sees(game_id, lambda game: game.view.moves.roll)

        wrong = {
            chain.link(2): "is its link 2",
            chain.anchor: "is its link 0",
            b"short": "has 5 bytes, and a link has 32",
            b"x" * 32: f"hashed 1 times for this game, it must give {b64encode(chain.anchor).decode()} (base64)",
        }
        for link, problem in wrong.items():
            told = await refusal(ann.ask("Roll", game_id=game_id, link=link))
            assert told.reason == "LINK_INVALID"
            assert told.metadata["number"] == "1"
            assert problem in told.message
            assert problem in told.metadata["problem"]

    on_server(story)


def test_the_same_request_gets_the_same_answer_also_from_another_server_on_the_same_store() -> None:
    url = new_database()

    async def story() -> None:
        async with server(url) as first:
            ann, bob = await first.players(2)
            game_id = await first.bidding([ann, bob])
            bid = {"game_id": game_id, "quantity": 1, "face": 2, "request_id": "bid"}
            answer = await ann.ask("PlaceBid", **bid)
            again = await ann.ask("PlaceBid", **bid)
            await bob.ask("Challenge", game_id=game_id)
        async with server(url) as second:
            ann = Player(second.channel, ann.token)
            later = await ann.ask("PlaceBid", **bid)

        assert not answer.result.repeated_answer
        for repeated in (again, later):
            assert repeated.result.repeated_answer
            assert repeated.result.version == answer.result.version
            assert list(repeated.result.events) == list(answer.result.events)

    asyncio.run(story())


def test_creating_and_joining_again_with_the_same_request_gives_the_same_table_and_the_same_seat() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)

        tables = [await ann.ask("CreateGame", rulebook="pirates", request_id="mine") for _ in range(2)]
        game_id = tables[0].game.view.game_id
        seats = [(await bob.ask("JoinGame", game_id=game_id, request_id="seat")).seat for _ in range(2)]

        assert [table.game.view.game_id for table in tables] == [game_id, game_id]
        assert seats == [1, 1]
        assert len((await ann.ask("GetGame", game_id=game_id)).game.view.seats) == 2

    on_server(story)


def test_a_request_to_join_that_comes_again_after_leaving_gets_its_old_answer_and_no_seat() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.table([ann])
        await bob.ask("JoinGame", game_id=game_id, request_id="seat")
        await bob.ask("LeaveGame", game_id=game_id)

        again = await bob.ask("JoinGame", game_id=game_id, request_id="seat")

        assert again.seat == 1
        assert len(again.game.view.seats) == 1

    on_server(story)


def test_a_bot_that_is_asked_for_again_with_the_same_request_comes_once() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        game_id = await server.table([ann])

        answers = [await ann.ask("AddBot", game_id=game_id, request_id="bot", strategy="bluffing") for _ in range(2)]

        assert [answer.seat for answer in answers] == [1, 1]
        assert [answer.result.repeated_answer for answer in answers] == [False, True]
        assert len((await ann.ask("GetGame", game_id=game_id)).game.view.seats) == 2

    on_server(story)


COMMANDS = {
    method
    for method, (path, described) in METHODS.items()
    if "GameService" in path and {"game_id", "request_id"} <= {*described.input_type.fields_by_name}
}


def test_a_request_id_does_not_stand_for_another_command_whose_bytes_are_the_same() -> None:
    """Requests that say nothing but the game and the id look alike, whatever they ask for."""

    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.table([ann, bob])
        await ann.ask("StartGame", game_id=game_id, request_id="same")
        before = await ann.sees(game_id, lambda game: game.view.phase == game_pb2.PHASE_BIDDING)

        told = {
            method: (await refusal(ann.ask(method, game_id=game_id, request_id="same"))).reason
            for method in COMMANDS - {"StartGame"}
        }

        assert told.pop("ForkGame") == "GAME_STILL_RUNNING"
        assert told.pop("AbandonGame") == "SCOPE_MISSING"
        assert set(told.values()) == {"REQUEST_ID_REUSED"}
        assert (await ann.ask("StartGame", game_id=game_id, request_id="same")).result.repeated_answer
        assert (await ann.ask("GetGame", game_id=game_id)).game.version == before.version

    on_server(story)


def test_a_request_id_that_was_used_for_something_else_is_refused_and_nothing_happens() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.table([ann, bob])
        await ann.ask("AddBot", game_id=game_id, request_id="same", strategy="bluffing")

        others: list[tuple[str, dict[str, Any]]] = [
            ("AddBot", {"strategy": "cautious"}),
            ("StartGame", {}),
            ("LeaveGame", {}),
            ("JoinGame", {}),
        ]
        for method, fields in others:
            told = await refusal(ann.ask(method, game_id=game_id, request_id="same", **fields))
            assert (told.code, told.reason) == (grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED")
            assert told.metadata == {"request_id": "same"}
        await bob.ask("LeaveGame", game_id=game_id, request_id="same")

        assert len((await ann.ask("GetGame", game_id=game_id)).game.view.seats) == 2

    on_server(story)


def test_what_is_refused_before_the_start_leaves_nothing_behind_at_the_table() -> None:
    """A chain that the server would keep for a seat is not stored for one who gets none."""

    async def story(server: Server) -> None:
        ann, bob, cleo = await server.players(3)
        game_id = await server.table([ann, bob], seats_max=2)
        before = (await server.running.host.tables.load(game_id)).version

        reasons = [
            (await refusal(cleo.ask("JoinGame", game_id=game_id))).reason,
            (await refusal(ann.ask("AddBot", game_id=game_id))).reason,
            (await refusal(ann.ask("AddBot", game_id=game_id, expected_version=1))).reason,
            (await refusal(ann.ask("AddBot", game_id=game_id, strategy="reckless"))).reason,
        ]

        assert reasons == ["TABLE_FULL", "TABLE_FULL", "VERSION_MOVED", "NO_SUCH_STRATEGY"]
        assert (await server.running.host.tables.with_chain(game_id, "nobody")).version == before

    on_server(story)


def test_only_those_at_the_table_may_run_it_and_only_an_operator_may_abandon_a_game() -> None:
    async def story(server: Server) -> None:
        ann, bob, eve = await server.players(3)
        admin = await server.player("Root", scopes=("player", "admin"))
        game_id = await server.table([ann, bob])

        assert (await refusal(eve.ask("StartGame", game_id=game_id))).reason == "NOT_THE_OWNER"
        assert (await refusal(eve.ask("AddBot", game_id=game_id))).reason == "NOT_THE_OWNER"
        assert (await refusal(eve.ask("Roll", game_id=game_id))).reason == "NOT_SEATED"
        assert (await refusal(ann.ask("AbandonGame", game_id=game_id, reason="x"))).reason == "SCOPE_MISSING"
        await bob.ask("StartGame", game_id=game_id)
        await admin.ask("AbandonGame", game_id=game_id, reason="The power went out 🕯")
        game = (await ann.ask("GetGame", game_id=game_id)).game
        assert game.view.abandoned == "The power went out 🕯"

    on_server(story)


def test_a_refusal_tells_its_reason_its_field_and_every_value_that_its_sentence_mentions() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.bidding([ann, bob])

        told = await refusal(ann.ask("PlaceBid", game_id=game_id, quantity=1, face=9))

        assert (told.code, told.reason, told.field) == (grpc.StatusCode.INVALID_ARGUMENT, "FACE_OUT_OF_RANGE", "face")
        assert told.metadata["face"] == "9"
        assert told.status.code == told.code.value[0]
        assert told.status.message == told.message

    on_server(story)


@pytest.mark.parametrize(
    ("method", "fields"),
    [
        ("GetGame", {}),
        ("JoinGame", {}),
        ("WatchGame", {}),
        ("AddBot", {}),
        ("StartGame", {}),
        ("Roll", {}),
        ("PlaceBid", {"quantity": 1, "face": 1}),
        ("CreateRematch", {}),
    ],
)
def test_a_game_that_does_not_exist_is_not_found(method: str, fields: dict[str, Any]) -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        call = (
            anext(ann.watch("nothing-here"))
            if method == "WatchGame"
            else ann.ask(method, game_id="nothing-here", **fields)
        )
        told = await refusal(call)
        assert told.reason == "NO_SUCH_GAME"
        assert "mistyped" in told.message

    on_server(story)
