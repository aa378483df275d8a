"""A past game that goes on from one of its steps: the dice are the same, and all that follows from chains is new."""

from collections.abc import Sequence
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from domain.commands import Forfeit, JoinGame, LeaveGame, StartGame
from domain.deciding import decide
from domain.deciding.checks import Calling
from domain.events import (
    AnyEvent,
    BidChallenged,
    CupsLifted,
    DiceDealt,
    DiceRerolled,
    GameCreated,
    OpeningDiceRolled,
    PlayerForfeited,
    PlayerJoined,
    Rolled,
    RoundStarted,
    TurnTimedOut,
)
from domain.evolve import fold
from domain.fairness.chain import make_chain
from domain.fairness.verification import verify
from domain.history.forking import Substitute, forked, seats_of_joined
from domain.history.recording import record_of
from domain.options import Options
from domain.state import ChoosingOpener, Ended, Rolling
from domain.views import view
from services.simulation.memory_table import MemoryTable
from services.simulation.simulation import Setup, play_game, play_move, setups_of_all
from tests.made_tables import next_wait

SETUPS = setups_of_all()
NOW = 1_767_225_600_000
CHAINED = {
    GameCreated: ("game_id", "fairness"),
    PlayerJoined: ("player_id", "name", "kind", "anchor", "chain_held_by", "signing_key"),
    Rolled: ("link",),
    OpeningDiceRolled: ("server_link",),
    DiceDealt: ("server_link",),
    DiceRerolled: ("link", "server_link"),
    CupsLifted: ("deals",),
}
"""What becomes new in a fork, beside the times."""


class Forked(MemoryTable):
    """A table in memory at which the past of another one goes on."""

    def __init__(self, past: Sequence[AnyEvent], now: int = NOW) -> None:
        created, joined = past[0], [event for event in past if isinstance(event, PlayerJoined)]
        assert isinstance(created, GameCreated)
        waiting = fold(past)
        assert isinstance(waiting, Calling)
        chance, length = Random(len(past)), created.fairness.chain_length
        self._server = make_chain(chance.randbytes(32), "fork", length)
        people = [Substitute(f"p{number}", f"P {number}", "bot") for number in range(len(joined))]
        chains = {person.player_id: make_chain(chance.randbytes(32), "fork", length) for person in people}
        self.events = list(forked(past, people, self._server, chains, since=waiting.since, now=now))
        self.commands, self.milliseconds, self.state = [], now, fold(self.events)
        assert isinstance(self.state, Calling)
        self._chains = tuple(chains[player.player_id] for player in self.state.table.players)


def without_what_is_new(event: AnyEvent) -> dict[str, object]:
    """An event without its time and what becomes new in a fork."""
    fields = msgspec.structs.asdict(event)
    if isinstance(event, CupsLifted):
        fields["hands"] = [deal.hands for deal in event.deals]
    new = (*CHAINED.get(type(event), ()), "at")
    return {name: value for name, value in fields.items() if name not in new}


def links_of(events: Sequence[AnyEvent]) -> set[bytes]:
    """All anchors and links that events hold."""
    found: set[bytes | None] = set()
    for event in events:
        found |= {getattr(event, name, None) for name in ("link", "server_link", "anchor")}
        found |= {deal.server_link for deal in getattr(event, "deals", ())}
        found.add(event.fairness.server_anchor if isinstance(event, GameCreated) else None)
    return {link for link in found if link is not None}


