"""How an honest game becomes a lie: changes of its events, after which all evidence is made again around them.

A lie ends with the event that fails. So a checker that misses it says something else: `leaf` or, if the game is over, that
all is well.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from copy import deepcopy
from re import match
from typing import Any

from services.audit.bundle import Inclusion, write_bundle
from services.verifier import Failed, verify
from tests.verifier.decided import Entries, all_of, game, kinds
from tests.verifier.games import Entry, SignedPlay, leaf_of, stored
from tests.verifier.log import SERVER, checkpoint, proof_of

Change = Callable[[Entries], object]


def text_of(content: bytes) -> str:
    """Base64."""
    return b64encode(content).decode()


def cut(play: SignedPlay, entries: Entries, count: int) -> bytes:
    """The first events of a game, as a bundle whose last one is in the log whatever it is."""
    made = stored(play, entries)
    leaf = leaf_of(made.game_id, count, entries[count - 1], made.events[count - 1].digest or b"")
    log = [b"another leaf\n", leaf, b"one more leaf\n"]
    inclusion = Inclusion(leaf=1, proof=proof_of(log, 1), checkpoint=checkpoint(log, SERVER), key=SERVER.key)
    return write_bundle(made.game_id, None, made.events[:count], inclusion)


def lie(about: str, change: Change, edit: Callable[[dict[str, Any]], object] | None = None) -> bytes:
    """A good game with a change in it, up to the event that fails. Edits are made without new evidence."""
    play = game(about)
    entries = deepcopy(play.entries)
    change(entries)
    return ended(play, entries, edit)


def ended(play: SignedPlay, entries: Entries, edit: Callable[[dict[str, Any]], object] | None = None) -> bytes:
    """A game that fails, up to the event at which it does. A bid may need the reroll after it, which it was signed with."""
    check, version = fault(edited(cut(play, entries, len(entries)), edit))
    for count in (version, version + 1):
        made = edited(cut(play, entries, min(len(entries), count)), edit)
        if fault(made) == (check, version):
            return made
    raise AssertionError("It fails otherwise when it ends there.")


def edited(data: bytes, edit: Callable[[dict[str, Any]], object] | None) -> bytes:
    """A bundle with a change that nothing was hashed or signed again for."""
    if edit is None:
        return data
    members = json.loads(data)
    edit(members)
    return json.dumps(members, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def fault(data: bytes) -> tuple[str, int]:
    """The check that fails, and the version of the event at which it does; 0 if it is none."""
    try:
        verify(data, SERVER.key)
    except Failed as failed:
        version = match(r"(?:Event|The public part of event) (\d+)", failed.sentence)
        return failed.check, int(version[1]) if version else 0
    raise AssertionError("No event fails.")


def index_of(entries: Entries, kind: str, number: int = 0) -> int:
    """The index of an event of a kind."""
    return [index for index, found in enumerate(kinds(entries)) if found == kind][number]


def set_to(kind: str, number: int = 0, **fields: Any) -> Change:
    """Set fields of an event."""
    return lambda entries: entries[index_of(entries, kind, number)].public.update(fields)


def set_in(kind: str, name: str, number: int = 0, **fields: Any) -> Change:
    """Set fields of an object in an event."""
    return lambda entries: entries[index_of(entries, kind, number)].public[name].update(fields)


def insert(kind: str, topic: str, number: int = 0, *, after: int = 0, **fields: Any) -> Change:
    """Put a new event before one of a kind, or so many events after that place."""

    def change(entries: Entries) -> None:
        index = index_of(entries, kind, number) + after
        entries.insert(index, Entry(topic, {**fields, "at": entries[index - 1].public["at"]}))

    return change


def move(kind: str, number: int, steps: int) -> Change:
    """Move an event, which then has the time of the one that stood there."""

    def change(entries: Entries) -> None:
        index = index_of(entries, kind, number)
        moved = entries.pop(index)
        moved.public["at"] = (
            entries[index + steps].public["at"] if steps < 0 else entries[index + steps - 1].public["at"]
        )
        entries.insert(index + steps, moved)

    return change


def sized(*, seats: int = 3, dice_each: int = 2) -> Change:
    """A table of another size, with chains of its length."""

    def change(entries: Entries) -> None:
        created = entries[0].public
        created["seats"], created["options"]["dice_each"] = seats, dice_each
        created["fairness"]["chain_length"] = 64 + seats * dice_each - 1

    return change


def late(entries: Entries, start: str) -> int:
    """The index of a time that was up, of which the clock started with an event of a kind."""
    names = kinds(entries)
    return next(
        index
        for index, kind in enumerate(names)
        if kind == "turn-timed-out"
        and next(one for one in reversed(names[:index]) if one in ("roll-called", "dice-dealt", "bid-placed")) == start
    )


def a_millisecond_early(start: str) -> Change:
    """A time is up a millisecond too early by its clock, though long after the clock of the move before."""

    def change(entries: Entries) -> None:
        index = late(entries, start)
        begun = max(at for at in range(index) if entries[at].kind == start)
        for entry in entries[begun:]:
            entry.public["at"] += 5000
        shift = entries[index].public["at"] - (entries[begun].public["at"] + 999)
        for entry in entries[index:]:
            entry.public["at"] -= shift

    return change


def early_and_backwards(entries: Entries) -> None:
    """A time is up too early, and earlier than the event before."""
    index = late(entries, "dice-dealt")
    entries[index].public["at"] = entries[index - 1].public["at"] - 1


def lifted(change: Callable[[dict[str, Any]], object]) -> Change:
    """A change of the first lifted cups that have a reroll."""

    def changed(entries: Entries) -> None:
        change(next(one for one in all_of(entries, "cups-lifted") if len(one["deals"]) > 1))

    return changed


def other_shown(entries: Entries) -> None:
    """A die is shown that did not lie under the cup."""
    reroll = entries[index_of(entries, "dice-rerolled")].public
    cup = next(one for one in all_of(entries, "cups-lifted") if len(one["deals"]) > 1)
    hand = cup["deals"][0]["hands"][reroll["seat"]]
    other = next(face for face in range(1, 7) if face not in hand)
    cup["dice"][reroll["seat"]][0] = reroll["shown"][0] = other


def shows_nothing(entries: Entries) -> None:
    """All dice are rerolled."""
    reroll = entries[index_of(entries, "dice-rerolled")].public
    reroll |= {"shown": [], "rerolled": len(reroll["shown"]) + reroll["rerolled"]}


def first_deal(entries: Entries) -> Entry:
    return entries[index_of(entries, "dice-dealt")]


def opening_changed(members: dict[str, Any]) -> None:
    """Another salt than was committed to."""
    event = next(one for one in members["events"] if "opened" in one)
    event["opened"] = text_of(b"\x05" * 32 + b64decode(event["opened"])[32:])


def same_anchor(entries: Entries) -> None:
    one, other = (entries[index_of(entries, "player-joined", number)].public for number in (0, 1))
    other["anchor"] = one["anchor"]


def older_past(entries: Entries) -> None:
    """A bid is signed on the past before the bid that it raises."""
    places = [index for index, entry in enumerate(entries) if entry.kind == "bid-placed" and entry.signer is not None]
    index = next(one for one in places if any(entry.kind == "bid-placed" for entry in entries[one - 3 : one]))
    before = max(number for number in range(index) if entries[number].kind == "bid-placed")
    entries[index].after = before


def opens_with_ones(entries: Entries) -> None:
    entries[index_of(entries, "bid-placed")].public["face"] = 1


def other_face_in_palafico(entries: Entries) -> None:
    """A Palafico round goes on with another face."""
    start = next(index for index, one in enumerate(entries) if one.public.get("palafico"))
    first, second = [one for one in entries[start:] if one.kind == "bid-placed"][:2]
    second.public |= {"quantity": first.public["quantity"] + 1, "face": first.public["face"] % 6 + 1}


def plain_instead_of_palafico(entries: Entries) -> None:
    next(one for one in entries if one.public.get("palafico")).public["palafico"] = False


def swapped_counts(entries: Entries) -> None:
    """Ones are counted as wild towards a bid on ones."""
    for resolved in all_of(entries, "challenge-resolved"):
        if resolved["bid"]["face"] == 1:
            for count in resolved["counts"]:
                count["natural"], count["wild"] = count["wild"], count["natural"]


def ended_twice(entries: Entries) -> None:
    entries.append(Entry("game-abandoned.v1", {"reason": "Too late.", "at": entries[-1].public["at"]}))


def forfeit_of_one_who_is_out(entries: Entries) -> None:
    """A seat without dice gives up in the next round."""
    index = index_of(entries, "players-eliminated")
    seat = entries[index].public["seats"][0]
    called = next(number for number in range(index, len(entries)) if entries[number].kind == "roll-called")
    fields = {"seat": seat, "reason": "resigned", "lost": 0, "at": entries[called].public["at"]}
    entries.insert(called + 1, Entry("player-forfeited.v1", fields))


def resigned_when_late(entries: Entries) -> None:
    """A forfeit for the reason time is called a resignation, which nobody has signed."""
    index = index_of(entries, "turn-timed-out")
    next(one for one in entries[index:] if one.kind == "player-forfeited").public["reason"] = "resigned"


def bid_for_the_clocks(change: dict[str, int]) -> Change:
    """The clock makes another bid than the lowest."""

    def changed(entries: Entries) -> None:
        index = next(
            number
            for number, entry in enumerate(entries)
            if entry.kind == "bid-placed" and entries[number - 1].kind == "turn-timed-out"
        )
        entries[index].public.update(change)

    return changed


def cups_when_a_bid_is_due(entries: Entries) -> None:
    """The cups are lifted when the clock should bid."""
    index = late(entries, "dice-dealt")
    cups = deepcopy(next(one for one in entries[index:] if one.kind == "cups-lifted"))
    cups.public["at"] = entries[index].public["at"]
    entries.insert(index + 1, cups)


def with_signatures_alone(entries: Entries) -> None:
    for entry in entries:
        entry.bare = True


def signed_deal(entries: Entries) -> None:
    """A signature at an event that nobody signs."""
    deal = first_deal(entries)
    deal.signer, deal.after, deal.signature = 0, 1, bytes(64)


def bid_after_the_cups(entries: Entries) -> None:
    """A signed bid, on the past before the cups, right after the cups."""
    index = index_of(entries, "cups-lifted")
    made = deepcopy(next(one for one in entries if one.kind == "bid-placed" and one.signer is not None))
    made.after, made.public["at"] = index, entries[index].public["at"]
    entries.insert(index + 1, made)


def reroll_when_late(entries: Entries) -> None:
    """The time of the next seat is up, and then the bidder before it rerolls."""
    names = kinds(entries)
    index = next(at for at, kind in enumerate(names) if kind == "dice-rerolled" and names[at + 1] == "turn-timed-out")
    entries[index].public["at"] = entries[index + 1].public["at"]
    entries[index], entries[index + 1] = entries[index + 1], entries[index]


def unsigned_reroll(entries: Entries) -> None:
    """The seat for which the clock has bid rerolls without a signature."""
    late = next(
        at
        for at, entry in enumerate(entries)
        if entry.kind == "dice-rerolled" and entries[at - 2].kind == "turn-timed-out" and entry.signer is not None
    )
    entries[late].signer = None
