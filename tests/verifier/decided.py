"""Good games for the test vectors: each has something at which another checker could take a wrong turn."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

from msgspec import Struct

from tests.verifier.games import Entry, SignedPlay
from tests.verifier.scripted import scripted

Entries = list[Entry]
Needed = Callable[[Entries], object]
ALL, NOBODY = frozenset({0, 1}), frozenset[int]()


class Spec(Struct, frozen=True):
    """A game that plays itself from a seed, and what it is needed for."""

    rulebook: str
    needed: Needed
    seed: int = 0
    players: int = 3
    signing: frozenset[int] = NOBODY
    quits: float = 0.0
    options: tuple[tuple[str, Any], ...] = (("dice_each", 2),)

    def played(self, seed: int | None = None) -> SignedPlay:
        """The game that begins with this seed."""
        number = self.seed if seed is None else seed
        play = SignedPlay(f"decided-{number}", self.rulebook, self.players, self.signing, **dict(self.options))
        play.play(self.quits)
        return play


def options(**given: Any) -> tuple[tuple[str, Any], ...]:
    """Options of a small game."""
    return tuple({"dice_each": 2, **given}.items())


def kinds(entries: Entries) -> list[str]:
    """The kinds of all events."""
    return [entry.kind for entry in entries]


def all_of(entries: Entries, kind: str) -> list[dict[str, Any]]:
    """The public parts of all events of a kind."""
    return [entry.public for entry in entries if entry.kind == kind]


def rounds_of(entries: Entries) -> list[Entries]:
    """The events of each round."""
    starts = [index for index, kind in enumerate(kinds(entries)) if kind == "round-started"]
    return [entries[start:end] for start, end in zip(starts, [*starts[1:], len(entries)], strict=True)]


def raises_of(entries: Entries) -> Iterator[tuple[tuple[int, int], tuple[int, int], bool]]:
    """Each raise: the bid before and the new one, with quantity and face, and whether the round is a Palafico round."""
    for events in rounds_of(entries):
        made = [(bid["quantity"], bid["face"]) for bid in all_of(events, "bid-placed")]
        for before, new in itertools.pairwise(made):
            yield before, new, events[0].public["palafico"]


def follows(entries: Entries, first: str, second: str) -> bool:
    """Whether an event of one kind comes right after one of another kind."""
    names = kinds(entries)
    return any(pair == (first, second) for pair in itertools.pairwise(names))


def is_counted_as_natural(entries: Entries) -> bool:
    """Somebody challenges a bid on ones where ones are wild, and ones lie there."""
    return any(one["bid"]["face"] == 1 and one["actual"] for one in all_of(entries, "challenge-resolved"))


def is_exact(entries: Entries) -> bool:
    """A bid is exact, and the game goes on."""
    return any(
        resolved["actual"] == resolved["bid"]["quantity"]
        for events in rounds_of(entries)[:-1]
        for resolved in all_of(events, "challenge-resolved")
    )


def loses_more_than_it_has(entries: Entries) -> bool:
    """A seat loses all its dice, and should lose more."""
    return any(loss["penalty"] > loss["lost"] for loss in all_of(entries, "dice-lost"))


def two_go_out(entries: Entries) -> bool:
    """Two seats share a place."""
    return any(len(one["seats"]) == 2 for one in all_of(entries, "players-eliminated"))


def has_palafico_round(entries: Entries) -> bool:
    """A Palafico round has a raise, and one that is plain comes after it or before it has a raise to ones."""
    return any(palafico for *_, palafico in raises_of(entries))


def palafico_counts_no_ones(entries: Entries) -> bool:
    """In a Palafico round that ends with a challenge, ones lie under the cups and don't count."""
    return any(
        events[0].public["palafico"]
        and any(1 in hand for lifted in all_of(events, "cups-lifted") for hand in lifted["dice"])
        and any(one["bid"]["face"] != 1 for one in all_of(events, "challenge-resolved"))
        for events in rounds_of(entries)
    )