@pytest.mark.parametrize("index", range(0, len(SETUPS), 17))
def test_a_fork_has_the_same_moves_and_the_same_dice_with_links_of_its_own_chains(index: int) -> None:
    events = play_game(SETUPS[index], seed=11, index=index).events
    for step in range(1, len(events), len(events) // 6):
        found = next_wait(events, step)
        if found is None:
            continue
        past = events[: found[0]]
        copied = Forked(past).events
        assert [without_what_is_new(event) for event in copied] == [without_what_is_new(event) for event in past]
        assert [type(event) for event in copied] == [type(event) for event in past]
        assert not links_of(copied) & links_of(events)
        # The links are those that were called for; only that the dice follow from them does not hold.
        assert not [failure for failure in verify(copied).failures if failure.sentence.startswith("The link ")]


@pytest.mark.parametrize("index", range(0, len(SETUPS), 17))
def test_a_fork_looks_to_every_seat_as_the_past_game_did_and_can_be_played_to_its_end(index: int) -> None:
    events = play_game(SETUPS[index], seed=12, index=index).events
    chance = Random(index)
    for step in range(1, len(events), len(events) // 6):
        found = next_wait(events, step)
        if found is None:
            continue
        table = Forked(events[: found[0]])
        for seat in range(SETUPS[index].players):
            then, now = view(found[1], seat), view(table.state, seat)
            assert then is not None
            assert now is not None
            seats = tuple(
                replace(old, player_id=new.player_id, name=new.name, kind=new.kind, chain_held_by=new.chain_held_by)
                for old, new in zip(then.seats, now.seats, strict=True)
            )
            assert now == replace(then, game_id="fork", since=NOW, seats=seats)
        while not isinstance(table.state, Ended):
            play_move(table, ["calculating"] * SETUPS[index].players, chance)
        assert record_of(table.events).winner == table.state.winner


@pytest.mark.parametrize("index", range(0, len(SETUPS), 11))
def test_a_game_goes_on_only_where_a_command_had_ended_and_not_in_the_middle_of_one(index: int) -> None:
    """The places are found by the events alone; here they are held against the commands that were made."""
    table = play_game(SETUPS[index], seed=13, index=index)
    ends, count, state = set[int](), 0, fold(())
    for command in table.commands:
        caused = decide(command, state)
        state, count = fold(caused, state), count + len(caused)
        if isinstance(state, Calling):
            ends.add(count)
    # After the bid alone the game waits as well, if it was made together with a reroll.
    with_reroll = {version for version, event in enumerate(table.events) if isinstance(event, DiceRerolled)}

    found = {place[0] for step in range(1, len(table.events) + 1) if (place := next_wait(table.events, step))}

    assert ends <= found <= ends | with_reroll
    assert next_wait(table.events, len(table.events)) is None
    assert next_wait(table.events, 1) is not None


def test_in_the_middle_of_a_challenge_a_forfeit_or_a_time_out_the_next_place_is_taken() -> None:
    clock = Setup("single-hand", Options(turn_seconds=30, on_timeout="challenge"), 3)
    events = play_game(clock, seed=1, index=2).events
    inside = [
        version
        for version, event in enumerate(events, 1)
        if isinstance(event, BidChallenged | CupsLifted | RoundStarted | TurnTimedOut)
    ]
    assert len({type(events[version - 1]) for version in inside}) == 4

    for version in inside:
        found = next_wait(events, version)
        assert found is None or found[0] > version


def test_a_forfeit_while_the_opener_is_rolled_for_is_no_place_to_go_on_from() -> None:
    """The state alone would say that the game waits."""
    table = MemoryTable("past", "pirates", Options(), tuple(bytes([party]) * 32 for party in range(4)))
    for seat in range(3):
        table.seat_bot(seat, f"bot-{seat}", f"Bot {seat}")
    table.submit(StartGame())
    assert isinstance(table.state, ChoosingOpener)
    table.submit(Forfeit(seat=1))
    (version,) = (number for number, event in enumerate(table.events, 1) if isinstance(event, PlayerForfeited))

    found = next_wait(table.events, version)

    assert found is not None
    assert found[0] == len(table.events)
    assert isinstance(found[1], Rolling)


def test_whoever_came_and_went_before_the_start_has_a_substitute_too() -> None:
    table = MemoryTable("past", "single-hand", Options(opener=0), tuple(bytes([party]) * 32 for party in range(4)))
    table.submit(JoinGame(player_id="eve", name="Eve", anchor=b"e" * 32))
    table.submit(LeaveGame(seat=0))
    table.seat_bot(0, "ann", "Ann")
    table.submit(JoinGame(player_id="eve", name="Eve", anchor=b"f" * 32))
    table.seat_bot(1, "bob", "Bob")
    table.submit(LeaveGame(seat=1))
    table.submit(StartGame())

    fork = Forked(table.events)

    assert seats_of_joined(table.events) == (None, 0, None, 1)
    assert isinstance(fork.state, Rolling)
    assert [player.player_id for player in fork.state.table.players] == ["p1", "p3"]
    for seat in (0, 1):
        fork.roll(seat)


def test_times_are_moved_so_that_the_turn_begins_now_and_never_run_backwards() -> None:
    table = play_game(Setup("bidding-track", Options(turn_seconds=30), 3), seed=3, index=1)
    events = [
        replace(event, at=event.at - 40 if number == 2 else event.at) for number, event in enumerate(table.events)
    ]
    late = [version for version, event in enumerate(events, 1) if isinstance(event, Rolled | DiceRerolled)]

    for step in (*late, 1, len(events) // 2):
        found = next_wait(events, step)
        if found is None:
            continue
        fork = Forked(events[: found[0]])
        times = [event.at for event in fork.events]
        assert times == sorted(times)
        assert times[-1] == NOW
        assert isinstance(fork.state, Calling)
        assert fork.state.since == NOW


def test_a_game_longer_than_the_time_before_now_begins_when_time_does() -> None:
    events = play_game(Setup("single-hand", Options(), 2), seed=3, index=1).events
    found = next_wait(events, len(events) // 2)
    assert found is not None

    times = [event.at for event in Forked(events[: found[0]], now=1).events]

    assert (times[0], times[-1]) == (0, 1)
