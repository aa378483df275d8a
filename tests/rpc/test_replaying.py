"""Replays over the wire: they show what was played, and what players saw then."""

import asyncio
from typing import Any

import pytest
from liarsdice.v1 import game_pb2
from msgspec.structs import replace

from domain.events import AnyEvent, CupsLifted, DiceDealt
from domain.evolve import fold
from domain.history.record import encode_record
from domain.history.recording import record_of
from domain.history.replaying import odds_of
from domain.rulebooks import BOOKS
from domain.views import seen_by, view, view_of_all
from services.wire.translation import event_of, view_of
from tests.infra.postgres.databases import new_database
from tests.rpc.clients import Client
from tests.rpc.servers import Player, Server, Told, on_server
from tests.servers import SETTINGS, projected

EVERYTHING: dict[str, Any] = {"everything": {}}
SPECTATOR: dict[str, Any] = {"spectator": {}}


async def played(server: Server, rulebook: str, seats: int = 3, **table: Any) -> tuple[str, list[Client]]:
    """A whole game between clients, and a spectator who followed it."""
    players = await server.players(seats)
    game_id = await server.table(players, rulebook, **{"options": {"dice_each": 3}, **table})
    clients = [Client(player, game_id, seed) for seed, player in enumerate([*players, await server.player("Eve")])]
    following = [asyncio.create_task(client.play()) for client in clients]
    await players[0].ask("StartGame", game_id=game_id)
    await asyncio.gather(*following)
    return game_id, clients


def views_told(player: Player) -> dict[int, game_pb2.GameView]:
    """The views that a player was sent while a game was played, by version."""
    updates = [heard.message.update for heard in player.heard if hasattr(heard.message, "update")]
    return {update.version: update.game.view for update in updates if update.HasField("game")}


@pytest.mark.parametrize("rulebook", [book.id for book in BOOKS])
def test_through_the_eyes_of_each_seat_every_step_is_replayed_as_it_was_told_in_the_game(rulebook: str) -> None:
    async def story(server: Server) -> None:
        game_id, clients = await played(server, rulebook)
        await projected(server.running, game_id)
        eve = await server.player("Reader")
        for seat, client in enumerate(clients):
            viewer = seat if seat < 3 else None
            eyes = SPECTATOR if viewer is None else {"seat": viewer}
            told = views_told(client.player)
            assert len(told) > 10
            for version, seen in told.items():
                replayed = await eve.ask("GetStep", game_id=game_id, version=version, viewpoint=eyes)
                assert replayed.view == seen
                assert event_of(replayed.step.event) == client.events[version - 1]

    on_server(story)


@pytest.mark.parametrize("rulebook", [book.id for book in BOOKS])
def test_a_replay_on_a_stream_shows_at_every_step_what_the_core_shows_through_these_eyes(rulebook: str) -> None:
    async def story(server: Server) -> None:
        game_id, clients = await played(server, rulebook)
        events = await server.running.host.games.events(game_id)
        reader = clients[3].player
        for viewer in (0, 1, 2, None):
            eyes = SPECTATOR if viewer is None else {"seat": viewer}
            shown = await replayed(reader, game_id, eyes)
            assert [event_of(one.step.event) for one in shown] == [seen_by(event, viewer) for event in events]
            assert [view_of(one.view) for one in shown[10:]] == views_of(events, viewer)[10:]
        shown = await replayed(reader, game_id, EVERYTHING)
        assert [event_of(one.step.event) for one in shown] == list(events)
        states = [fold(events[:version]) for version in range(1, len(events) + 1)]
        assert [view_of(one.view) for one in shown] == [view_of_all(state) for state in states]

    on_server(story)


async def replayed(player: Player, game_id: str, eyes: dict[str, Any]) -> list[Any]:
    stream = await player.replay(game_id, viewpoint=eyes, wait_seconds_max=0, include_view=True)
    await stream.call.done_writing()
    return [answer.step async for answer in stream if answer.HasField("step")]


def views_of(events: tuple[AnyEvent, ...], viewer: int | None) -> list[Any]:
    return [view(fold(events[:version]), viewer) for version in range(1, len(events) + 1)]


