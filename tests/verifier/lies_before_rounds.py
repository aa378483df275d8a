"""Lies for the test vectors about what comes before the first round: the table, its players, and who opens."""

from collections.abc import Callable
from typing import Any

from services.verifier.curve import PRIME, problem_of_key
from tests.verifier.changes import Change, index_of, insert, set_in, set_to, sized, text_of
from tests.verifier.decided import Entries, all_of, game
from tests.verifier.games import Entry, SignedPlay

LOBBY = "a game abandoned in the lobby"
FULL = "a game abandoned before the first bid"
NAMED = "an opener of the options whom nobody took the seat of"
DRAWN = "two players at a table for four"
ROLLED = "two players at a table for four who roll for the opener"
TIED = "a tie and a skull in the opening roll"
LEAVING = "players on lower seats who leave"
CLOCK = "a challenge of the clock, for no bid is higher"
CHIPS = "chips to the end"


def bytes_of(number: int) -> str:
    """A public key as it is written in events."""
    return text_of(number.to_bytes(32, "little"))


def _first(numbers: range, *, good: bool) -> int:
    """The first of some heights at which there is a good key, or no point at all."""
    wanted = None if good else "is not a point of the curve"
    return next(number for number in numbers if problem_of_key(number.to_bytes(32, "little")) == wanted)


NO_POINT = bytes_of(_first(range(2, 100), good=False))
SMALL_ORDER = bytes_of(1)
BAD_KEYS = {
    "a signing key with a y of the prime or more": bytes_of(PRIME + _first(range(2, 19), good=True)),
    "a signing key with a y that no point has": NO_POINT,
    "a signing key with a sign for x = 0": bytes_of(PRIME - 1 | 1 << 255),
    "a signing key of order four": bytes_of(0),
}


def joined(**fields: Any) -> Change:
    """Somebody joins after all others."""

    def change(entries: Entries) -> None:
        players = all_of(entries, "player-joined")
        given = dict.fromkeys(("seat", "player_id", "name", "kind", "anchor", "chain_held_by", "signing_key"))
        given |= {**players[-1], "seat": len(players), "player_id": "another", "anchor": text_of(b"\1" * 32)}
        given |= {"signing_key": None, **fields}
        index = index_of(entries, "player-joined", -1)
        given["at"] = given.pop("at")
        entries.insert(index + 1, Entry("player-joined.v2", given))

    return change


def with_anchor(about: str, party: str, **fields: Any) -> Change:
    """Somebody joins with the anchor of the server, or of the first player."""
    entries = game(about).entries
    anchors = {
        "server": entries[0].public["fairness"]["server_anchor"],
        "player": all_of(entries, "player-joined")[0]["anchor"],
    }
    return joined(anchor=anchors[party], **fields)


def first_player(**fields: Any) -> Change:
    """The first player joins with other fields, and with a key."""

    def change(entries: Entries) -> None:
        entry = entries[index_of(entries, "player-joined")]
        entry.topic = "player-joined.v2"
        at = entry.public.pop("at")
        entry.public |= {"signing_key": None, **fields, "at": at}

    return change


def rolls_uncalled(about: str) -> Change:
    """In the second opening roll a seat that is not called rolls too, with its link of that number."""
    play = game(about)

    def change(entries: Entries) -> None:
        index = index_of(entries, "roll-called", 1)
        call = entries[index].public
        seat = next(one for one in range(3) if one not in call["seats"])
        entries.insert(index + 1, rolled(play, seat, call["call"], entries[index].public["at"]))

    return change


def rolled(play: SignedPlay, seat: int, number: int, at: int) -> Entry:
    """A roll of a seat with its link of this number."""
    return Entry("rolled.v1", {"seat": seat, "link": text_of(play.chains.players[seat].link(number)), "at": at})


def higher_link(about: str) -> Change:
    """The first roll has the link of the next number."""
    play = game(about)
    return lambda entries: entries[index_of(entries, "rolled")].public.update(
        link=text_of(play.chains.players[entries[index_of(entries, "rolled")].public["seat"]].link(2))
    )


def first_roll(change: Callable[[list[Any]], object]) -> Change:
    """Other dice in the opening roll."""
    return lambda entries: change(all_of(entries, "opening-dice-rolled")[0]["rolls"])


def server_link_of_two(about: str) -> Change:
    """The server's link of the opening roll has the next number."""
    link = text_of(game(about).chains.server.link(2))
    return set_to("opening-dice-rolled", server_link=link)


def other(kind: str, name: str, count: int = 2) -> Change:
    """The next seat in a field of an event."""

    def change(entries: Entries) -> None:
        public = entries[index_of(entries, kind)].public
        public[name] = (public[name] + 1) % count

    return change