def raises_to_ones(entries: Entries) -> bool:
    """A bid on ones raises another face in a plain round."""
    return any(new[1] == 1 != before[1] and not palafico for before, new, palafico in raises_of(entries))


def steps_from_a_number_to_its_star(entries: Entries) -> bool:
    """Wild space k comes right after the number 2k - 1, and the number 2k right after it."""
    made = {(before, new) for before, new, _ in raises_of(entries)}
    to_star = any(new[1] == 1 and before[0] == 2 * new[0] - 1 and before[1] != 1 for before, new in made)
    return to_star and any(before[1] == 1 and new[0] == 2 * before[0] and new[1] != 1 for before, new in made)


def lower_quantity_of_a_higher_face(entries: Entries) -> bool:
    """Only `same_face_or_higher_face` allows it."""
    return any(new[1] > before[1] and new[0] < before[0] for before, new, _ in raises_of(entries))


def more_of_a_lower_face(entries: Entries) -> bool:
    """Only `quantity_or_face` allows it, for the higher number stays the same."""
    return any(new[1] < before[1] and before[0] < new[0] <= before[1] for before, new, _ in raises_of(entries))


def fewer_of_a_face_above_both(entries: Entries) -> bool:
    """A face above quantity and face of the bid before is enough, even with fewer dice; and so is a quantity."""
    made = [(before, new) for before, new, _ in raises_of(entries)]
    by_face = any(new[1] > max(before) >= new[0] for before, new in made)
    return by_face and any(new[0] > max(before) >= new[1] for before, new in made)


def reroll_before_another_deal(entries: Entries) -> bool:
    """A reroll comes with its bid, signed, another one later by itself, and another round follows."""
    together = any(entry.with_reroll for entry in entries)
    alone = any(entry.kind == "dice-rerolled" and entry.signer is not None for entry in entries)
    return together and alone and any("dice-rerolled" in kinds(events) for events in rounds_of(entries)[:-1])


def gives_up_after_the_dice_fell(entries: Entries) -> bool:
    """A seat that signs gives up after the dice fell, and the game goes on."""
    names = kinds(entries)
    return any(
        entry.kind == "player-forfeited" and entry.signer is not None and names[index - 1] == "cups-lifted"
        for index, entry in enumerate(entries)
    ) and follows(entries, "players-eliminated", "round-ended")


def gives_up_out_of_turn(entries: Entries) -> bool:
    """A seat gives up that has rolled already, while others have not."""
    for events in [entries, *rounds_of(entries)]:
        names = kinds(events)
        for index, entry in enumerate(events):
            if entry.kind == "player-forfeited" and names[index - 1] == "rolled":
                called = max(number for number in range(index) if names[number] == "roll-called")
                if entry.public["seat"] in {one.public["seat"] for one in events[called + 1 : index]}:
                    return True
    return False


def leaves_a_round_pot(entries: Entries) -> bool:
    """A forfeit leaves the pot of its round, and a later challenge wins it."""
    pots = [one["chips"] for one in all_of(entries, "pot-won") if one["pot"] == "round"]
    return "player-forfeited" in kinds(entries) and max(pots, default=0) > 3 and len(rounds_of(entries)) > 2


def wheels_beat_a_higher_sum(entries: Entries) -> bool:
    """In the opening roll of prediction-track more wheels beat a higher sum."""
    for roll in all_of(entries, "opening-dice-rolled"):
        ranks = [(one["dice"].count(1), sum(one["dice"])) for one in roll["rolls"]]
        if max(ranks)[1] < max(total for _, total in ranks):
            return True
    return False


def tie_with_a_skull(entries: Entries) -> bool:
    """In the opening roll of pirates some tie, and a skull is rolled."""
    rolls = all_of(entries, "opening-dice-rolled")
    return len(rolls) > 1 and any(one["dice"] == [1] for roll in rolls for one in roll["rolls"])