@pytest.mark.parametrize("rulebook", [book.id for book in BOOKS])
def test_the_record_and_the_steps_of_a_game_are_those_of_the_core(rulebook: str) -> None:
    async def story(server: Server) -> None:
        game_id, clients = await played(server, rulebook)
        events = await server.running.host.games.events(game_id)
        await projected(server.running, game_id)
        reader = clients[3].player

        record = await reader.ask("GetRecord", game_id=game_id)
        listed = await reader.ask("ListSteps", game_id=game_id)

        assert record.final
        assert record.record == encode_record(record_of(events))
        assert listed.final
        assert [event_of(step.event) for step in listed.steps] == list(events)
        assert listed.last_version == len(events)
        for step, expected in zip(listed.steps, odds_of(events), strict=True):
            assert step.HasField("odds") == (expected is not None)
            assert len(step.digest) == 32
            if expected is not None:
                chances = {seat: chance for seat, chance in enumerate(expected.seats) if chance is not None}
                assert {one.seat: one.chance for one in step.odds.seats} == chances
                assert step.odds.public == expected.public

    on_server(story)


def test_steps_come_in_pages_and_each_step_can_be_looked_at_alone() -> None:
    async def story(server: Server) -> None:
        game_id, clients = await played(server, "single-hand", 2)
        reader = clients[2].player
        whole = await reader.ask("ListSteps", game_id=game_id)
        paged: list[Any] = []
        while not paged or paged[-1].version < whole.last_version:
            page = await reader.ask("ListSteps", game_id=game_id, after_version=len(paged), page_size=7)
            paged += page.steps

        assert paged == list(whole.steps)
        before = await reader.ask("GetStep", game_id=game_id, version=0)
        assert not before.HasField("view")
        assert not before.HasField("step")
        last = await reader.ask("GetStep", game_id=game_id)
        assert last.step == whole.steps[-1]
        assert last.view.phase == game_pb2.PHASE_ENDED
        for version in (-1, whole.last_version + 1, 2**62):
            with pytest.raises(Told) as told:
                await reader.ask("GetStep", game_id=game_id, version=version)
            assert told.value.reason == "NO_SUCH_STEP"
        for seat in (-1, 2):
            with pytest.raises(Told) as told:
                await reader.ask("GetStep", game_id=game_id, viewpoint={"seat": seat})
            assert told.value.reason == "NO_SUCH_SEAT"

    on_server(story)


def test_past_games_are_found_by_player_rulebook_result_and_time_page_by_page() -> None:
    async def story(server: Server) -> None:
        ids = [(await played(server, "single-hand", 2))[0] for _ in range(3)]
        ann = await server.player("Ann")
        running = await server.table([ann, await server.player("Bob")], "pirates")
        for game_id in ids:
            await projected(server.running, game_id)
        await projected(server.running, running, over=False)

        async def found(**games: Any) -> list[str]:
            return [game.game_id for game in (await ann.ask("ListPastGames", filter=games)).games]

        whole = (await ann.ask("ListPastGames")).games
        assert [game.game_id for game in whole] == [running, *reversed(ids)]
        assert whole[0].result == 1
        ended = whole[1]
        assert ended.result == 3
        assert ended.winner in (0, 1)
        assert [seat.name for seat in ended.seats] == ["Player 0", "Player 1"]
        assert ended.events == (await ann.ask("ListSteps", game_id=ended.game_id)).last_version
        assert await found(rulebook="pirates") == [running]
        assert await found(result=3) == [*reversed(ids)]
        assert await found(player_id=ann.player_id) == [running]
        assert await found(since=ended.created_at, until=whole[0].created_at) == [ids[2]]
        later = {"seconds": ended.created_at.seconds, "nanos": ended.created_at.nanos + 1}
        assert await found(since=later, until=whole[0].created_at) == []
        token = ""
        pages: list[Any] = []
        while not pages or token:
            page = await ann.ask("ListPastGames", page_size=1, page_token=token)
            token, pages = page.next_page_token, [*pages, *page.games]
        assert pages == list(whole)
        for wrong in (
            {"page_token": "x"},
            {"page_size": 101},
            {"filter": {"result": 9}},
            {"filter": {"player_id": "\0"}},
            {"filter": {"since": {"seconds": -1}}},
        ):
            with pytest.raises(Told) as told:
                await ann.ask("ListPastGames", **wrong)
            assert told.value.reason == "FIELD_INVALID"

    on_server(story, url=new_database())


