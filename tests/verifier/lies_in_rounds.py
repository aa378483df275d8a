"""Lies for the test vectors about what happens in a round and at its end, and at the end of the game."""

from collections.abc import Callable
from copy import deepcopy
from itertools import pairwise
from typing import Any

from tests.verifier.changes import Change, first_deal, index_of, insert, lifted, set_in, set_to, text_of
from tests.verifier.decided import Entries, all_of, game
from tests.verifier.games import Entry
from tests.verifier.lies_before_rounds import numbered, other

TWO = "two players at a table for four"
NAMED = "an opener of the options whom nobody took the seat of"
CHIPS = "chips to the end"
LEFT = "a pot of a round that is won at the end"
REROLLS = "rerolls of four dice"
OTHER_BOOK = "single-hand: quantity_or_face"
FIRST_BID_DUE = "a challenge of the clock, and before it a bid where there was none"
NONE_HIGHER = "a challenge of the clock, for no bid is higher"
TRACK_ENDS = "a bid and a challenge of the clock at the end of the track"
PIRATES = "forfeits by the clock in pirates"
ROLLING = "times that were up in the opening roll and in the next call"
SIGNED = "a signed forfeit after the dice fell"
OUT = "a forfeit when the seat to the left is out"
PLACES = "an exact bid on the bidding track"
NUMBER_MAX = 2**53 - 1


def last(kind: str, **fields: Any) -> Change:
    """Set fields of the last event of a kind."""
    return lambda entries: all_of(entries, kind)[-1].update(fields)


def without(kind: str, number: int = 0) -> Change:
    """An event is missing."""
    return lambda entries: entries.pop(index_of(entries, kind, number))


def in_last(kind: str, change: Callable[[dict[str, Any]], object]) -> Change:
    """Change the last event of a kind."""
    return lambda entries: change(all_of(entries, kind)[-1])


def rerolls(about: str, after: int, *, seats_on: int = 0, is_linked: bool = True, **fields: Any) -> Change:
    """The first bidder, or a seat so many seats on, rerolls some events after the deal, with its next link or with another."""
    chains = game(about).chains.players

    def change(entries: Entries) -> None:
        deal = index_of(entries, "dice-dealt")
        call = next(one.public for one in reversed(entries[:deal]) if one.kind == "roll-called")
        before = [one for one in entries[deal : deal + after] if one.kind == "dice-rerolled"]
        seat = (entries[deal + 1].public["seat"] + seats_on) % len(chains)
        link = chains[seat].link(call["call"] + 1 + len(before) + (not is_linked))
        given = {"seat": seat, "shown": [1], "rerolled": 1, **fields, "link": text_of(link)}
        insert("dice-dealt", "dice-rerolled.v1", after=after, **given)(entries)
        entries[deal + after].secret = {"server_link": text_of(bytes(32)), "hand": [1]}

    return change


def due_instead(topic: str, number: int, **fields: Any) -> Change:
    """After a time that was up there is another move than the one that is due."""

    def change(entries: Entries) -> None:
        index = index_of(entries, "turn-timed-out", number)
        seat, at = entries[index].public["seat"], entries[index].public["at"]
        entries[index + 1] = Entry(topic, {"seat": seat, **fields, "at": at})

    return change


def wrong_links_of_the_server(entries: Entries, *, committed: bool) -> None:
    """The cups show another link of the server; the server has committed to that one, or to the right one."""
    link = text_of(bytes(32))
    all_of(entries, "cups-lifted")[0]["deals"][0]["server_link"] = link
    deal = first_deal(entries)
    if committed:
        assert deal.secret is not None
        deal.secret["server_link"] = link


def without_digests(entries: Entries) -> None:
    """Nothing is committed to, and the cups show another link of the server."""
    for entry in entries:
        entry.bare = True
    wrong_links_of_the_server(entries, committed=False)