def challenger_who_loses_opens(entries: Entries) -> bool:
    """In prediction-track the challenger opens, after losing and after an exact bid."""
    lost = False
    for events in rounds_of(entries)[:-1]:
        for one in all_of(events, "challenge-resolved"):
            lost = lost or one["winner"] != one["challenger"]
    return lost and is_exact(entries)


def lowest_of_equally_low(entries: Entries) -> bool:
    """The clock opens a round and makes the lowest raise, and several faces have an equally low one."""
    made = late_bids(entries)
    return any(before is None for before, _ in made) and any(before is not None for before, _ in made)


def late_bids(entries: Entries) -> list[tuple[dict[str, Any] | None, dict[str, Any]]]:
    """The bids that the clock made, each with the bid before it."""
    made = list[tuple[dict[str, Any] | None, dict[str, Any]]]()
    for events in rounds_of(entries):
        before: dict[str, Any] | None = None
        for last, entry in itertools.pairwise(events):
            if entry.kind == "bid-placed":
                if last.kind == "turn-timed-out":
                    made.append((before, entry.public))
                before = entry.public
    return made


def late_raise_on_the_track(entries: Entries) -> bool:
    """The clock raises a number bid on its own space, and a bid that has no higher face on its space."""
    raised = [(before, new) for before, new in late_bids(entries) if before is not None]
    return any(before["quantity"] == new["quantity"] and before["face"] > 1 for before, new in raised)


def is_late_and_signs(entries: Entries) -> bool:
    """The time of a seat that signs is up while it has to roll."""
    return any(
        last.kind == "turn-timed-out" and entry.kind == "player-forfeited" and entry.public["seat"] in ALL
        for last, entry in itertools.pairwise(entries)
    )


def rerolls_after_a_bid_of_the_clock(entries: Entries) -> bool:
    """The clock bids for a seat that signs, which then rerolls."""
    return any(
        (first.kind, bid.kind, reroll.kind) == ("turn-timed-out", "bid-placed", "dice-rerolled")
        and reroll.signer is not None
        for first, bid, reroll in zip(entries, entries[1:], entries[2:], strict=False)
    )


def is_late_after_a_reroll(entries: Entries) -> bool:
    """The clock makes a bid right after a reroll of the bidder before."""
    return any(
        (reroll.kind, late.kind, bid.kind) == ("dice-rerolled", "turn-timed-out", "bid-placed")
        for reroll, late, bid in zip(entries, entries[1:], entries[2:], strict=False)
    )


def late_while_rolling(entries: Entries) -> bool:
    """A roll is missing when time is up, which is a forfeit whatever the options say."""
    return follows(entries, "rolled", "turn-timed-out") or follows(entries, "roll-called", "turn-timed-out")


def opens_instead_of_the_one_named_before(entries: Entries) -> bool:
    """The opener that is named at the start is not the one of the options."""
    return [one["seat"] for one in all_of(entries, "opener-chosen")] == [0]


def rerolls_after_the_first_bid(entries: Entries) -> bool:
    """The first bid of the game is followed by a reroll."""
    first_bid = kinds(entries).index("bid-placed")
    return entries[first_bid + 1].kind == "dice-rerolled" and follows(entries, "dice-rerolled", "bid-placed")