def test_a_private_game_is_replayed_only_for_those_who_have_to_do_with_it() -> None:
    async def story(server: Server) -> None:
        game_id, clients = await played_privately(server)
        stranger, auditor = await server.player("Eve"), await server.player("Judge", scopes=("player", "auditor"))
        requests = [("GetRecord", {}), ("ListSteps", {}), ("GetStep", {"version": 1})]
        for method, fields in requests:
            for reader in (clients[0].player, auditor):
                assert await reader.ask(method, game_id=game_id, **fields)
            with pytest.raises(Told) as told:
                await stranger.ask(method, game_id=game_id, **fields)
            assert told.value.reason == "GAME_PRIVATE"
        with pytest.raises(Told) as told:
            await anext(await stranger.replay(game_id))
        assert told.value.reason == "GAME_PRIVATE"
        await projected(server.running, game_id)
        assert game_id not in await listed_and_exported(stranger)
        assert game_id in await listed_and_exported(clients[0].player)

    on_server(story)


async def played_privately(server: Server) -> tuple[str, list[Client]]:
    players = await server.players(2)
    game_id = await server.table(players, "single-hand", private=True)
    clients = [Client(player, game_id, seed) for seed, player in enumerate(players)]
    following = [asyncio.create_task(client.play()) for client in clients]
    await players[0].ask("StartGame", game_id=game_id)
    await asyncio.gather(*following)
    return game_id, clients


async def listed_and_exported(reader: Player) -> str:
    """Everything that names games, as one text."""
    exported = [record async for answer in reader.export() for record in answer.records]
    return str(await reader.ask("ListPastGames", page_size=100)) + b"\n".join(exported).decode()


def test_a_table_with_a_delay_is_replayed_that_late_for_others_and_at_once_for_its_players() -> None:
    async def story(server: Server) -> None:
        ann, bob, eve = await server.players(3)
        now = 1_900_000_000_000
        server.running.host.now = lambda: now
        game_id = await server.bidding([ann, bob], spectator_delay_seconds=60)
        begun = (await ann.ask("ListSteps", game_id=game_id)).last_version
        now += 30_000
        await ann.ask("Forfeit", game_id=game_id)
        await projected(server.running, game_id)

        late = await eve.ask("ListSteps", game_id=game_id)
        assert [step.event.WhichOneof("event") for step in late.steps] == ["game_created"] + ["player_joined"] * 2
        assert not late.rounds
        assert not late.final
        assert (await ann.ask("ListSteps", game_id=game_id)).final
        with pytest.raises(Told):
            await eve.ask("GetStep", game_id=game_id, version=4)
        now += 40_000
        later = await eve.ask("ListSteps", game_id=game_id)
        assert later.last_version == begun
        assert not [step for step in later.steps if any(hand.dice for hand in step.event.dice_dealt.hands)]
        assert game_id not in await exported(eve)
        assert game_id in await exported(bob)
        now += 30_000
        await server.running.logbook.caught_up(5)  # Steps also name the leaves of their rounds.
        whole = await eve.ask("ListSteps", game_id=game_id)
        assert whole == await ann.ask("ListSteps", game_id=game_id)
        assert [step for step in whole.steps if any(hand.dice for hand in step.event.dice_dealt.hands)]
        assert game_id in await exported(eve)

    on_server(story, own=True)


async def exported(reader: Player) -> str:
    return b"\n".join([record async for answer in reader.export() for record in answer.records]).decode()


def test_of_the_round_that_goes_on_each_seat_is_shown_its_own_dice_alone() -> None:
    async def story(server: Server) -> None:
        ann, bob, eve = await server.players(3)
        game_id = await server.bidding([ann, bob])
        await ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2)
        for reader, own in ((ann, 0), (bob, 1), (eve, None)):
            for eyes in ({"seat": 0}, {"seat": 1}, SPECTATOR, EVERYTHING):
                seen = await reader.ask("GetStep", game_id=game_id, viewpoint=eyes)
                open_to = own if eyes == EVERYTHING or eyes.get("seat") == own else None
                assert [seat.seat for seat in seen.view.seats if seat.hidden.dice] == ([] if open_to is None else [own])
                assert [one.seat for one in seen.step.odds.seats] == ([] if open_to is None else [own])
                assert seen.view.moves.challenge == (eyes == {"seat": 1})
            listed = await reader.ask("ListSteps", game_id=game_id)
            (dealt,) = [step.event.dice_dealt for step in listed.steps if step.event.HasField("dice_dealt")]
            assert [seat for seat, hand in enumerate(dealt.hands) if hand.dice] == ([] if own is None else [own])
            assert not dealt.server_link
            assert not listed.final
            assert [(one.number, one.HasField("last_version")) for one in listed.rounds] == [(1, False)]
        await bob.ask("Challenge", game_id=game_id)
        lifted = await eve.ask("ListSteps", game_id=game_id)
        events = [event_of(step.event) for step in lifted.steps]
        first = next(event for event in events if isinstance(event, DiceDealt))
        reveal = next(event for event in events if isinstance(event, CupsLifted))
        assert first.hands == reveal.dice
        assert first.server_link == reveal.deals[0].server_link
        # The server may have rolled for the next round by now; those dice are hidden again.
        dealt_since = [event for event in events[events.index(reveal) :] if isinstance(event, DiceDealt)]
        assert all(hand is None for event in dealt_since for hand in event.hands or ())

    on_server(story)


