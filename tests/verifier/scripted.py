"""Games that are played move by move, for the cases that random games seldom reach."""

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

from domain.commands import (
    AbandonGame,
    ChainHolder,
    Challenge,
    Forfeit,
    JoinGame,
    LeaveGame,
    PlaceBid,
    Reroll,
    ShowAndReroll,
    StartGame,
    TimeOut,
)
from domain.state import Bidding, ChoosingOpener, Rolling
from tests.verifier.games import HELD_BY_SERVER, SignedPlay

SECOND = 1000
CLOCK = {"turn_seconds": 1}


class Scripted(SignedPlay):
    """A game that does what it is told. Only some of its seats may be taken."""

    def __init__(self, rulebook: str, seats: int, *, taken: int | None = None, **options: Any) -> None:
        signing = options.pop("signing", frozenset())
        self._taken = seats if taken is None else taken
        self._sitting: list[int] = []
        super().__init__(f"scripted-{rulebook}", rulebook, seats, signing, **options)

    def join(self, seat: int) -> None:
        if seat < self._taken:
            self._join(seat, self.chains.players[seat].anchor)

    def key(self, seat: int) -> Any:
        return super().key(self._sitting[seat])

    def leave_and_come_back(self, seat: int) -> None:
        """The player of a seat leaves, those on higher seats move down, and then the player takes the last one."""
        player, chain = self._sitting.pop(seat), self.chains.players[seat]
        self.do(LeaveGame(seat=seat, at=self.clock))
        others = [one for index, one in enumerate(self.chains.players) if index != seat]
        self.chains.players = (*others, chain)
        self._join(player, chain.anchor)

    def _join(self, player: int, anchor: bytes) -> None:
        self._sitting.append(player)
        is_held = player % 3 == HELD_BY_SERVER and not self.signing
        holder: ChainHolder = "server" if is_held else "player"
        self.do(
            JoinGame(player_id=f"player-{player}", name="Somebody", anchor=anchor, chain_held_by=holder, at=self.clock)
        )

    def open_with(self, seat: int | None) -> "Scripted":
        """Start; this seat opens, or it is found."""
        self.do(StartGame(opener=seat, at=self.clock))
        return self

    def rolls(self, count: int | None = None) -> "Scripted":
        """All seats that are called roll, or some of them; if opening rolls tie, all of them."""
        while isinstance(self.state, ChoosingOpener | Rolling) and count != 0:
            self.do(self.chains.roll(self.state, self.state.waiting[0]))
            count = None if count is None else count - 1
        return self

    def bid(self, quantity: int, face: int, *, show: int = 0) -> "Scripted":
        """The seat that has the turn bids, and may show so many of its dice and reroll the others."""
        state = self.bidding
        reroll = self._showing(state.turn, show) if show else None
        self.do(PlaceBid(at=self.clock, seat=state.turn, quantity=quantity, face=face, reroll=reroll))
        return self

    def shows(self, show: int = 1) -> "Scripted":
        """The last bidder shows so many dice and rerolls the others."""
        seat = self.bidding.bids[-1].seat
        self.do(ShowAndReroll(at=self.clock, seat=seat, reroll=self._showing(seat, show)))
        return self

    def challenge(self) -> "Scripted":
        self.do(Challenge(at=self.clock, seat=self.bidding.turn))
        return self

    def late(self, seat: int | None = None) -> "Scripted":
        """The time of a seat is up exactly now: that of the one that has the turn, or that is the first to roll."""
        assert isinstance(self.state, ChoosingOpener | Rolling | Bidding)
        self.clock += SECOND
        self.do(TimeOut(at=self.clock, seat=self.state.waiting[0] if seat is None else seat))
        return self

    def gives_up(self, seat: int) -> "Scripted":
        self.do(Forfeit(at=self.clock, seat=seat))
        return self

    def abandoned(self, reason: str = "Everybody has gone.") -> "Scripted":
        self.do(AbandonGame(at=self.clock, reason=reason))
        return self

    def wait(self, milliseconds: int) -> "Scripted":
        self.clock += milliseconds
        return self

    @property
    def bidding(self) -> Bidding:
        assert isinstance(self.state, Bidding)
        return self.state

    def count(self, face: int) -> int:
        """How many dice count towards a bid on a face, with ones wild."""
        faces = Counter(die for cup in self.bidding.cups for die in (*cup.shown, *(cup.hidden or ())))
        return faces[face] if face == 1 else faces[face] + faces[1]

    def _showing(self, seat: int, count: int) -> Reroll:
        hidden = self.bidding.cups[seat].hidden
        assert hidden is not None
        links = {"link": self.chains.link(self.state, seat), "server_link": self.chains.server_link(self.state)}
        return Reroll(shown=tuple(hidden[:count]), **links)