def missing_deal_that_was_not_committed(entries: Entries) -> None:
    """The cups show a deal too few, and the first one is another than was committed to."""
    cups = next(one for one in all_of(entries, "cups-lifted") if len(one["deals"]) > 1)
    cups["deals"].pop()
    cups["deals"][0]["server_link"] = text_of(bytes(32))


def forfeit_of_one_who_is_out(entries: Entries) -> None:
    """A seat that is out gives up dice that it does not have."""
    index = index_of(entries, "player-forfeited")
    entries[index].public |= {"seat": 1, "lost": 5}


def resigned_for(entries: Entries) -> None:
    """After a time that was up, another seat resigns."""
    forfeit = all_of(entries, "player-forfeited")[-1]
    forfeit |= {"seat": 2 - forfeit["seat"], "reason": "resigned"}


def pots_in_another_order(entries: Entries) -> None:
    """The pot of the game is won before that of the round."""
    index = index_of(entries, "pot-won")
    entries[index], entries[index + 1] = entries[index + 1], entries[index]


def losses_in_another_order(entries: Entries) -> None:
    """Those who lose a die are not in seat order."""
    index = next(at for at, one in enumerate(entries) if (one.kind, entries[at + 1].kind) == ("dice-lost", "dice-lost"))
    entries[index], entries[index + 1] = entries[index + 1], entries[index]


def late_bid_and_roll(entries: Entries) -> None:
    """When the time of a seat that has not rolled is up, it rolls."""
    index = index_of(entries, "turn-timed-out", 2)
    roll = deepcopy(next(one for one in entries[:index][::-1] if one.kind == "rolled"))
    roll.public |= {"seat": entries[index].public["seat"], "at": entries[index].public["at"]}
    roll.signer = None
    entries[index + 1] = roll


def signed_by_another(entries: Entries) -> None:
    """A bid has the signature of another seat."""
    signed = next(one for one in entries if one.kind == "bid-placed" and one.signer == 0)
    signed.signer = 1


def unsigned_bid(*, secret: bool = False, **fields: Any) -> Change:
    """A bid of a seat that signs has no signature, and something else is wrong with it."""

    def change(entries: Entries) -> None:
        bid = next(one for one in entries if one.kind == "bid-placed" and one.signer is not None)
        bid.signer, bid.with_reroll = None, False
        bid.secret = {"link": "none"} if secret else None
        bid.public |= fields

    return change


def raised(**fields: Any) -> Change:
    """The first raise is another one."""

    def change(entries: Entries) -> None:
        pairs = pairwise(entries)
        raise_ = next(new for bid, new in pairs if (bid.kind, new.kind) == ("bid-placed", "bid-placed"))
        raise_.public |= fields

    return change


def bid_of_nobody(entries: Entries) -> None:
    """A bid of a seat above all others, with a commitment that no bid has."""
    bid = entries[index_of(entries, "bid-placed")]
    bid.public["seat"], bid.secret = 3, {"link": "none"}