def numbered(kind: str, number: int) -> Change:
    """Another number in the first event of a kind."""
    return lambda entries: entries[index_of(entries, kind)].public.update(number=number)


def committed_bid(entries: Entries) -> None:
    """A bid before the game starts, with a commitment that no bid has."""
    insert("game-started", "bid-placed.v1", seat=0, quantity=1, face=2)(entries)
    entries[index_of(entries, "bid-placed")].secret = {"link": "none"}


def signed_bid(entries: Entries) -> None:
    """A signature where the seat has no key."""
    index = index_of(entries, "bid-placed")
    entries[index].signer, entries[index].after, entries[index].signature = 0, index, bytes(64)


LIES_BEFORE_ROUNDS: tuple[tuple[str, str, Change], ...] = (
    ("a table with one seat", LOBBY, sized(seats=1, dice_each=1)),
    ("no dice each", LOBBY, sized(seats=2, dice_each=0)),
    ("a turn of more than a week", CLOCK, set_in("game-created", "options", turn_seconds=604_801)),
    ("an opener whose seat is above the last one", NAMED, set_in("game-created", "options", opener=3)),
    ("a player at a full table", FULL, joined()),
    ("a player with a bad key at a full table", FULL, joined(signing_key=SMALL_ORDER)),
    ("a player with the anchor of another at a full table", FULL, with_anchor(FULL, "player")),
    ("a player with the anchor of the server", NAMED, with_anchor(NAMED, "server")),
    ("a player with the anchor of another on another seat", NAMED, with_anchor(NAMED, "player", seat=0)),
    *((about, LOBBY, first_player(signing_key=key)) for about, key in BAD_KEYS.items()),
    (
        "a player with a bad key, the server's anchor and a chain that the server holds",
        NAMED,
        with_anchor(NAMED, "server", signing_key=NO_POINT, chain_held_by="server"),
    ),
    ("nobody leaves", LEAVING, set_to("player-left", seat=3)),
    (
        "an unsigned bid in the lobby of a seat that signs",
        LEAVING,
        insert("game-started", "bid-placed.v1", seat=0, quantity=1, face=2),
    ),
    ("a commitment at a bid in the lobby", FULL, committed_bid),
    ("a signature of a seat without a key", NAMED, signed_bid),
    ("no chips in a game with chips", CHIPS, set_to("game-started", chips_each=None)),
    ("49 chips each", CHIPS, set_to("game-started", chips_each=49)),
    ("chips in a game without chips", DRAWN, set_to("game-started", chips_each=50)),
    (
        "an opener who is drawn although one was named",
        NAMED,
        insert("opener-chosen", "roll-called.v1", seats=[0, 1], call=1, calls=1),
    ),
    ("a named opener on a free seat", NAMED, set_to("opener-chosen", seat=2)),
    ("a named opener who is said to be drawn", NAMED, set_to("opener-chosen", how="drawn")),
    ("another opener than the one that was drawn", DRAWN, other("opener-chosen", "seat")),
    ("a drawn opener who is said to be named", DRAWN, set_to("opener-chosen", how="named")),
    ("another opener than the one with the best roll", ROLLED, other("opener-chosen", "seat")),
    ("a rolled opener who is said to be drawn", ROLLED, set_to("opener-chosen", how="drawn")),
    ("another link of the server in the draw", DRAWN, server_link_of_two(DRAWN)),
    ("another link of the server in the opening roll", ROLLED, server_link_of_two(ROLLED)),
    (
        "another die in the opening roll",
        ROLLED,
        first_roll(lambda rolls: rolls[0].update(dice=[rolls[0]["dice"][0] % 6 + 1])),
    ),
    ("a roll that is missing in the opening roll", ROLLED, first_roll(lambda rolls: rolls.pop())),
    ("two dice each in the opening roll", ROLLED, first_roll(lambda rolls: rolls[0]["dice"].append(1))),
    ("dice where the opener is drawn", DRAWN, first_roll(lambda rolls: rolls.append({"seat": 0, "dice": [1]}))),
    ("a roll of a seat that is not called again", TIED, rolls_uncalled(TIED)),
    ("a link with a higher number than the call", DRAWN, higher_link(DRAWN)),
    ("a call for the free seats too", DRAWN, set_to("roll-called", seats=[0, 1, 2, 3])),
    ("a call with its seats in another order", DRAWN, set_to("roll-called", seats=[1, 0])),
    ("a first round with the number 0", NAMED, numbered("round-started", 0)),
    ("another opener of a round", NAMED, other("round-started", "opener")),
    ("other dice of a round", NAMED, set_to("round-started", dice_counts=[1, 2])),
    ("no dice for free seats", NAMED, set_to("round-started", dice_counts=[1, 1, 0])),
    ("a Palafico round from the start", NAMED, set_to("round-started", palafico=True)),
)
"""What is wrong, in which game, and how it is made."""
