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
    _check_commitments(game, deals, fields["deals"])
    keys = _keys(game, deals, fields["deals"])
    cups = _check_dice(game, deals, fields["deals"], keys)
    game.events.need("dice", fields["dice"] == cups.dice(), f"it shows other dice than the links make, {cups.dice()}")
    return cups


def _check_commitments(game: Game, deals: Deals, shown: list[Json]) -> None:
    """The cups show what the server has committed to for each deal."""
    first, *later = shown
    _check_commitment(game, deals.secret, {"server_link": first["server_link"], "hands": first["hands"]})
    for reroll, deal in zip(deals.rerolls, later, strict=True):
        hand = next(iter(deal["hands"]), None)
        _check_commitment(game, reroll.secret, {"server_link": deal["server_link"], "hand": hand})


def _keys(game: Game, deals: Deals, shown: list[Json]) -> list[bytes]:
    """The key of each deal. The server's links lead to its anchor."""
    links = [deals.call.in_seat_order(), *([(reroll.seat, reroll.link)] for reroll in deals.rerolls)]
    numbered = enumerate(zip(links, shown, strict=True), deals.call.number)
    return [deal_key(game, number, deal["server_link"], made) for number, (made, deal) in numbered]


def _check_dice(game: Game, deals: Deals, shown: list[Json], keys: list[bytes]) -> Cups:
    """The dice of each deal follow from its key, and those that a seat has shown lay under its cup."""
    counts = game.standing.dice_counts
    hands = [game.dice.hand(keys[0], seat, count) for seat, count in enumerate(counts)]
    rerolled = [game.dice.hand(key, one.seat, one.rerolled) for one, key in zip(deals.rerolls, keys[1:], strict=True)]
    made = [(hands, None), *(([hand], one.seat) for one, hand in zip(deals.rerolls, rerolled, strict=True))]
    for deal, (expected, seat) in zip(shown, made, strict=True):
        fits = (deal["hands"], deal["reroll_of"]) == (expected, seat)
        of = "" if seat is None else f" of a reroll of seat {seat}"
        game.events.need("dice", fits, f"it shows other dice{of} than the links make, {expected}")
    cups = Cups([[] for _ in counts], hands)
    for reroll, hand in zip(deals.rerolls, rerolled, strict=True):
        check_shown(game, reroll, cups.hidden[reroll.seat])
        cups.shown[reroll.seat] = cups.shown[reroll.seat] + reroll.shown
        cups.hidden[reroll.seat] = hand
    return cups


def _check_commitment(game: Game, opened: bytes | None, secret: Json) -> None:
    """The cups show the secret that the server has committed to (audit-format.md, "Commitment")."""
    holds = opened is None or opened == spelled(secret).encode()
    game.events.need("commitments", holds, "it shows another link or other dice than the server committed to")


def report_dice(game: Game, cups: Cups, counting: dict[int, str], otherwise: str) -> None:
    """Write all dice into the report, and for each whether it counts and why."""
    for seat, dice in enumerate(cups.dice()):
        for index, face in enumerate(dice):
            was_shown, why = index < len(cups.shown[seat]), counting.get(face, otherwise)
            known = {"seat": seat, "face": face, "shown": was_shown, "counts": face in counting, "why": why}
            game.round.dice.append(known)
