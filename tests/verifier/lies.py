"""Lies for the test vectors: bundles with one thing in them that is wrong."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from tests.verifier.changes import (
    Change,
    a_millisecond_early,
    bid_after_the_cups,
    bid_for_the_clocks,
    cups_when_a_bid_is_due,
    cut,
    early_and_backwards,
    edited,
    ended_twice,
    first_deal,
    forfeit_of_one_who_is_out,
    index_of,
    insert,
    lie,
    lifted,
    move,
    older_past,
    opening_changed,
    opens_with_ones,
    other_face_in_palafico,
    other_shown,
    plain_instead_of_palafico,
    reroll_when_late,
    resigned_when_late,
    same_anchor,
    set_in,
    set_to,
    shows_nothing,
    signed_deal,
    sized,
    swapped_counts,
    unsigned_reroll,
    with_signatures_alone,
)
from tests.verifier.decided import game, kinds
from tests.verifier.games import bundle, stored
from tests.verifier.lies_before_rounds import LIES_BEFORE_ROUNDS
from tests.verifier.lies_in_rounds import LIES_IN_ROUNDS
from tests.verifier.lies_out_of_place import LIES_OUT_OF_PLACE
from tests.verifier.log import SERVER
from tests.verifier.strange_keys import HighKey, MixedKey, Told, notes, signed_otherwise

LIES: tuple[tuple[str, str, Change], ...] = (
    ("a table of another game", "two who go out together", set_to("game-created", game_id="another")),
    ("no such rulebook", "two who go out together", set_to("game-created", rulebook="another-book")),
    ("another version of the rulebook", "two who go out together", set_to("game-created", rulebook_version=2)),
    ("another version of fair dice", "two who go out together", set_in("game-created", "fairness", version=2)),
    ("a chain length of another table", "two who go out together", set_in("game-created", "fairness", chain_length=68)),
    ("a table with too many seats", "a tie and a skull in the opening roll", sized(seats=5)),
    ("chips in a book without them", "single-hand: quantity_or_face", set_in("game-created", "options", chips=True)),
    ("wild aces in another book", "a Palafico round", set_in("game-created", "options", wild_aces=True)),
    (
        "a raise rule in another book",
        "a Palafico round",
        set_in("game-created", "options", raise_rule="same_face_or_higher_face"),
    ),
    ("eleven dice each", "single-hand: quantity_or_face", sized(dice_each=11)),
    ("a turn of no seconds", "lowest bids of the clock", set_in("game-created", "options", turn_seconds=0)),
    (
        "a choice for the end of no clock",
        "single-hand: quantity_or_face",
        set_in("game-created", "options", on_timeout="challenge"),
    ),
    (
        "an opener named in a book that rolls for it",
        "a tie and a skull in the opening roll",
        set_in("game-created", "options", opener=0),
    ),
    (
        "an opener named at the start in a book that rolls for it",
        "a tie and a skull in the opening roll",
        insert("roll-called", "opener-chosen.v1", seat=0, how="named"),
    ),
    (
        "another raise rule",
        "single-hand: quantity_or_face",
        set_in("game-created", "options", raise_rule="beat_the_higher_number"),
    ),
    ("a player on another seat", "two who go out together", set_to("player-joined", 1, seat=2)),
    ("a player who sits there twice", "two who go out together", set_to("player-joined", 1, player_id="player-0")),
    ("two parties with one anchor", "two who go out together", same_anchor),
    (
        "a signing seat whose chain the server holds",
        "a signed forfeit after the dice fell",
        set_to("player-joined", chain_held_by="server"),
    ),
    ("a game that starts with one player", "two who go out together", lambda entries: entries.__delitem__(slice(2, 4))),
    ("more dice than the options say", "two who go out together", set_to("game-started", dice_each=2)),
    ("a call for other seats", "two who go out together", set_to("roll-called", seats=[0, 1])),
    ("a call with another number", "two who go out together", set_to("roll-called", call=2)),
    ("a call that sets aside too few numbers", "an unsigned game with a reroll", set_to("roll-called", 1, calls=1)),
    (
        "a second roll of a seat",
        "two who go out together",
        lambda entries: entries.insert(index_of(entries, "rolled") + 1, deepcopy(entries[index_of(entries, "rolled")])),
    ),
    (
        "a roll after all have rolled",
        "an unsigned game with a reroll",
        lambda entries: entries.insert(
            index_of(entries, "dice-dealt"), deepcopy(entries[index_of(entries, "dice-dealt") - 1])
        ),
    ),
    (
        "a deal before all have rolled",
        "an unsigned game with a reroll",
        lambda entries: entries.pop(index_of(entries, "dice-dealt") - 1),
    ),
    (
        "a bid before all have rolled",
        "an unsigned game with a reroll",
        insert("dice-dealt", "bid-placed.v1", after=-1, seat=0, quantity=1, face=2),
    ),
    (
        "a call that is complete and then cut",
        "an unsigned game with a reroll",
        insert("dice-dealt", "player-forfeited.v1", seat=0, reason="resigned", lost=2),
    ),
    (
        "a game abandoned between two rounds",
        "an exact bid on the bidding track",
        insert("round-ended", "game-abandoned.v1", after=1, reason="Everybody has gone."),
    ),
    ("an event after the end of the game", "two who go out together", ended_twice),
    ("a bid of a seat that nobody has", "two who go out together", set_to("bid-placed", seat=99)),
    (
        "a bid of another seat",
        "an unsigned game with a reroll",
        lambda entries: entries[index_of(entries, "bid-placed")].public.update(
            seat=(entries[index_of(entries, "bid-placed")].public["seat"] + 1) % 3
        ),
    ),
    ("a bid on a face that no die has", "two who go out together", set_to("bid-placed", face=7)),
    ("a bid on 1,001 dice", "two who go out together", set_to("bid-placed", quantity=1001)),
    ("ones that open in palafico", "a raise to ones in palafico", opens_with_ones),
    ("ones in pirates", "a tie and a skull in the opening roll", opens_with_ones),
    ("another face in a Palafico round", "a Palafico round", other_face_in_palafico),
    ("a plain round that should be a Palafico round", "a Palafico round", plain_instead_of_palafico),
    ("a challenge of another bid", "two who go out together", set_in("bid-challenged", "bid", quantity=900)),
    ("a count that calls natural what is wild", "a bid on ones that are wild", swapped_counts),
    ("another place", "two who go out together", set_to("players-eliminated", place=3)),
    (
        "another order of places",
        "an exact bid on the bidding track",
        lambda entries: entries[-1].public["places"].reverse(),
    ),
    (
        "another ante",
        "chips and a forfeit",
        lambda entries: entries[index_of(entries, "antes-paid")].public["antes"][0].update(round_pot=0),
    ),
    ("another pot", "chips and a forfeit", set_to("pot-won", chips=1)),
    ("a reroll that shows nothing", "rerolls with a bid and alone, and another deal", shows_nothing),
    ("a reroll before the first bid", "an unsigned game with a reroll", move("dice-rerolled", 0, -1)),
    (
        "a reroll with the link of another seat",
        "an unsigned game with a reroll",
        lambda entries: entries[index_of(entries, "dice-rerolled")].public.update(
            seat=(entries[index_of(entries, "dice-rerolled")].public["seat"] + 1) % 3
        ),
    ),
    ("a shown die that did not lie there", "an unsigned game with a reroll", other_shown),
    (
        "a reroll with no hand in the cups",
        "an unsigned game with a reroll",
        lifted(lambda cups: cups["deals"][1].update(hands=[])),
    ),
    (
        "a reroll with two hands in the cups",
        "an unsigned game with a reroll",
        lifted(lambda cups: cups["deals"][1]["hands"].append([1])),
    ),
    (
        "a reroll of nobody in the cups",
        "an unsigned game with a reroll",
        lifted(lambda cups: cups["deals"][1].update(reroll_of=None)),
    ),
    ("a deal that the cups don't show", "an unsigned game with a reroll", lifted(lambda cups: cups["deals"].pop())),
    (
        "a deal too many in the cups",
        "an unsigned game with a reroll",
        lifted(lambda cups: cups["deals"].append(cups["deals"][0])),
    ),
    (
        "other dice in the end than in the deals",
        "an unsigned game with a reroll",
        lifted(lambda cups: cups["dice"][0].append(cups["dice"][0].pop() % 6 + 1)),
    ),
    (
        "a deal without a commitment",
        "two who go out together",
        lambda entries: setattr(first_deal(entries), "secret", None),
    ),
    (
        "a commitment at a bid",
        "two who go out together",
        lambda entries: setattr(entries[index_of(entries, "bid-placed")], "secret", {"link": "none"}),
    ),
    (
        "a secret that is another text",
        "two who go out together",
        lambda entries: setattr(first_deal(entries), "secret", {"server_link": "none"}),
    ),
    (
        "an event without a digest after one that has one",
        "two who go out together",
        lambda entries: setattr(entries[5], "bare", True),
    ),
    ("signatures without digests", "a signed forfeit after the dice fell", with_signatures_alone),
    ("a bid on a past that has gone by", "rerolls with a bid and alone, and another deal", older_past),
    ("a signature at a deal", "a signed forfeit after the dice fell", signed_deal),
    ("a bid after the cups", "a signed forfeit after the dice fell", bid_after_the_cups),
    ("a forfeit of one who is out", "an unsigned game with a reroll", forfeit_of_one_who_is_out),
    ("a forfeit of other dice", "chips and a forfeit", set_to("player-forfeited", lost=9)),
    ("a forfeit for a time that was not up", "chips and a forfeit", set_to("player-forfeited", reason="time")),
    ("a resignation after a time-out, unsigned", "a signing seat that is late", resigned_when_late),
    ("a time that was up too early after a deal", "lowest bids of the clock", a_millisecond_early("dice-dealt")),
    ("a time that was up too early after a bid", "lowest bids of the clock", a_millisecond_early("bid-placed")),
    ("a time that was up too early and runs backwards", "lowest bids of the clock", early_and_backwards),
    (
        "the time of another seat",
        "lowest bids of the clock",
        lambda entries: entries[index_of(entries, "turn-timed-out")].public.update(
            seat=(entries[index_of(entries, "turn-timed-out")].public["seat"] + 1) % 3
        ),
    ),
    ("a reroll when the time of the next seat was up", "a bid of the clock after a reroll", reroll_when_late),
    ("an unsigned reroll after a bid of the clock", "a reroll after a bid of the clock", unsigned_reroll),
    ("the time of a seat that nobody waits for", "lowest bids of the clock", set_to("turn-timed-out", seat=99)),
    ("another bid of the clock than the lowest", "lowest bids of the clock", bid_for_the_clocks({"quantity": 9})),
    ("cups where a bid of the clock is due", "lowest bids of the clock", cups_when_a_bid_is_due),
)
"""What is wrong, in which game, and how it is made."""


def lies() -> Iterator[Told]:
    """All of them: what they are, the file, and the keys that a checker is given."""
    for about, base, change in (*LIES, *LIES_BEFORE_ROUNDS, *LIES_IN_ROUNDS, *LIES_OUT_OF_PLACE):
        yield about, lie(base, change), SERVER.key, []
    signing = "a signed forfeit after the dice fell"
    yield "an opening with another salt", lie("two who go out together", kinds, opening_changed), SERVER.key, []
    yield (
        "an event with the version of another",
        lie("two who go out together", kinds, lambda members: members["events"][3].update(version=5)),
        SERVER.key,
        [],
    )
    small = bundle(stored(game("two who go out together")), None)
    yield "an escape that is not needed", small.replace(b"Somebody", b"\\\\u0053omebody", 1), SERVER.key, []
    one = game(signing)
    stops = index_of(one.entries, "bid-placed") + 1
    yield "a bundle that stops in the middle of a round", cut(one, one.entries, stops), SERVER.key, []
    high = signed_otherwise(signing, lambda seat: HighKey(one.key(seat)), None)
    yield "a signature whose second half is not below the order", high, SERVER.key, []

    def mixed(seat: int) -> MixedKey:
        return MixedKey(seat.to_bytes(32, "big"))

    made = signed_otherwise(signing, mixed, lambda seat: mixed(seat).public)
    yield "a signature that is good with the cofactor alone", made, SERVER.key, []
    yield from notes()
    yield "a leaf that the log does not have", edited(small, lambda members: members.update(leaf=99)), SERVER.key, []
    yield "a proof with a hash too many", edited(small, _longer_proof), SERVER.key, []


def _longer_proof(members: dict[str, Any]) -> None:
    members["proof"].append(members["proof"][0])
