"""The check `links`: every link has the called number and leads to its anchor (fair-dice.md, "Calls" and "Deals")."""

from dataclasses import dataclass, field

from .fair_dice import SERVER, Links, seat_name
from .form import known_bytes
from .game import Game
from .times import start_clock


@dataclass
class Call:
    """A call to roll: the number of the links that it asks for, and the links that came."""

    number: int
    seats: list[int]
    links: dict[int, bytes] = field(default_factory=dict)

    @property
    def missing(self) -> list[int]:
        """The seats that have not rolled."""
        return [seat for seat in self.seats if seat not in self.links]

    def in_seat_order(self) -> Links:
        """The links in the order in which they enter the deal."""
        return sorted(self.links.items())


def check_rolls(game: Game, seats: list[int], numbers: int) -> Call:
    """These seats are called to roll, and some or all of them do. The call reserves so many link numbers."""
    call = Call(game.chains.next_call, seats)
    game.chains.next_call += numbers
    game.events.expect("roll-called", "links", {"seats": seats, "call": call.number, "calls": numbers})
    start_clock(game)
    while game.events.ahead == "rolled" and call.missing:
        _check_rolled(game, call)
    return call


def _check_rolled(game: Game, call: Call) -> None:
    """A seat that was called rolls, once, and its link has the number of the call."""
    fields = game.events.take("rolled")
    seat = fields["seat"]
    game.events.need("links", seat in call.missing, f"seat {seat} was not called to roll, or has rolled already")
    call.links[seat] = check_link(game, seat_name(seat), fields["link"], call.number)


def check_link(game: Game, party: str, text: str, number: int) -> bytes:
    """The link of a party with this number. It must lead to the last link that the party has revealed."""
    link = known_bytes(text)
    holds = game.chains.reveals(party, link, number)
    game.events.need("links", holds, f"this is not link {number} of {party}: it does not lead to the anchor")
    return link


def deal_key(game: Game, number: int, server_link: str, links: Links) -> bytes:
    """The key of a deal, made from the links of its seats and the server's link with the same number."""
    return game.dice.deal(number, check_link(game, SERVER, server_link, number), links)


def numbers_of_round(game: Game) -> int:
    """How many link numbers the call of a round reserves: one for the roll, and one for each possible reroll."""
    if not game.table.book.has_rerolls:
        return 1
    return 1 + sum(game.standing.dice_counts) - len(game.standing.seats)