def test_rounds_tell_their_steps_their_leaf_and_who_disputes_them() -> None:
    async def story(server: Server) -> None:
        game_id, clients = await played(server, "single-hand", 2)
        ann, eve = clients[0].player, clients[2].player
        await ann.ask("OpenDispute", game_id=game_id, round=1, reason="Those were sixes.")
        await server.running.logbook.caught_up(10)
        listed = await eve.ask("ListSteps", game_id=game_id)

        kinds = {step.version: step.event.WhichOneof("event") for step in listed.steps}
        assert len(listed.rounds) == record_rounds(await server.running.host.games.events(game_id))
        for played_round in listed.rounds:
            assert kinds[played_round.first_version] == "round_started"
            assert kinds[played_round.last_version] == "round_ended"
            (found,) = await leaf(server, game_id, played_round.number)
            assert played_round.leaf_index == found
        assert [(one.seat, one.stands, one.closed) for one in listed.rounds[0].disputes] == [(0, True, False)]
        assert not [one for one in listed.rounds[1:] if one.disputes]

    on_server(story)


def record_rounds(events: tuple[AnyEvent, ...]) -> int:
    return len(record_of(events).rounds)


async def leaf(server: Server, game_id: str, number: int) -> list[int]:
    found = await server.running.logbook.log.find(game_id, number)
    return [] if found is None else [found[0]]


def test_looking_back_needs_no_token_but_a_token_that_is_sent_must_be_worth_something() -> None:
    async def story(server: Server) -> None:
        nobody, liar = server.stranger, Player(server.channel, "ldt_made-up")
        for reader, reason in ((nobody, "NO_SUCH_GAME"), (liar, "TOKEN_INVALID")):
            for method in ("GetRecord", "ListSteps", "GetStep"):
                with pytest.raises(Told) as told:
                    await reader.ask(method, game_id="nothing")
                assert told.value.reason == reason
            with pytest.raises(Told) as told:
                await anext(await reader.replay("nothing"))
            assert told.value.reason == reason

    on_server(story)


def test_who_has_no_token_sees_what_a_spectator_sees() -> None:
    async def story(server: Server) -> None:
        private_id, _ = await played_privately(server)
        game_id, _ = await played(server, "single-hand", 2)
        await projected(server.running, private_id)
        await projected(server.running, game_id)
        await server.running.logbook.caught_up(10)  # Until then steps tell less about proofs.
        nobody, eve = server.stranger, await server.player("Eve")
        for reader in (nobody, eve):
            for method in ("GetRecord", "ListSteps", "GetStep"):
                await reader.ask(method, game_id=game_id)
            stream = await reader.replay(game_id, wait_seconds_max=0)
            await stream.call.done_writing()
            assert [answer async for answer in stream]
            with pytest.raises(Told) as told:
                await reader.ask("GetRecord", game_id=private_id)
            assert told.value.reason == "GAME_PRIVATE"

        assert [one.raw for one in nobody.heard] == [one.raw for one in eve.heard]
        assert private_id not in await listed_and_exported(nobody)
        assert game_id in await listed_and_exported(nobody)

    on_server(story)


def test_the_rate_of_those_without_a_token_is_limited_by_their_address() -> None:
    async def story(server: Server) -> None:
        calls = [server.stranger.ask("ListPastGames") for _ in range(20)]
        answers = await asyncio.gather(*calls, return_exceptions=True)

        refused = [answer.reason for answer in answers if isinstance(answer, Told)]
        assert set(refused) == {"TOO_FAST"}
        assert 0 < len(refused) < 20

    on_server(story, replace(SETTINGS, address_rate=2.0))
