"""What a seat sees does not depend on dice that are hidden from it."""

from random import Random
from typing import Any

import msgspec
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.commands import AnyCommand, Challenge, PlaceBid, Roll, ShowAndReroll, StartGame
from domain.deciding import decide
from domain.events import AnyEvent, CupsLifted, DiceDealt, DiceRerolled, Hand
from domain.evolve import fold
from domain.history.odds import chance_of_bid
from domain.moves import legal_moves
from domain.refusals import Refusal
from domain.state import Bidding, Ended, State
from domain.values import Bid
from domain.views import seen_by, view
from services.simulation.simulation import Setup, setups_of_all
from tests.domain.properties.choices import legal_commands
from tests.extent import extent
from tests.made_tables import Chains, chains_of, gathered

SETUPS = setups_of_all()


def played(setup: Setup, seed: int) -> tuple[list[AnyEvent], Chains]:
    """A game, played at random until some bids and rerolls of a late round lie on the table."""
    options: dict[str, Any] = msgspec.structs.asdict(setup.options)
    chance, chains = Random(seed), chains_of(setup.rulebook, setup.players, **options)
    events = gathered(setup.rulebook, setup.players, **options)
    state = fold(events)
    steps = chance.randrange(20, 120)
    while steps > 0 or not isinstance(state, Bidding):
        steps -= 1
        commands = [command for command in legal_commands(state, chains, 0) if _goes_on(command, chance)]
        caused = decide(chance.choice(commands), state)
        if isinstance(fold(caused, state), Ended):
            break
        events += caused
        state = fold(caused, state)
    return events, chains


def _goes_on(command: AnyCommand, chance: Random) -> bool:
    """Whether a command lets the round go on; a challenge does so seldom enough that bids pile up."""
    if isinstance(command, Challenge):
        return chance.random() < 0.3
    return isinstance(command, StartGame | Roll | PlaceBid | ShowAndReroll)


def with_other_dice(events: list[AnyEvent], seat: int, chance: Random) -> list[AnyEvent]:
    """The same game, but with other dice under the other cups in the rounds not revealed yet."""
    last_reveal = max((index for index, event in enumerate(events) if isinstance(event, CupsLifted)), default=-1)
    return events[: last_reveal + 1] + [_changed(event, seat, chance) for event in events[last_reveal + 1 :]]


def _changed(event: AnyEvent, seat: int, chance: Random) -> AnyEvent:
    match event:
        case DiceDealt(hands=hands) if hands is not None:
            return replace(
                event, hands=tuple(hand if owner == seat else _other(hand, chance) for owner, hand in enumerate(hands))
            )
        case DiceRerolled(seat=owner, hand=hand) if owner != seat:
            return replace(event, hand=_other(hand, chance))
        case _:
            return event


def _other(hand: Hand | None, chance: Random) -> Hand:
    assert hand is not None
    return tuple(1 + (face - 1 + chance.randrange(1, 6)) % 6 for face in hand)


def attempts(state: State, seat: int, chains: Chains) -> list[AnyCommand]:
    """All sorts of commands of a seat, most of them against the rules."""
    own = state.cups[seat].hidden or () if isinstance(state, Bidding) else ()
    showings = ["", "1", "2 2", "1 2 3 4 5 6", " ".join(map(str, own)), " ".join(map(str, own[:1]))]
    rerolls = [chains.reroll(state, seat, shown) for shown in showings]
    commands: list[AnyCommand] = [Roll(seat=seat, link=b"", server_link=b""), chains.roll(state, seat)]
    commands += [PlaceBid(seat=seat, quantity=n, face=face) for n in (0, 1, 3, 999, 1001) for face in (0, 1, 2, 6, 7)]
    commands += [PlaceBid(seat=seat, quantity=9, face=4, reroll=reroll) for reroll in rerolls]
    commands += [ShowAndReroll(seat=seat, reroll=reroll) for reroll in rerolls]
    if isinstance(state, Bidding) and (seat != state.turn or not state.bids):
        commands.append(Challenge(seat=seat))  # A challenge that is accepted reveals, which is its purpose.
    return commands


def outcome(command: AnyCommand, state: State, seat: int) -> object:
    """What a seat learns from a command: the events as it sees them, or the refusal with its sentence."""
    try:
        return [seen_by(event, seat) for event in decide(command, state)]
    except Refusal as refusal:
        return (refusal, str(refusal))


@settings(max_examples=extent(30, 1_000))
@for_all(st.sampled_from(SETUPS), st.integers(0, 10**9))
def test_a_seats_state_events_moves_odds_and_errors_do_not_depend_on_other_seats_hidden_dice(
    setup: Setup, seed: int
) -> None:
    events, chains = played(setup, seed)
    state = fold(events)
    for seat in range(setup.players):
        other_events = with_other_dice(events, seat, Random(seed + seat))
        other = fold(other_events)

        assert [seen_by(event, seat) for event in other_events] == [seen_by(event, seat) for event in events]
        seen, other_seen = view(state, seat), view(other, seat)
        assert seen is not None
        assert other_seen is not None
        assert other_seen == seen
        assert legal_moves(other, seat) == legal_moves(state, seat)
        assert chance_of_bid(other_seen, Bid(4, 3)) == chance_of_bid(seen, Bid(4, 3))
        for command in attempts(state, seat, chains):
            assert outcome(command, other, seat) == outcome(command, state, seat)


@settings(max_examples=extent(20, 500))
@for_all(st.sampled_from(SETUPS), st.integers(0, 10**9))
def test_a_spectator_sees_nothing_of_any_hidden_die(setup: Setup, seed: int) -> None:
    events, _ = played(setup, seed)
    other_events = with_other_dice(events, -1, Random(seed))

    assert [seen_by(event, None) for event in other_events] == [seen_by(event, None) for event in events]
    assert view(fold(other_events), None) == view(fold(events), None)


def test_the_check_would_notice_a_leak() -> None:
    """A negative control: the same comparison without the view finds the other dice."""
    events, _ = played(Setup("bidding-track", SETUPS[0].options, 3), 1)
    dealt = next(index for index, event in enumerate(events) if isinstance(event, DiceDealt))
    running = events[: dealt + 1]

    other = with_other_dice(running, 0, Random(1))

    assert other != running
    assert fold(other) != fold(running)
    assert view(fold(other), 1) != view(fold(running), 1)


def test_nobody_but_the_server_sees_its_links_before_the_reveal() -> None:
    events, _ = played(Setup("bidding-track", SETUPS[0].options, 3), 1)
    secret = [event for event in events if isinstance(event, DiceDealt | DiceRerolled)]

    assert {type(event) for event in secret} == {DiceDealt, DiceRerolled}
    for event in secret:
        for viewer in (None, 0, 1, 2):
            seen = seen_by(event, viewer)
            assert isinstance(seen, DiceDealt | DiceRerolled)
            assert seen.server_link is None


def test_only_the_events_that_say_so_hold_secrets() -> None:
    """What `SECRETS` names is what `seen_by` hides, so storage can seal exactly that."""
    events, _ = played(Setup("bidding-track", SETUPS[0].options, 3), 1)
    for event in events:
        seen = seen_by(event, None)
        hidden = {name for name in event.__struct_fields__ if getattr(seen, name) != getattr(event, name)}
        assert hidden == set(event.SECRETS)
