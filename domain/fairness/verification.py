"""Checking the dice of a game from what everybody can see.

`verify` follows the public events of a game in its own way: it shares only the hash of a chain, the derivation and the
books' data with the code that decides and folds them. It counts the calls to roll, hashes every revealed link,
recomputes every die and compares. It does not check what does not touch the dice: the height of bids, chips, the winner
of a challenge.

It never raises. Something that is no event, or that can't come at this point of a game, is a failure like any other.
The check then goes on as well as it can, so a false link shows up again in each deal that builds on it. The first
failure says most, and nothing from there on counts as proven.
"""

from collections.abc import Iterable

from domain.events import (
    AnyEvent,
    BidPlaced,
    CupsLifted,
    DiceDealt,
    DiceLost,
    DiceRerolled,
    GameCreated,
    GameEnded,
    GameStarted,
    Hand,
    OpenerChosen,
    OpeningDiceRolled,
    OpeningRoll,
    PlayerForfeited,
    PlayerJoined,
    PlayerLeft,
    RevealedDeal,
    RollCalled,
    Rolled,
    RoundEnded,
    RoundStarted,
)
from domain.fairness.chain import LINK_LENGTH
from domain.fairness.derivation import SeatLink, deal_key, drawn, first_transcript, hand, next_transcript
from domain.fairness.findings import Findings, Party, Report, Unrevealed
from domain.fairness.following import Cups, FollowedChain, SecretDeal
from domain.fairness.reading import FOLLOWED, ORDER, read, terms
from domain.options import DICE_EACH_MAX
from domain.rulebooks import Rules


def verify(events: Iterable[AnyEvent]) -> Findings:
    """What the public events of a game, from the first one on, prove about its dice."""
    check = _Check()
    for index, event in enumerate(events):
        check.follow(index, event)
    return check.findings()