def _plain(rulebook: str, seats: int, **options: Any) -> Scripted:
    """A game in which seat 0 opens, up to its first bid."""
    return Scripted(rulebook, seats, **{"dice_each": 1, **options}).open_with(0).rolls()


def _two_at_a_table_for_four() -> Scripted:
    made = Scripted("bidding-track", 4, taken=2, dice_each=1).open_with(None).rolls().rolls()
    return made.bid(1000, 6).challenge()


def _two_at_a_table_for_four_who_roll() -> Scripted:
    return Scripted("pirates", 4, taken=2, dice_each=1).open_with(None).rolls().rolls().bid(1000, 6).challenge()


def _twelve_seats() -> Scripted:
    made = Scripted("single-hand", 12, dice_each=1, signing=frozenset({9, 10})).open_with(None)
    made.rolls().rolls().bid(1, 2)
    while made.bidding.turn != 11:
        made.bid(made.bidding.bids[-1].quantity + 1, 3)
    return made.bid(100, 3).challenge()


def _ten_dice_each() -> Scripted:
    made = _plain("bidding-track", 4, dice_each=10, signing=frozenset({0, 1}))
    return made.bid(2, 3, show=2).bid(3, 4).shows(8).bid(3, 5).shows(9).bid(4, 4).challenge()


def _late_pirates() -> Scripted:
    made = Scripted("pirates", 4, dice_each=1, **CLOCK, signing=frozenset({0, 1})).open_with(None)
    made.rolls().rolls().late()  # Before any bid.
    made.rolls().bid(1, 3).late()
    return made.rolls(1).late()


def _late_in_the_opening_roll() -> Scripted:
    made = Scripted("prediction-track", 3, dice_each=1, **CLOCK, on_timeout="challenge").open_with(None)
    return made.rolls(1).late().rolls(1).late()


def _first_bid_of_the_clock() -> Scripted:
    return _plain("single-hand", 2, **CLOCK, on_timeout="challenge").late().late()


def _no_higher_bid() -> Scripted:
    made = _plain("single-hand", 2, **CLOCK, on_timeout="lowest_bid", raise_rule="beat_the_higher_number")
    return made.bid(1000, 1).late()


def _no_higher_space() -> Scripted:
    return _plain("bidding-track", 2, **CLOCK, on_timeout="lowest_bid").bid(1000, 6).late().bid(1000, 1).late()


def _lower_seat_leaves() -> Scripted:
    made = Scripted("single-hand", 3, dice_each=1, signing=frozenset({0, 1, 2}))
    made.leave_and_come_back(0)
    made.leave_and_come_back(1)
    return made.open_with(None).rolls().rolls().bid(5, 5).challenge().rolls().bid(5, 5).challenge()


def _reroll_and_clock() -> Scripted:
    made = _plain("bidding-track", 2, dice_each=2, **CLOCK, on_timeout="challenge").bid(20, 2)
    made.wait(999).shows()
    made.clock -= 999
    return made.late()


def _forfeit_on_the_track() -> Scripted:
    return _plain("bidding-track", 2, dice_each=2, **CLOCK).bid(20, 2).late()


def _named_in_vain() -> Scripted:
    made = Scripted("palafico", 3, taken=2, dice_each=1, opener=2).open_with(1).rolls()
    return made.bid(9, 2).challenge()


def _left_of_a_forfeit_is_out() -> Scripted:
    made = _plain("single-hand", 4).bid(9, 2).bid(10, 2).challenge()  # Seat 1 is out, and the next to the left opens.
    return made.rolls().gives_up(0).rolls().bid(9, 2).challenge()


def _abandoned_before_a_bid() -> Scripted:
    return _plain("palafico", 2).abandoned()


def _abandoned_in_a_call() -> Scripted:
    return Scripted("palafico", 2, dice_each=1).open_with(0).rolls(1).abandoned()


