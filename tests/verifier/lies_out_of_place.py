"""Lies for the test vectors about what can't come where it is: games that are abandoned there, and moves after time was up."""

from tests.verifier.changes import Change, index_of, insert
from tests.verifier.decided import Entries
from tests.verifier.games import Entry
from tests.verifier.lies_before_rounds import TIED
from tests.verifier.lies_in_rounds import (
    CHIPS,
    FIRST_BID_DUE,
    NAMED,
    PIRATES,
    ROLLING,
    TWO,
    due_instead,
    rerolls,
    without,
)

FORFEITS = "a forfeit by the clock on the bidding track"
EARLY = "a game abandoned before the first bid"
ROLLED_AND_GONE = "a game abandoned in the opening roll"
FIRST_BID = {"quantity": 1, "face": 2}


def abandoned(kind: str, number: int = 0, *, after: int = 0) -> Change:
    """The game is abandoned before an event of a kind, or so many events after that place."""
    return insert(kind, "game-abandoned.v1", number, after=after, reason="Everybody has gone.")


def round_ends(kind: str, *, number: int, after: int = 0) -> Change:
    """The round with this number ends before the first event of a kind, or so many events after that place."""

    def change(entries: Entries) -> None:
        index = index_of(entries, kind) + after
        entries.insert(index, Entry("round-ended.v1", {"number": number, "at": entries[index - 1].public["at"]}))

    return change


def abandoned_and_nothing_else(entries: Entries) -> None:
    """The only event abandons a game that nobody has created."""
    entries[:] = [Entry("game-abandoned.v1", {"reason": "Nobody came.", "at": 0})]


def challenge_when_late(entries: Entries) -> None:
    """The seat whose time was up challenges, where it should forfeit."""
    bid = entries[index_of(entries, "bid-placed")].public
    standing = {name: bid[name] for name in ("seat", "quantity", "face")}
    due_instead("bid-challenged.v1", 0, bid=standing)(entries)


ABANDONED: tuple[tuple[str, str, Change], ...] = (
    ("a game abandoned before it is created", TWO, abandoned_and_nothing_else),
    ("a game abandoned before an opener is called for", TWO, abandoned("roll-called")),
    ("a game abandoned before its opener is named", NAMED, abandoned("opener-chosen")),
    ("a game abandoned after all have rolled for the opener", TWO, abandoned("opening-dice-rolled")),
    ("a round that ends in the opening roll", ROLLED_AND_GONE, round_ends("game-abandoned", number=0)),
    ("a game abandoned when some tie for the opener", TIED, abandoned("roll-called", 1)),
    ("a game abandoned before its drawn opener is said", TWO, abandoned("opener-chosen")),
    ("a game abandoned when a time in the opening roll was up", ROLLING, abandoned("turn-timed-out", after=1)),
    ("a game abandoned after a forfeit in the opening roll", ROLLING, abandoned("player-forfeited", after=1)),
    ("a game abandoned before its first round", TWO, abandoned("round-started")),
    ("a game abandoned before the call of a round", NAMED, abandoned("roll-called")),
    ("a game abandoned before the antes", CHIPS, abandoned("antes-paid")),
    ("a game abandoned between the antes and the call", CHIPS, abandoned("roll-called")),
    ("a game abandoned in a call whose round does not end", NAMED, abandoned("rolled")),
    ("a game abandoned after all have rolled", NAMED, abandoned("dice-dealt")),
    ("a round that ends after all have rolled", NAMED, round_ends("dice-dealt", number=1)),
    ("a game abandoned in a turn before the cups are lifted", NAMED, abandoned("bid-placed")),
    ("a round that ends before the cups are lifted", NAMED, round_ends("bid-placed", number=1)),
    ("a game abandoned after the cups whose round does not end", EARLY, without("round-ended")),
    ("a game abandoned when a bid of the clock is due", FIRST_BID_DUE, abandoned("turn-timed-out", after=1)),
    ("a game abandoned when the cups are due", FORFEITS, abandoned("turn-timed-out", after=1)),
    ("a game abandoned when a forfeit is due", FORFEITS, abandoned("cups-lifted", after=1)),
    ("a round that ends when a forfeit is due", FORFEITS, round_ends("cups-lifted", number=1, after=1)),
    ("a game abandoned when a time in a call was up", PIRATES, abandoned("turn-timed-out", 2, after=1)),
    ("a game abandoned after a forfeit", FORFEITS, abandoned("player-forfeited", after=1)),
    ("a game abandoned after a challenge", TWO, abandoned("bid-challenged", after=1)),
    ("a game abandoned before the count", TWO, abandoned("challenge-resolved")),
    ("a game abandoned before the losses", TWO, abandoned("dice-lost")),
    ("a game abandoned before a seat is out", TWO, abandoned("players-eliminated")),
    ("a game abandoned after a seat is out", TWO, abandoned("round-ended")),
    ("a game abandoned before the pot is won", CHIPS, abandoned("pot-won")),
    ("a game abandoned after the pot is won", CHIPS, abandoned("pot-won", after=1)),
    ("a game abandoned when one seat is left", TWO, abandoned("game-ended")),
)
"""Places at which no game can be abandoned."""

AFTER_TIME_WAS_UP: tuple[tuple[str, str, Change], ...] = (
    ("a bid where the cups are due", FORFEITS, due_instead("bid-placed.v1", 0, quantity=21, face=2)),
    ("a first bid of a seat that signs where the cups are due", PIRATES, due_instead("bid-placed.v1", 0, **FIRST_BID)),
    ("a challenge where the cups are due", FORFEITS, challenge_when_late),
    ("a reroll where the cups are due", FORFEITS, rerolls(FORFEITS, 3)),
    (
        "a bid where a forfeit is due",
        FORFEITS,
        insert("cups-lifted", "bid-placed.v1", after=1, seat=1, quantity=21, face=2),
    ),
    (
        "a challenge where a forfeit is due",
        FORFEITS,
        insert("cups-lifted", "bid-challenged.v1", after=1, seat=1, bid={"seat": 0, "quantity": 20, "face": 2}),
    ),
    ("a bid when a time in a call was up", PIRATES, due_instead("bid-placed.v1", 2, **FIRST_BID)),
    ("a bid when a time in the opening roll was up", ROLLING, due_instead("bid-placed.v1", 0, **FIRST_BID)),
)
"""Moves after a `turn-timed-out` where the table says that the seat forfeits."""

LIES_OUT_OF_PLACE = (*ABANDONED, *AFTER_TIME_WAS_UP)
"""What is wrong, in which game, and how it is made."""