CLOCK = {"turn_seconds": 1}
GOOD = {
    "a bid on ones that are wild": Spec("bidding-track", is_counted_as_natural, seed=69),
    "an exact bid on the bidding track": Spec("bidding-track", is_exact, seed=2),
    "a loss of more dice than are left": Spec("bidding-track", loses_more_than_it_has, seed=65),
    "two who go out together": Spec("bidding-track", two_go_out, seed=47, options=options(dice_each=1)),
    "from a number to the wild space after it and on": Spec(
        "prediction-track", steps_from_a_number_to_its_star, seed=95
    ),
    "a challenger who opens after losing and after an exact bid": Spec(
        "prediction-track", challenger_who_loses_opens, seed=32, options=options(dice_each=3)
    ),
    "wheels that beat a higher sum": Spec("prediction-track", wheels_beat_a_higher_sum, seed=112),
    "a tie and a skull in the opening roll": Spec("pirates", tie_with_a_skull, seed=58),
    "a Palafico round": Spec("palafico", has_palafico_round, seed=105),
    "a Palafico round in which ones don't count": Spec("palafico", palafico_counts_no_ones, seed=94),
    "a raise to ones in palafico": Spec("palafico", raises_to_ones, seed=2),
    "single-hand: quantity_or_face": Spec("single-hand", more_of_a_lower_face, seed=8),
    "single-hand: same_face_or_higher_face": Spec(
        "single-hand", lower_quantity_of_a_higher_face, seed=105, options=options(raise_rule="same_face_or_higher_face")
    ),
    "single-hand: beat_the_higher_number": Spec(
        "single-hand", fewer_of_a_face_above_both, seed=8, options=options(raise_rule="beat_the_higher_number")
    ),
    "single-hand with wild aces": Spec("single-hand", is_counted_as_natural, seed=82, options=options(wild_aces=True)),
    "rerolls with a bid and alone, and another deal": Spec(
        "bidding-track", reroll_before_another_deal, seed=75, signing=ALL
    ),
    "a signed forfeit after the dice fell": Spec(
        "single-hand", gives_up_after_the_dice_fell, seed=96, signing=ALL, quits=0.05
    ),
    "a forfeit of a seat that has rolled": Spec("palafico", gives_up_out_of_turn, seed=55, signing=ALL, quits=0.1),
    "chips and a forfeit": Spec("bidding-track", leaves_a_round_pot, seed=138, quits=0.03, options=options(chips=True)),
    "a time that was up while rolling": Spec(
        "palafico", late_while_rolling, seed=55, quits=0.1, options=options(**CLOCK, on_timeout="lowest_bid")
    ),
    "an opener named at the start and another in the options": Spec(
        "single-hand", opens_instead_of_the_one_named_before, seed=37, options=options(opener=1)
    ),
    "an unsigned game with a reroll": Spec("bidding-track", rerolls_after_the_first_bid, seed=228),
    "a signing seat that is late": Spec(
        "palafico", is_late_and_signs, seed=115, signing=ALL, quits=0.2, options=options(**CLOCK)
    ),
    "a reroll after a bid of the clock": Spec(
        "bidding-track",
        rerolls_after_a_bid_of_the_clock,
        seed=170,
        signing=ALL,
        quits=0.2,
        options=options(**CLOCK, on_timeout="lowest_bid"),
    ),
    "a bid of the clock after a reroll": Spec(
        "bidding-track",
        is_late_after_a_reroll,
        seed=38,
        quits=0.2,
        options=options(**CLOCK, on_timeout="lowest_bid"),
    ),
    "lowest bids of the clock": Spec(
        "single-hand", lowest_of_equally_low, seed=66, quits=0.4, options=options(**CLOCK, on_timeout="lowest_bid")
    ),
    "lowest bids of the clock on the track": Spec(
        "prediction-track",
        late_raise_on_the_track,
        seed=100,
        quits=0.3,
        options=options(**CLOCK, on_timeout="lowest_bid"),
    ),
}
"""Games in which nothing is wrong. The seeds are those of short ones; `find` finds others."""


def find(spec: Spec, seeds: Sequence[int] = range(300)) -> int | None:
    """The seed of the shortest game that has what is needed."""
    found = []
    for seed in seeds:
        entries = spec.played(seed).entries
        if "game-ended" in kinds(entries) and spec.needed(entries):
            found.append((len(entries), seed))
    return min(found)[1] if found else None


@cache
def game(about: str) -> SignedPlay:
    """One of the good games, of these or of those that are scripted."""
    if about not in GOOD:
        return scripted(about)
    play = GOOD[about].played()
    assert GOOD[about].needed(play.entries), f"another seed is needed: {find(GOOD[about])}"
    return play
