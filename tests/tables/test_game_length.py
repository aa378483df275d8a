"""A game that goes on and on is ended by the server, by the rule for abandoned games; no honest game is that long."""

from typing import Any

import pytest
from liarsdice.v1 import game_pb2

from domain.commands import PlaceBid
from domain.evolve import fold
from domain.options import Options
from domain.state import Bidding, Ended
from domain.values import Bid
from services.simulation.memory_table import MemoryTable
from services.simulation.simulation import Setup, play_game
from services.tables import game_length
from services.tables.game_length import decided, events_max
from services.verifier import verify
from tests.rpc.servers import Server, Told, on_server

LIMIT = 40


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games may have only so many events as a test can make."""
    monkeypatch.setattr(game_length, "EVENTS_MIN", LIMIT)
    monkeypatch.setattr(game_length, "EVENTS_PER_DIE", 0)
    monkeypatch.setattr(game_length, "GATHERING_EVENTS_MAX", LIMIT // 2)


def bidding(players: int = 2) -> MemoryTable:
    """A game with one die each in which nobody has bid."""
    table = play_game(Setup("single-hand", Options(dice_each=1), players), 1, 0)
    first = next(number for number, command in enumerate(table.commands) if isinstance(command, PlaceBid))
    fresh = MemoryTable(table.game_id, "single-hand", Options(dice_each=1), table.seeds)
    for command in table.commands[1:first]:
        fresh.submit(command)
    return fresh


def test_players_who_only_raise_come_to_the_limit_and_the_game_is_abandoned_there() -> None:
    table = bidding()
    state, version = table.state, len(table.events)
    assert isinstance(state, Bidding)
    limit = events_max(state.table)

    while isinstance(state, Bidding):
        bid: Bid = min(state.round_rules.lowest_bids(state.standing_bid), key=lambda bid: (bid.quantity, bid.face))
        command = PlaceBid(at=5, seat=state.turn, quantity=bid.quantity, face=bid.face)
        events = decided(command, state, version)
        state, version = fold(events, state), version + len(events)

    assert limit == 1_200
    assert limit <= version < limit + 5
    assert isinstance(state, Ended)
    assert state.abandoned == "it reached the limit of 1200 events"


@pytest.mark.parametrize("bots", ["cautious", "bluffing"])
def test_the_longest_games_of_bots_stay_far_below_the_limit(bots: str) -> None:
    table = play_game(Setup("single-hand", Options(dice_each=3), 20, (bots,)), 1, 0)

    assert 3 * len(table.events) < events_max(table.state.table)  # type: ignore[union-attr]  # the game is over


@pytest.mark.usefixtures("short")
def test_a_game_at_its_limit_is_over_for_everybody_and_its_proof_holds() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.bidding([ann, bob])
        told: Any = None
        for number in range(2 * LIMIT):
            try:
                await (ann, bob)[number % 2].ask("PlaceBid", game_id=game_id, quantity=number + 1, face=2)
            except Told as refused:
                told = refused
                break
        game = (await ann.ask("GetGame", game_id=game_id)).game
        audit = await ann.ask("GetAudit", game_id=game_id)

        assert told is not None
        assert told.reason == "GAME_OVER"
        assert game.view.phase == game_pb2.PHASE_ENDED
        assert game.view.abandoned == f"it reached the limit of {LIMIT} events"
        assert LIMIT <= game.version < LIMIT + 5
        assert verify(audit.bundle).abandoned == game.view.abandoned
        assert (await ann.ask("CreateRematch", game_id=game_id)).game.view.phase == game_pb2.PHASE_GATHERING

    on_server(story)


def test_a_longer_game_of_before_stays_readable_and_its_next_move_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id, over = await server.bidding([ann, bob]), await server.bidding([ann, bob])
        for number in range(30):
            for longer in (game_id, over):
                await (ann, bob)[number % 2].ask("PlaceBid", game_id=longer, quantity=number + 1, face=2)
        await ann.ask("Forfeit", game_id=over)
        monkeypatch.setattr(game_length, "EVENTS_MIN", 20)
        monkeypatch.setattr(game_length, "EVENTS_PER_DIE", 0)

        before = (await ann.ask("GetGame", game_id=game_id)).game
        with pytest.raises(Told, match="FAILED_PRECONDITION PAST_TOO_LONG: A practice game may begin with 20 events"):
            await ann.ask("ForkGame", game_id=over, version=30, seat=0)
        fork = (await ann.ask("ForkGame", game_id=over, version=12, seat=0)).game
        await ann.ask("PlaceBid", game_id=game_id, quantity=31, face=2)
        after = (await ann.ask("GetGame", game_id=game_id)).game

        assert before.view.phase == game_pb2.PHASE_BIDDING
        assert after.view.abandoned == "it reached the limit of 20 events"
        assert fork.forked_version == 12
        assert verify((await ann.ask("GetAudit", game_id=over)).bundle).places

    on_server(story)


@pytest.mark.usefixtures("short")
def test_where_players_come_and_go_without_end_nobody_joins_any_more_and_the_game_can_start() -> None:
    async def story(server: Server) -> None:
        ann, bob, eve = await server.players(3)
        game_id = await server.table([ann, bob])
        while (await ann.ask("GetGame", game_id=game_id)).game.version < LIMIT // 2:
            await eve.ask("JoinGame", game_id=game_id)
            await eve.ask("LeaveGame", game_id=game_id)
        with pytest.raises(Told, match="FAILED_PRECONDITION TOO_MANY_CAME_AND_WENT") as told:
            await eve.ask("JoinGame", game_id=game_id)
        with pytest.raises(Told, match="TOO_MANY_CAME_AND_WENT"):
            await ann.ask("AddBot", game_id=game_id)
        await ann.ask("StartGame", game_id=game_id, opener=0)

        assert told.value.metadata["limit"] == str(LIMIT // 2)
        assert (await ann.ask("GetGame", game_id=game_id)).game.version >= LIMIT // 2

    on_server(story)