def _abandoned_in_the_opening_roll() -> Scripted:
    return Scripted("prediction-track", 2, dice_each=1).open_with(None).rolls(1).abandoned()


def _abandoned_in_the_lobby() -> Scripted:
    return Scripted("palafico", 2, taken=1).abandoned()


def _bid_with_a_reroll_when_late() -> Scripted:
    made = _plain("bidding-track", 2, dice_each=2, **CLOCK, on_timeout="lowest_bid", signing=frozenset({0, 1}))
    return made.late().shows().bid(20, 2).challenge()


def _rerolls_of_four_dice() -> Scripted:
    made = _plain("bidding-track", 3, dice_each=4).bid(2, 3, show=1)
    return made.bid(3, 4).shows(2).bid(20, 5).challenge()


def _ends_with_chips() -> Scripted:
    made = _plain("bidding-track", 3, dice_each=1, chips=True).bid(500, 2).challenge()
    return made.rolls().bid(500, 2).challenge()


def _round_pot_that_is_left() -> Scripted:
    return _plain("bidding-track", 2, dice_each=1, chips=True).gives_up(0)


def _few_chips() -> Scripted:
    """Seat 2 wins one pot of three, has one chip after 26 rounds and none after the next."""
    made = Scripted("bidding-track", 3, dice_each=10, chips=True).open_with(1)
    for raises, over in [(0, 1), (0, 1), *[(0, -1)] * 8, (0, 1), *[(0, -1)] * 7, (1, 1), (0, 1), *[(2, 1)] * 7]:
        _ends_by_one(made.rolls(), raises, over)
    return _ends_by_one(made.rolls(), 2, 1)


def _ends_by_one(made: Scripted, raises: int, over: int) -> Scripted:
    """After so many raises somebody bids one die more than there are, or one fewer, and the next seat challenges."""
    for left in range(raises, -1, -1):
        lowest = [one for one in made.bidding.round_rules.lowest_bids(made.bidding.standing_bid) if one.face > 1]
        if left:
            low = min(lowest, key=lambda one: (one.quantity, one.face))
            made.bid(low.quantity, low.face)
        else:
            face = next(one.face for one in lowest if one.quantity <= made.count(one.face) + over)
            made.bid(made.count(face) + over, face)
    return made.challenge()


SCRIPTS: dict[str, Callable[[], Scripted]] = {
    "two players at a table for four": _two_at_a_table_for_four,
    "two players at a table for four who roll for the opener": _two_at_a_table_for_four_who_roll,
    "forfeits by the clock in pirates": _late_pirates,
    "times that were up in the opening roll and in the next call": _late_in_the_opening_roll,
    "a challenge of the clock, and before it a bid where there was none": _first_bid_of_the_clock,
    "a challenge of the clock, for no bid is higher": _no_higher_bid,
    "a bid and a challenge of the clock at the end of the track": _no_higher_space,
    "players on lower seats who leave": _lower_seat_leaves,
    "a reroll that does not start the clock anew": _reroll_and_clock,
    "a forfeit by the clock on the bidding track": _forfeit_on_the_track,
    "an opener of the options whom nobody took the seat of": _named_in_vain,
    "a forfeit when the seat to the left is out": _left_of_a_forfeit_is_out,
    "a game abandoned before the first bid": _abandoned_before_a_bid,
    "a game abandoned in a call": _abandoned_in_a_call,
    "a game abandoned in the opening roll": _abandoned_in_the_opening_roll,
    "a game abandoned in the lobby": _abandoned_in_the_lobby,
    "a reroll alone after a bid of the clock": _bid_with_a_reroll_when_late,
    "chips to the end": _ends_with_chips,
    "a pot of a round that is won at the end": _round_pot_that_is_left,
}
"""Whole games."""

FIRST_ROUNDS: dict[str, tuple[Callable[[], Scripted], int]] = {
    "twelve seats": (_twelve_seats, 1),
    "ten dice each, and rerolls of three seats": (_ten_dice_each, 1),
    "rerolls of four dice": (_rerolls_of_four_dice, 1),
    "a seat with one chip, and then with none": (_few_chips, 28),
}
"""Games of which only the bundle up to the end of a round is told."""


@cache
def scripted(about: str) -> Scripted:
    """One of these games."""
    return SCRIPTS[about]() if about in SCRIPTS else FIRST_ROUNDS[about][0]()