LIES_IN_ROUNDS: tuple[tuple[str, str, Change], ...] = (
    ("a bid on no dice", NAMED, set_to("bid-placed", quantity=0)),
    ("a bid on 1,001 dice that opens", NAMED, set_to("bid-placed", quantity=1001)),
    ("a bid on the face 0", NAMED, set_to("bid-placed", face=0)),
    ("a bid on the face 7 that opens", NAMED, set_to("bid-placed", face=7)),
    ("a raise to 1,001 dice", OUT, raised(quantity=1001)),
    ("a raise to the face 7", OUT, raised(face=7)),
    ("a raise to ones in pirates", "a tie and a skull in the opening roll", raised(quantity=99, face=1)),
    ("a bid that another seat has signed", "ten dice each, and rerolls of three seats", signed_by_another),
    ("a commitment at a bid that is not signed", SIGNED, unsigned_bid(secret=True)),
    ("an unsigned bid whose time runs backwards", SIGNED, unsigned_bid(at=0)),
    ("a commitment at a bid of a seat that nobody has", TWO, bid_of_nobody),
    ("a challenge of the bidder", TWO, other("bid-challenged", "seat")),
    (
        "a challenge where there is no bid",
        NAMED,
        insert("bid-placed", "bid-challenged.v1", seat=1, bid={"seat": 0, "quantity": 1, "face": 2}),
    ),
    ("a challenge of the bid of another", TWO, set_in("bid-challenged", "bid", seat=0)),
    ("a challenge of a bid on another face", TWO, set_in("bid-challenged", "bid", face=5)),
    ("time that is up where there is no clock, in a call", NAMED, insert("rolled", "turn-timed-out.v1", seat=0)),
    ("time that is up where there is no clock, in a turn", NAMED, insert("bid-placed", "turn-timed-out.v1", seat=1)),
    ("the time of the seat before the one that has the turn", FIRST_BID_DUE, other("turn-timed-out", "seat")),
    ("the time of a seat that has rolled for the opener", ROLLING, set_to("turn-timed-out", seat=0)),
    ("the time of a seat that has rolled", ROLLING, set_to("turn-timed-out", 1, seat=0)),
    (
        "a first bid of the clock that is not the lowest",
        FIRST_BID_DUE,
        due_instead("bid-placed.v1", 0, quantity=1, face=2),
    ),
    ("a bid of the clock where a challenge is due", FIRST_BID_DUE, due_instead("bid-placed.v1", 1, quantity=9, face=6)),
    (
        "a challenge of the clock where a bid is due",
        TRACK_ENDS,
        due_instead("bid-challenged.v1", 0, bid={"seat": 0, "quantity": 1000, "face": 6}),
    ),
    ("a bid of the clock that is on a later space", TRACK_ENDS, due_instead("bid-placed.v1", 0, quantity=502, face=1)),
    ("a bid of the clock where none is higher", NONE_HIGHER, due_instead("bid-placed.v1", 0, quantity=1000, face=6)),
    ("the time is up again", FIRST_BID_DUE, due_instead("turn-timed-out.v1", 0)),
    ("a roll after the time for it was up", PIRATES, late_bid_and_roll),
    ("another seat forfeits when the time of one was up", PIRATES, other("player-forfeited", "seat", 4)),
    ("a seat resigns when its time was up", ROLLING, set_to("player-forfeited", reason="resigned")),
    ("another seat resigns when the time of one was up", ROLLING, resigned_for),
    ("a second reroll after one bid", REROLLS, rerolls(REROLLS, 3, rerolled=2)),
    ("a reroll of a seat that did not bid", REROLLS, rerolls(REROLLS, 2, seats_on=1, rerolled=3)),
    (
        "a reroll of a seat that did not bid, with the link of another",
        REROLLS,
        rerolls(REROLLS, 2, seats_on=1, is_linked=False),
    ),
    ("a reroll of fewer dice than are hidden", REROLLS, set_to("dice-rerolled", rerolled=2)),
    ("a reroll of no dice", REROLLS, set_to("dice-rerolled", shown=[1, 1, 1, 1], rerolled=0)),
    ("a reroll of more dice than are hidden", REROLLS, set_to("dice-rerolled", shown=[1], rerolled=4)),
    ("a reroll that shows a face 0", REROLLS, set_to("dice-rerolled", shown=[0])),
    ("a reroll that shows a face 7", REROLLS, set_to("dice-rerolled", shown=[7])),
    ("a reroll that shows a face beyond 2^32", REROLLS, set_to("dice-rerolled", shown=[NUMBER_MAX])),
    ("a reroll in another book", OTHER_BOOK, rerolls(OTHER_BOOK, 2)),
    ("a reroll in another book, with another link", OTHER_BOOK, rerolls(OTHER_BOOK, 2, is_linked=False)),
    (
        "another link of the server in the cups",
        TWO,
        lambda entries: wrong_links_of_the_server(entries, committed=False),
    ),
    (
        "another link of the server, to which it has committed",
        TWO,
        lambda entries: wrong_links_of_the_server(entries, committed=True),
    ),
    ("another link of the server where nothing is committed", TWO, without_digests),
    ("a deal too few, and the first one not as committed", REROLLS, missing_deal_that_was_not_committed),
    ("a deal of all that is called a reroll", REROLLS, lifted(lambda cups: cups["deals"][0].update(reroll_of=0))),
    ("a reroll of another seat in the cups", REROLLS, lifted(lambda cups: cups["deals"][1].update(reroll_of=1))),
    ("shown dice that come last in the cups", REROLLS, lifted(lambda cups: cups["dice"][0].reverse())),
    ("an empty cup of a free seat", TWO, in_last("cups-lifted", lambda cups: cups["dice"].append([]))),
    ("another bid that is resolved", TWO, set_in("challenge-resolved", "bid", quantity=999)),
    ("another challenger", TWO, other("challenge-resolved", "challenger")),
    ("another count of all", TWO, in_last("challenge-resolved", lambda one: one.update(actual=one["actual"] + 1))),
    ("another winner of a challenge", TWO, other("challenge-resolved", "winner")),
    (
        "a count for a seat that is out",
        OUT,
        in_last("challenge-resolved", lambda one: one["counts"].append({"seat": 3, "natural": 0, "wild": 0})),
    ),
    ("a loss of another seat", TWO, other("dice-lost", "seat")),
    ("another penalty", TWO, set_to("dice-lost", penalty=1)),
    ("more dice lost than there were", TWO, in_last("dice-lost", lambda one: one.update(lost=one["penalty"]))),
    ("losses in another order", PLACES, losses_in_another_order),
    (
        "another seat that goes out",
        TWO,
        in_last("players-eliminated", lambda one: one.update(seats=[1 - one["seats"][0]])),
    ),
    ("a seat that does not go out", TWO, without("players-eliminated")),
    ("a forfeit of one who is out, with dice", OUT, forfeit_of_one_who_is_out),
    ("the pot of a round for another seat", CHIPS, other("pot-won", "seat", 3)),
    ("the pot of a round that is called that of the game", CHIPS, set_to("pot-won", pot="game")),
    ("a pot of a round that nobody wins", CHIPS, without("pot-won")),
    ("another pot of the game", LEFT, last("pot-won", chips=1)),
    ("a pot of the game that is called that of the round", LEFT, last("pot-won", pot="round")),
    ("a pot of the game for another seat", LEFT, in_last("pot-won", lambda one: one.update(seat=1 - one["seat"]))),
    ("an empty pot at the end", CHIPS, insert("game-ended", "pot-won.v1", after=-1, seat=0, pot="round", chips=0)),
    ("a pot of a round that is left, for another seat", LEFT, other("pot-won", "seat")),
    ("a pot of a round that is left, of other chips", LEFT, set_to("pot-won", chips=1)),
    ("a pot of a round that is left, and forgotten", LEFT, without("pot-won")),
    ("pots in another order", LEFT, pots_in_another_order),
    ("another number at the end of a round", TWO, numbered("round-ended", 2)),
    (
        "a round that follows with its number again",
        CHIPS,
        lambda entries: all_of(entries, "round-started")[1].update(number=1),
    ),
    ("another winner of the game", TWO, other("game-ended", "winner")),
    ("places without the winner", TWO, in_last("game-ended", lambda one: one["places"].pop(0))),
    ("chips of one seat in the end", LEFT, in_last("game-ended", lambda one: one["chips"].pop())),
    ("other chips in the end", LEFT, in_last("game-ended", lambda one: one["chips"].reverse())),
    ("no chips in the end", LEFT, last("game-ended", chips=None)),
    ("chips in the end of a game without", TWO, last("game-ended", chips=[0, 0])),
    ("an empty list of chips in the end of a game without", TWO, last("game-ended", chips=[])),
    ("chips of a seat that nobody has in the end", LEFT, in_last("game-ended", lambda one: one["chips"].append(0))),
)
"""What is wrong, in which game, and how it is made."""
