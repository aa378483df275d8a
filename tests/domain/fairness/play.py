"""Games that play themselves at random, with every way out of them, from chains that the test knows."""

from random import Random
from typing import Any

from domain.commands import (
    AbandonGame,
    AnyCommand,
    ChainHolder,
    Challenge,
    CreateGame,
    Forfeit,
    JoinGame,
    LeaveGame,
    PlaceBid,
    Reroll,
    ShowAndReroll,
    StartGame,
    TimeOut,
)
from domain.deciding import decide
from domain.events import AnyEvent
from domain.evolve import fold
from domain.fairness.chain import make_chain
from domain.options import Options
from domain.rulebooks import BOOKS
from domain.state import NOTHING, Bidding, ChoosingOpener, Ended, Rolling, State
from domain.views import seen_by
from tests.made_tables import Chains, chains_of

TURN_SECONDS = 1

BOOKS_BY_ID = {book.id: book for book in BOOKS}


class Play:
    """One game, played on command by command."""

    def __init__(self, seed: str, rulebook: str, players: int, **options: Any) -> None:
        self.random = Random(f"{seed} {rulebook} {players}")
        self.rulebook = rulebook
        self.game_id = f"game-{seed}"
        self.chains = self._chains(rulebook, players, options)
        self.state: State = NOTHING
        self.events: list[AnyEvent] = []
        self.clock = 0
        self.do(
            CreateGame(
                game_id=self.game_id,
                rulebook=rulebook,
                server_anchor=self.chains.server.anchor,
                options=Options(**options),
                seats=players,
            )
        )
        for seat in range(players):
            self.join(seat)

    def do(self, command: AnyCommand) -> None:
        """Have a command decided that must be accepted."""
        caused = decide(command, self.state)
        self.state = fold(caused, self.state)
        self.events += caused

    def join(self, seat: int) -> None:
        """Seat a player; every third lets the server hold the chain."""
        holder: ChainHolder = "server" if seat % 3 == 2 else "player"
        anchor = self.chains.players[seat].anchor
        self.do(JoinGame(player_id=f"player-{seat}", name="Somebody", anchor=anchor, chain_held_by=holder))

    def start(self, opener: int | None = None) -> None:
        """Start, now and then after the last player has left and come back."""
        last = len(self.chains.players) - 1
        if self.random.random() < 0.3:
            self.do(LeaveGame(seat=last))
            self.join(last)
        self.do(StartGame(opener=opener))

    def step(self, quits: float = 0.0) -> None:
        """Do one thing at random that is allowed: a roll, a bid, a reroll, a challenge or a way out."""
        self.clock += TURN_SECONDS * 1000
        state = self.state
        assert isinstance(state, ChoosingOpener | Rolling | Bidding)
        if self.random.random() < quits:
            self.do(self._way_out(state))
        elif isinstance(state, Bidding):
            self.do(self._bid_or_challenge(state))
        else:
            self.do(self.chains.roll(state, self.random.choice(state.waiting)))

    def play(self, quits: float = 0.0) -> "Play":
        """Play to the end."""
        may_name = BOOKS_BY_ID[self.rulebook].opening_roll is None
        self.start(opener=self.random.choice([None, 0]) if may_name else None)
        while not isinstance(self.state, Ended):
            self.step(quits)
        return self

    @property
    def public(self) -> list[AnyEvent]:
        """The events as anybody sees them."""
        return [seen_by(event, None) for event in self.events]

    def _chains(self, rulebook: str, players: int, options: dict[str, Any]) -> Chains:
        """Chains of the right length from seeds of this game's own."""
        chains = chains_of(rulebook, players, **options)
        length = chains.server.length
        chains.server = make_chain(self.random.randbytes(32), self.game_id, length)
        chains.players = tuple(make_chain(self.random.randbytes(32), self.game_id, length) for _ in range(players))
        return chains

    def _way_out(self, state: ChoosingOpener | Rolling | Bidding) -> AnyCommand:
        seat = self.random.choice(state.standing.in_play)
        clocked = state.table.options.turn_seconds is not None and seat in state.waiting
        ways: list[AnyCommand] = [Forfeit(seat=seat)] * 3
        ways += [TimeOut(at=self.clock, seat=seat)] * 3 if clocked else [AbandonGame(reason="the operator stops")]
        return self.random.choice(ways)

    def _bid_or_challenge(self, state: Bidding) -> AnyCommand:
        lowest = state.round_rules.lowest_bids(state.standing_bid)
        if state.bids and not state.rerolled and self.random.random() < 0.3:
            reroll = self.reroll(state, state.bids[-1].seat)
            if reroll is not None:
                return ShowAndReroll(seat=state.bids[-1].seat, reroll=reroll)
        if state.bids and (not lowest or self.random.random() < 0.3):
            return Challenge(seat=state.turn)
        bid = self.random.choice(lowest)
        reroll = self.reroll(state, state.turn) if self.random.random() < 0.3 else None
        return PlaceBid(at=self.clock, seat=state.turn, quantity=bid.quantity, face=bid.face, reroll=reroll)

    def reroll(self, state: Bidding, seat: int, count: int | None = None) -> Reroll | None:
        """A reroll of a seat, of as many dice as said or at random; None where none is possible."""
        hidden = state.cups[seat].hidden
        assert hidden is not None
        if len(hidden) < 2 or not state.table.rules.book.show_and_reroll:
            return None
        shown = self.random.sample(hidden, self.random.randrange(1, len(hidden)) if count is None else count)
        links = {"link": self.chains.link(state, seat), "server_link": self.chains.server_link(state)}
        return Reroll(shown=tuple(shown), **links)