class _Check:
    """The course of a game, as far as it matters to the dice."""

    created: GameCreated
    rules: Rules
    server: FollowedChain
    chains: tuple[FollowedChain, ...]
    transcript: bytes

    def __init__(self) -> None:
        self.report = Report()
        self.expect = self.report.expect
        self.stage, self.round = "nothing", 0
        self.joined: list[PlayerJoined] = []
        self.counts: list[int] = []
        self.how = "named"
        self.leaders: tuple[int, ...] = ()
        """The seats that may open: all at first, then those with the best opening rolls."""
        self.call, self.next_call = 0, 1
        self.awaited: tuple[int, ...] = ()
        self.links: dict[int, bytes] = {}
        self.deals: list[SecretDeal] = []
        self.bidder: int | None = None
        """The seat that may reroll now."""

    def findings(self) -> Findings:
        """All findings so far."""
        return self.report.findings(
            unrevealed=tuple(Unrevealed(deal.index, self.round, deal.reroll_of) for deal in self.deals),
            held_by_server=tuple(seat for seat, player in enumerate(self.joined) if player.chain_held_by == "server"),
        )

    def follow(self, index: int, event: AnyEvent) -> None:
        """Check the next event. It skips events that don't matter to the dice, and all events once it has given up."""
        self.report.index = index
        well_typed = None if self.stage == "unreadable" else read(event)
        if well_typed is not None and type(well_typed) in FOLLOWED:
            self._follow(well_typed)
        elif well_typed is None and self.stage != "unreadable":
            self.report.fail(f"This {type(event).__name__} is not a valid event of a game.")

    def _follow(self, event: AnyEvent) -> None:
        stage = ORDER[self.stage].get(type(event))
        self.expect(stage is not None, f"{type(event).__name__} is out of place here.")
        if stage is None and self.counts and isinstance(event, RoundStarted):
            stage = "begun"  # At a new round the check can start again after events that were out of place.
        if stage is not None:
            self.stage = stage
            self._take(event)

    def _take(self, event: AnyEvent) -> None:
        match event:
            case GameCreated():
                self._created(event)
            case PlayerJoined():
                self._player_joined(event)
            case PlayerLeft(seat=seat):
                if self.expect(0 <= seat < len(self.joined), "Nobody sat there.", seat):
                    del self.joined[seat]
            case GameStarted():
                self._started(event)
            case RollCalled():
                self._roll_called(event)
            case Rolled():
                self._rolled(event)
            case OpeningDiceRolled():
                self._opening_dice_rolled(event)
            case OpenerChosen():
                self._opener_chosen(event)
            case RoundStarted():
                self._round_started(event)
            case DiceDealt():
                self._deal(event, self._all_links())
            case BidPlaced(seat=seat):
                self.bidder = seat
            case DiceRerolled():
                self._rerolled(event)
            case CupsLifted():
                self._lifted(event)
            case DiceLost() | PlayerForfeited():
                self._dice_lost(event)
            case RoundEnded(number=number):
                self.expect(number == self.round, f"Round {self.round} was being played.")
            case GameEnded(winner=winner):
                self.expect(self._in_play == (winner,), "The winner is not the only one with dice.")
            case _:
                pass  # The game was abandoned, which needs no dice.

    def _created(self, event: GameCreated) -> None:
        rules = terms(event)
        if isinstance(rules, str):
            self._give_up(rules)
            return
        length = rules.links_max(event.seats)
        self.expect(event.fairness.chain_length == length, f"The chains of this table have {length} links.")
        self.created, self.rules = event, rules

    def _player_joined(self, event: PlayerJoined) -> None:
        taken = {self.created.fairness.server_anchor, *(player.anchor for player in self.joined)}
        self.expect(len(event.anchor) == LINK_LENGTH, "The anchor is not 32 bytes long.", event.seat)
        self.expect(event.anchor not in taken, "Another party has committed to the same chain.", event.seat)
        self.expect(event.seat == len(self.joined), f"The next seat is {len(self.joined)}.", event.seat)
        if self.expect(len(self.joined) < self.created.seats, "The table is full.", event.seat):
            self.joined.append(event)

    def _started(self, event: GameStarted) -> None:
        game_id, fairness = self.created.game_id, self.created.fairness
        anchors = tuple(player.anchor for player in self.joined)
        if event.dice_each != self.created.options.dice_each or len(anchors) < self.rules.book.players_min:
            self._give_up("The game can't start with these players and dice")
            return
        self.server = FollowedChain(game_id, fairness.server_anchor, fairness.chain_length)
        self.chains = tuple(FollowedChain(game_id, anchor, fairness.chain_length) for anchor in anchors)
        self.transcript = first_transcript(game_id, fairness.server_anchor, anchors)
        self.counts = [event.dice_each] * len(anchors)
        self.leaders = self._in_play

    def _roll_called(self, event: RollCalled) -> None:
        """Note a call to roll. If it is wrong, the check goes on with the seats and numbers that would be right."""
        of_round = self.stage == "rolling"
        seats = self._in_play if of_round else self.leaders
        calls = self.rules.links_of_round(tuple(self.counts)) if of_round else 1
        self.expect(event.seats == seats and len(seats) > 1, f"The seats to roll were {seats}.")
        self.expect(event.call == self.next_call, f"The next call has the number {self.next_call}.")
        self.expect(event.calls == calls, f"A roll like this sets aside the numbers of {calls} calls.")
        self.awaited, self.links = seats, {}
        self.call, self.next_call = self.next_call, self.next_call + calls

    def _rolled(self, event: Rolled) -> None:
        seat = event.seat
        if self.expect(seat in self.awaited and seat not in self.links, "The game did not wait for its roll.", seat):
            self._check_link(seat, event.link, self.call)
            self.links[seat] = event.link

    def _opening_dice_rolled(self, event: OpeningDiceRolled) -> None:
        self._check_link("server", event.server_link, self.call)
        links, opening = self._all_links(), self.rules.book.opening_roll
        key = deal_key(self._salt(self.call, links), self.call, event.server_link, links)
        rolls = tuple(OpeningRoll(seat, hand(key, seat, self.rules.opening_dice)) for seat in self.awaited)
        if opening is None:
            self.how, self.leaders, rolls = "drawn", (drawn(key, self.awaited),), ()
        else:
            best = max(opening.rank(roll.dice) for roll in rolls)
            self.how, self.leaders = "rolled", tuple(roll.seat for roll in rolls if opening.rank(roll.dice) == best)
        self._check_deal(event.rolls == rolls, tuple(roll.dice for roll in rolls))

    def _opener_chosen(self, event: OpenerChosen) -> None:
        self.expect(event.how == self.how, f"The opener was {self.how}.")
        could = event.seat in self.leaders and (self.how == "named" or len(self.leaders) == 1)
        self.expect(could, f"The links allow only these openers: {self.leaders}.")
        self.expect(self.how != "named" or self.rules.book.opening_roll is None, "The opener must be rolled for.")
        self.leaders = (event.seat,)

    def _round_started(self, event: RoundStarted) -> None:
        self.expect(event.number == self.round + 1, f"Round {self.round} was the one before.")
        if not self.round and len(self.leaders) == 1:
            self.expect((event.opener,) == self.leaders, f"Seat {self.leaders[0]} had to open.")
        self.expect(event.dice_counts == tuple(self.counts), f"The seats had {self.counts} dice left.")
        if len(event.dice_counts) == len(self.counts) and all(0 <= dice <= DICE_EACH_MAX for dice in event.dice_counts):
            self.counts = list(event.dice_counts)
        self.round, self.awaited, self.links, self.deals, self.bidder = event.number, (), {}, [], None

    def _rerolled(self, event: DiceRerolled) -> None:
        seat = event.seat
        self.expect(self._deal_number < self.next_call, "More rerolls than a round like this can have.", seat)
        if self.expect(seat == self.bidder and seat in self.awaited, "It was not allowed to reroll now.", seat):
            self._check_link(seat, event.link, self._deal_number)
            self._deal(event, ((seat, event.link),))
            self.bidder = None

    def _lifted(self, event: CupsLifted) -> None:
        made, opened = ([deal.reroll_of for deal in deals] for deals in (self.deals, event.deals))
        self.expect(opened == made, "The revealed deals are not the deals that were made.")
        cups = Cups(self.counts)
        for deal, revealed in zip(self.deals, event.deals, strict=False):
            self._lay_open(deal, revealed, cups)
        self.expect(event.dice == cups.dice, f"The links and the shown dice make {_hands_text(cups.dice)}.")
        self.deals = []

    def _lay_open(self, deal: SecretDeal, revealed: RevealedDeal, cups: Cups) -> None:
        if isinstance(deal.event, DiceRerolled):
            shown_rightly = cups.show(deal.event)
            self.expect(shown_rightly, "It showed dice that did not lie under its cup.", deal.event.seat)
        self._check_link("server", revealed.server_link, deal.number)
        key = deal_key(deal.transcript, deal.number, revealed.server_link, deal.links)
        hands = cups.fill(key, deal.reroll_of)
        self.expect(deal.agrees(revealed.server_link, hands), "The deal itself showed something else.")
        self._check_deal(revealed.hands == hands, hands)

    def _dice_lost(self, event: DiceLost | PlayerForfeited) -> None:
        seat, lost = event.seat, event.lost
        held = self.counts[seat] if 0 <= seat < len(self.counts) else 0
        could = 1 <= lost <= held if isinstance(event, DiceLost) else 1 <= lost == held
        if self.expect(could, f"It had {held} dice and can't have lost {lost} in this way.", seat):
            self.counts[seat] = held - lost

    @property
    def _in_play(self) -> tuple[int, ...]:
        return tuple(seat for seat, count in enumerate(self.counts) if count)

    @property
    def _deal_number(self) -> int:
        """The number of the links of the round's next deal: the call's number, then one more for each reroll."""
        return self.call + len(self.deals)

    def _all_links(self) -> tuple[SeatLink, ...]:
        """The links that a deal is made of, in seat order; a missing one is a failure."""
        missing = tuple(seat for seat in self.awaited if seat not in self.links)
        self.expect(not missing, f"Seats {missing} had not rolled yet.")
        return tuple(sorted(self.links.items()))

    def _salt(self, number: int, links: tuple[SeatLink, ...]) -> bytes:
        """The transcript for this deal; the links become part of the transcript for the next."""
        salt, self.transcript = self.transcript, next_transcript(self.transcript, number, links)
        return salt

    def _deal(self, event: DiceDealt | DiceRerolled, links: tuple[SeatLink, ...]) -> None:
        number = self._deal_number
        self.deals.append(SecretDeal(self.report.index, event, number, self._salt(number, links), links))

    def _check_link(self, party: Party, link: bytes, number: int) -> None:
        chain = self.server if party == "server" else self.chains[party]
        problem = chain.problem_with(link, number)
        self.expect(problem is None, f"The link {problem}.", party)
        self.report.prove("server_links" if party == "server" else "links")

    def _check_deal(self, holds: bool, hands: tuple[Hand, ...]) -> None:  # noqa: FBT001 - reads as a claim
        self.expect(holds, f"The links make {_hands_text(hands)}.")
        self.report.prove("deals")
        self.report.prove("dice", sum(len(dice) for dice in hands))

    def _give_up(self, problem: str) -> None:
        self.report.fail(f"{problem}; the check could not go on from here.")
        self.stage = "unreadable"


def _hands_text(hands: tuple[Hand, ...]) -> str:
    return " | ".join(" ".join(str(die) for die in dice) or "-" for dice in hands) or "no dice"
