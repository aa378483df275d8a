"""The check `dice`: the dice under the cups follow from the links (fair-dice.md, "Deals" and "What is laid open")."""

from dataclasses import dataclass, field

from .form import Json, spelled
from .game import Game
from .links import Call, deal_key
from .rerolls import Reroll, check_shown


@dataclass
class Deals:
    """The deals of a round that are still hidden: the roll of all seats, and the rerolls after it."""

    call: Call
    secret: bytes | None
    """The server's commitment for the deal, opened: its link and all hands."""
    rerolls: list[Reroll] = field(default_factory=list)

    @property
    def next_number(self) -> int:
        """The number of the links of the next reroll."""
        return self.call.number + len(self.rerolls) + 1


@dataclass
class Cups:
    """The dice of each seat: those it has shown, in the order in which it showed them, and those under its cup."""

    shown: list[list[int]]
    hidden: list[list[int]]

    def dice(self) -> list[list[int]]:
        """All dice of each seat."""
        return [open_dice + under for open_dice, under in zip(self.shown, self.hidden, strict=True)]


def check_cups(game: Game, deals: Deals) -> Cups:
    """The cups are lifted: every deal of the round is laid open, and its dice follow from its links."""
    fields = game.events.take("cups-lifted")
    count = 1 + len(deals.rerolls)
    game.events.need(
        "links", len(fields["deals"]) == count, f"it shows {len(fields['deals'])} deals, and {count} were made"
    )
    first, *later = fields["deals"]
    cups = _dealt(game, deals, first)
    expected_deals = [_deal_fields(first, [*cups.hidden], None)]
    for index, (reroll, deal) in enumerate(zip(deals.rerolls, later, strict=True), 1):
        _apply(game, cups, reroll, deal, deals.call.number + index)
        expected_deals.append(_deal_fields(deal, [cups.hidden[reroll.seat]], reroll.seat))
    expected = spelled({"deals": expected_deals, "dice": cups.dice(), "at": fields["at"]})
    game.events.need(
        "dice", expected == game.events.event.public, f"it shows other dice than the links make, {cups.dice()}"
    )
    return cups


def _dealt(game: Game, deals: Deals, deal: Json) -> Cups:
    """The cups after the roll of all seats. Seats that are out have no dice."""
    secret = {"server_link": deal["server_link"], "hands": deal["hands"]}
    _check_commitment(game, deals.secret, secret)
    key = deal_key(game, deals.call.number, deal["server_link"], deals.call.in_seat_order())
    counts = game.standing.dice_counts
    hidden = [game.dice.hand(key, seat, count) for seat, count in enumerate(counts)]
    return Cups([[] for _ in counts], hidden)


def _apply(game: Game, cups: Cups, reroll: Reroll, deal: Json, number: int) -> None:
    """Move the dice that a seat has shown out of its cup, and put the rerolled dice under it."""
    game.events.need("dice", len(deal["hands"]) == 1, "it shows more or less than one hand of a reroll")
    secret = {"server_link": deal["server_link"], "hand": deal["hands"][0]}
    _check_commitment(game, reroll.secret, secret)
    seat = reroll.seat
    check_shown(game, reroll, cups.hidden[seat])
    key = deal_key(game, number, deal["server_link"], [(seat, reroll.link)])
    cups.shown[seat] = cups.shown[seat] + reroll.shown
    cups.hidden[seat] = game.dice.hand(key, seat, reroll.rerolled)


def _check_commitment(game: Game, opened: bytes | None, secret: Json) -> None:
    """The cups show the secret that the server has committed to (audit-format.md, "Commitment")."""
    holds = opened is None or opened == spelled(secret).encode()
    game.events.need("commitments", holds, "it shows another link or other dice than the server committed to")


def _deal_fields(deal: Json, hands: list[list[int]], seat: int | None) -> Json:
    """A deal as the event must write it."""
    return {"server_link": deal["server_link"], "hands": hands, "reroll_of": seat}


def report_dice(game: Game, cups: Cups, counting: dict[int, str], otherwise: str) -> None:
    """Write all dice into the report, and for each whether it counts and why."""
    for seat, dice in enumerate(cups.dice()):
        for index, face in enumerate(dice):
            was_shown, why = index < len(cups.shown[seat]), counting.get(face, otherwise)
            known = {"seat": seat, "face": face, "shown": was_shown, "counts": face in counting, "why": why}
            game.round.dice.append(known)
