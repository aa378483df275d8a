"""Tables for tests: a game with chosen dice under the cups, or one with known chains, in which seats can roll."""

from collections.abc import Sequence
from typing import Any

from domain.commands import AnyCommand, Challenge, CreateGame, JoinGame, PlaceBid, Reroll, Roll, StartGame
from domain.deciding import decide
from domain.deciding.checks import Calling
from domain.deciding.gathering import rules_of_table
from domain.events import (
    AnyEvent,
    DiceDealt,
    GameStarted,
    OpenerChosen,
    PlayersEliminated,
    RollCalled,
    Rolled,
    RoundStarted,
)
from domain.evolve import fold
from domain.fairness.chain import Chain, make_chain
from domain.history.forking import waits
from domain.options import Options
from domain.state import NOTHING, State
from domain.values import Bid
from tests.specification import Given, given

GAME_ID = "game"
NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Finn")


def cup(text: str) -> tuple[int, ...]:
    """Dice as one would jot them down: `* 3 3 5 6`, where the star is the wild face."""
    return tuple(1 if die == "*" else int(die) for die in text.split())


def bid(text: str) -> Bid:
    """A bid as one would jot it down: `4x3` for four threes, `2x*` for two wilds."""
    quantity, face = text.split("x")
    return Bid(int(quantity), 1 if face == "*" else int(face))


def bids(seat: int, text: str) -> PlaceBid:
    """The command of a seat to make a bid."""
    made = bid(text)
    return PlaceBid(seat=seat, quantity=made.quantity, face=made.face)


def challenges(seat: int) -> Challenge:
    """The command of a seat to challenge."""
    return Challenge(seat=seat)


class Chains:
    """The chains of all parties at a test table, so that they can really roll."""

    def __init__(self, players: int, length: int, game_id: str = GAME_ID) -> None:
        self.server = make_chain(b"S" * 32, game_id, length)
        self.players: tuple[Chain, ...] = tuple(
            make_chain(bytes([seat]) * 32, game_id, length) for seat in range(players)
        )

    def roll(self, state: State, seat: int) -> Roll:
        """The roll of a seat with the links that come next."""
        return Roll(seat=seat, link=self.link(state, seat), server_link=self.server_link(state))

    def reroll(self, state: State, seat: int, shown: str) -> Reroll:
        """A show-and-reroll of a seat with the links that come next."""
        return Reroll(shown=cup(shown), link=self.link(state, seat), server_link=self.server_link(state))

    def link(self, state: State, seat: int) -> bytes:
        """The next link of a seat."""
        assert isinstance(state, Calling)
        return self.players[seat].link(state.link_number)

    def server_link(self, state: State) -> bytes:
        """The next link of the server."""
        assert isinstance(state, Calling)
        return self.server.link(state.link_number)


def chains_of(rulebook: str, players: int, game_id: str = GAME_ID, **options: Any) -> Chains:
    """The chains that fit a table."""
    rules, seats = rules_of_table(rulebook, Options(**options), players)
    return Chains(players, rules.links_max(seats), game_id)


def gathered(rulebook: str, players: int, game_id: str = GAME_ID, **options: Any) -> list[AnyEvent]:
    """A table with its players, not started yet."""
    chains = chains_of(rulebook, players, game_id, **options)
    commands: list[AnyCommand] = [
        CreateGame(
            game_id=game_id,
            rulebook=rulebook,
            server_anchor=chains.server.anchor,
            options=Options(**options),
            seats=players,
        )
    ]
    for seat in range(players):
        name = NAMES[seat] if seat < len(NAMES) else f"Player {seat}"
        commands.append(JoinGame(player_id=f"player-{seat}", name=name, anchor=chains.players[seat].anchor))
    return run(commands)


def started(rulebook: str, players: int, start: StartGame | None = None, **options: Any) -> list[AnyEvent]:
    """A table after the start of its game."""
    events = gathered(rulebook, players, **options)
    return events + list(decide(start or StartGame(), fold(events)))


def dealt(
    rulebook: str,
    *cups: str,
    opener: int = 0,
    palafico: bool = False,
    number: int = 1,
    **options: Any,
) -> Given:
    """A game in which these dice lie under the cups, an empty one for a seat that is out; `opener` is to bid.

    It begins in the middle: seats with fewer dice than at the start have lost them in earlier rounds without events.
    """
    hands = tuple(cup(text) for text in cups)
    chains = chains_of(rulebook, len(cups), **options)
    counts = tuple(len(hand) for hand in hands)
    events = gathered(rulebook, len(cups), **options)
    dice_each = events[0].options.dice_each  # type: ignore[union-attr]  # the first event is GameCreated
    events.append(GameStarted(dice_each=dice_each, chips_each=50 if options.get("chips") else None))
    events.append(OpenerChosen(seat=opener, how="named"))
    gone = tuple(seat for seat, count in enumerate(counts) if not count)
    events += [PlayersEliminated(seats=(seat,), place=len(cups) - index) for index, seat in enumerate(gone)]
    events.append(RoundStarted(number=number, opener=opener, palafico=palafico, dice_counts=counts))
    rules, _ = rules_of_table(rulebook, Options(**options), len(cups))
    in_play = tuple(seat for seat, count in enumerate(counts) if count)
    events.append(RollCalled(seats=in_play, call=1, calls=rules.links_of_round(counts)))
    rolls = [Rolled(seat=seat, link=chains.players[seat].link(1)) for seat, count in enumerate(counts) if count]
    return given(events, rolls, DiceDealt(server_link=chains.server.link(1), hands=hands))


def next_wait(events: Sequence[AnyEvent], step: int) -> tuple[int, Calling] | None:
    """The first step from this one on at which a game waits for players' moves, and how it stands there."""
    return next((found for found in waits(events) if found[0] >= step), None)


def run(commands: list[AnyCommand]) -> list[AnyEvent]:
    """The events of commands that are all accepted."""
    state: State = NOTHING
    events: list[AnyEvent] = []
    for command in commands:
        caused = decide(command, state)
        state = fold(caused, state)
        events += caused
    return events
