"""A server that changes a game and then hashes, commits, logs and signs everything again: the right check finds it."""

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from services.audit.bundle import Inclusion, write_bundle
from services.verifier import Failed, verify
from tests.verifier.games import Entry, SignedPlay, bundle, stored
from tests.verifier.log import ORIGIN, SERVER, WITNESSING, Signer, checkpoint

Entries = list[Entry]
Change = Callable[[Entries], None]
NOBODY: frozenset[int] = frozenset()
WORD_OF_THE_SERVER = {"at", "name", "player_id", "kind", "chain_held_by", "signing_key", "reason", "options"}
"""What no check can know. What a game is about is in them too, but options that play no part may be others."""


@cache
def game(rulebook: str, needed: tuple[str, ...] = (), signing: frozenset[int] = NOBODY, **options: Any) -> SignedPlay:
    """The first game that has all kinds of events that are needed."""
    for number in range(2_000):
        play = SignedPlay(f"dishonest-{number}", rulebook, 3, signing, **options)
        play.play(quits=0.02 if "player-forfeited" in needed or "turn-timed-out" in needed else 0)
        if {"game-ended", *needed} <= {entry.kind for entry in play.entries}:
            return play
    raise AssertionError(f"no game of {rulebook} has {needed}")


def check_that_finds(play: SignedPlay, change: Change, round_number: int | None = None) -> str | None:
    """The check that fails after a change, with all evidence made again; None if no check fails."""
    entries = deepcopy(play.entries)
    change(entries)
    try:
        verify(bundle(stored(play, entries), round_number), SERVER.key)
    except Failed as failed:
        return failed.check
    return None


def of_kind(entries: Entries, kind: str) -> Iterator[Entry]:
    return (entry for entry in entries if entry.kind == kind)


def first(entries: Entries, kind: str) -> Entry:
    return next(of_kind(entries, kind))


def other_face(face: int) -> int:
    return face % 6 + 1


def test_a_die_that_is_changed_wherever_it_stands() -> None:
    """The commitment, the reveal and the count agree; only the links tell that the die was another one."""

    def change(entries: Entries) -> None:
        lifted, dealt = first(entries, "cups-lifted"), first(entries, "dice-dealt")
        assert dealt.secret is not None
        for hands in (lifted.public["deals"][0]["hands"], lifted.public["dice"], dealt.secret["hands"]):
            hands[0][0] = other_face(hands[0][0])

    assert check_that_finds(game("pirates"), change) == "dice"


def test_a_die_that_is_changed_only_where_it_is_shown() -> None:
    def change(entries: Entries) -> None:
        for hands in (
            (entries_lifted := first(entries, "cups-lifted").public)["deals"][0]["hands"],
            entries_lifted["dice"],
        ):
            hands[0][0] = other_face(hands[0][0])

    assert check_that_finds(game("pirates"), change) == "commitments"


def test_a_commitment_to_something_else_than_is_opened() -> None:
    play = game("pirates")
    data = json.loads(bundle(stored(play), None))
    event = next(event for event in data["events"] if "opened" in event)
    event["opened"] = event["opened"][:-8] + "AAAA" + event["opened"][-4:]

    with pytest.raises(Failed) as failed:
        verify(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")

    assert failed.value.check == "commitments"


def test_a_drawn_opening_die_that_is_changed() -> None:
    def change(entries: Entries) -> None:
        roll = first(entries, "opening-dice-rolled").public["rolls"][0]
        roll["dice"][0] = other_face(roll["dice"][0])

    assert check_that_finds(game("pirates"), change) == "dice"


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("challenge-resolved", "actual"),
        ("challenge-resolved", "winner"),
        ("challenge-resolved", "challenger"),
        ("dice-lost", "seat"),
        ("dice-lost", "penalty"),
        ("dice-lost", "lost"),
        ("players-eliminated", "place"),
        ("round-started", "opener"),
        ("round-started", "number"),
        ("opener-chosen", "seat"),
        ("game-ended", "winner"),
        ("game-started", "dice_each"),
        ("pot-won", "chips"),
        ("pot-won", "seat"),
    ],
)
def test_an_outcome_that_is_not_the_rulebooks(kind: str, name: str) -> None:
    def change(entries: Entries) -> None:
        event = list(of_kind(entries, kind))[-1]
        event.public[name] = (event.public[name] + 1) % 3 if name in ("seat", "winner") else event.public[name] + 1

    play = game("bidding-track", ("opener-chosen", "pot-won"), chips=True)
    assert check_that_finds(play, change) == "outcome"


def test_a_wrong_loser_who_loses_the_dice_for_the_rest_of_the_game() -> None:
    """The server continues the game as if the change were true."""
    play = game("single-hand")

    def change(entries: Entries) -> None:
        index = next(index for index, entry in enumerate(entries) if entry.kind == "dice-lost")
        loser = entries[index].public["seat"]
        entries[index].public["seat"] = other = (loser + 1) % 3
        for entry in of_kind(entries[index:], "round-started"):
            entry.public["dice_counts"][loser] += 1
            entry.public["dice_counts"][other] -= 1

    assert check_that_finds(play, change) == "outcome"


def test_a_round_that_is_called_palafico_and_is_not() -> None:
    def change(entries: Entries) -> None:
        started = first(entries, "round-started")
        started.public["palafico"] = True

    assert check_that_finds(game("palafico"), change) == "outcome"


def raise_of(entries: Entries) -> tuple[Entry, Entry]:
    """A bid and the raise that comes right after it."""
    return next((one, other) for one, other in pairwise(entries) if one.kind == other.kind == "bid-placed")


def test_an_illegal_bid_that_was_accepted() -> None:
    def change(entries: Entries) -> None:
        bid, raised = raise_of(entries)
        before = {name: raised.public[name] for name in ("quantity", "face")}
        now = {name: bid.public[name] for name in ("quantity", "face")}
        raised.public |= now
        for entry in entries:
            bid_told = entry.public.get("bid", {})
            if {name: bid_told.get(name) for name in before} == before:
                bid_told |= now

    assert check_that_finds(game("prediction-track"), change) == "bids"


def test_a_turn_that_was_skipped() -> None:
    def change(entries: Entries) -> None:
        _, raised = raise_of(entries)
        raised.public["seat"] = (raised.public["seat"] + 1) % 3

    assert check_that_finds(game("single-hand"), change) == "bids"


def test_a_bid_that_was_left_out() -> None:
    def change(entries: Entries) -> None:
        _, raised = raise_of(entries)
        entries.remove(raised)

    assert check_that_finds(game("single-hand"), change) == "bids"


def test_links_that_are_swapped() -> None:
    def change(entries: Entries) -> None:
        one, other, *_ = of_kind(entries, "rolled")
        one.public["link"], other.public["link"] = other.public["link"], one.public["link"]

    assert check_that_finds(game("pirates"), change) == "links"


@pytest.mark.parametrize("name", ["call", "calls"])
def test_a_call_out_of_order(name: str) -> None:
    def change(entries: Entries) -> None:
        list(of_kind(entries, "roll-called"))[-1].public[name] += 1

    assert check_that_finds(game("bidding-track"), change) == "links"


def test_a_link_of_the_servers_that_is_another_one() -> None:
    def change(entries: Entries) -> None:
        lifted, dealt = first(entries, "cups-lifted"), first(entries, "dice-dealt")
        assert dealt.secret is not None
        other = list(of_kind(entries, "cups-lifted"))[1].public["deals"][0]["server_link"]
        lifted.public["deals"][0]["server_link"] = dealt.secret["server_link"] = other

    assert check_that_finds(game("pirates"), change) == "links"


def test_an_anchor_that_two_parties_share() -> None:
    def change(entries: Entries) -> None:
        one, other, *_ = of_kind(entries, "player-joined")
        one.public["anchor"] = other.public["anchor"]

    assert check_that_finds(game("pirates"), change) == "links"


def test_a_reroll_in_which_other_dice_were_shown_than_lay_there() -> None:
    def change(entries: Entries) -> None:
        reroll = first(entries, "dice-rerolled")
        lifted = next(entry for entry in entries[entries.index(reroll) :] if entry.kind == "cups-lifted")
        seat, face = reroll.public["seat"], reroll.public["shown"][0]
        hidden = lifted.public["deals"][0]["hands"][seat]
        other = next(face for face in range(1, 7) if face not in hidden)
        reroll.public["shown"][0] = other
        dice = lifted.public["dice"][seat]
        dice[dice.index(face)] = other

    assert check_that_finds(game("bidding-track", ("dice-rerolled",)), change) == "bids"


def test_a_reroll_of_fewer_dice_than_were_left() -> None:
    def change(entries: Entries) -> None:
        first(entries, "dice-rerolled").public["rerolled"] -= 1

    assert check_that_finds(game("bidding-track", ("dice-rerolled",)), change) == "bids"


def test_a_turn_that_is_said_to_have_timed_out_where_there_is_no_clock() -> None:
    def change(entries: Entries) -> None:
        bid = first(entries, "bid-placed")
        late = Entry("turn-timed-out.v1", {"seat": bid.public["seat"], "at": bid.public["at"]})
        entries.insert(entries.index(bid), late)

    assert check_that_finds(game("single-hand"), change) == "bids"


def test_a_forfeit_of_somebody_else_than_ran_out_of_time() -> None:
    def change(entries: Entries) -> None:
        late = first(entries, "turn-timed-out")
        late.public["seat"] = (late.public["seat"] + 1) % 3

    play = game("single-hand", ("turn-timed-out", "player-forfeited"), turn_seconds=1)
    assert check_that_finds(play, change) == "bids"


ALL = frozenset({0, 1})


def signed(entries: Entries, kind: str) -> Entry:
    return next(entry for entry in entries if entry.kind == kind and entry.signer is not None)


@pytest.mark.parametrize("kind", ["rolled", "bid-placed", "bid-challenged"])
def test_a_move_of_a_signing_seat_that_was_made_up(kind: str) -> None:
    def change(entries: Entries) -> None:
        signed(entries, kind).signer = None

    assert check_that_finds(game("single-hand", signing=ALL), change) == "signatures"


def test_a_bid_that_was_changed_after_it_was_signed() -> None:
    play = game("single-hand", signing=ALL)
    honest = stored(play)

    def change(entries: Entries) -> None:
        bid = signed(entries, "bid-placed")
        evidence = honest.events[entries.index(bid)].signed
        assert evidence is not None
        bid.signature = evidence.signature
        bid.public["quantity"] += 1

    assert check_that_finds(play, change) == "signatures"


def test_a_signature_that_was_made_on_a_past_that_had_gone_by() -> None:
    """The server kept a move back until another bid had been made; the signature itself is good."""

    def change(entries: Entries) -> None:
        _, raised = raise_of(entries)
        assert raised.after is not None
        raised.after -= 1 + (raised.after - entries.index(raised))
        assert raised.after == entries.index(raised) - 1

    assert check_that_finds(game("single-hand", signing=ALL), change) == "signatures"


def test_a_signature_on_the_future() -> None:
    def change(entries: Entries) -> None:
        bid = signed(entries, "bid-placed")
        bid.after, bid.signature = entries.index(bid) + 1, b"\0" * 64

    assert check_that_finds(game("single-hand", signing=ALL), change) == "signatures"


def test_a_reroll_that_was_not_signed_with_its_bid() -> None:
    def change(entries: Entries) -> None:
        bid = next(entry for entry in entries if entry.with_reroll)
        bid.with_reroll = False

    play = game("bidding-track", ("dice-rerolled",), ALL)
    if not any(entry.with_reroll for entry in play.entries):
        pytest.fail("no reroll came with its bid")
    assert check_that_finds(play, change) == "signatures"


def test_a_signature_where_the_seat_has_no_key() -> None:
    def change(entries: Entries) -> None:
        bid = first(entries, "bid-placed")
        bid.signer, bid.after = bid.public["seat"], entries.index(bid)

    assert check_that_finds(game("single-hand"), change) == "signatures"


def test_a_bundle_that_is_about_another_round_than_it_ends_with() -> None:
    data = json.loads(bundle(stored(game("pirates")), 2))
    data["round"] = 1

    with pytest.raises(Failed) as failed:
        verify(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")

    assert failed.value.check == "leaf"


@pytest.mark.parametrize("change", [{"leaf": 4}, {"proof": []}])
def test_a_leaf_that_is_not_in_the_log(change: dict[str, Any]) -> None:
    data = json.loads(bundle(stored(game("pirates")), 1)) | change

    with pytest.raises(Failed) as failed:
        verify(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")

    assert failed.value.check == "inclusion"


def test_a_log_of_one_leaf_has_an_empty_proof_and_nothing_else_in_its_place() -> None:
    game_ = stored(game("pirates"))
    version, leaf = game_.leaves[0]
    inclusion = Inclusion(leaf=0, proof=(), checkpoint=checkpoint([leaf]), key=SERVER.key)
    data = write_bundle(game_.game_id, 1, game_.events[:version], inclusion)

    assert verify(data).round == 1
    with pytest.raises(Failed) as failed:
        verify(data.replace(b'"proof":[]', b'"proof":{}'))
    assert failed.value.check == "form"


def test_an_event_without_a_kind_after_the_end_of_a_game() -> None:
    """Nothing comes after the end, whatever version the leaf names: what came later would be checked by nobody."""
    play = game("pirates")
    game_ = stored(play, [*play.entries, Entry(".v1", {"at": 1}), play.entries[-1]])
    last, digest = game_.events[-1], b64encode(game_.events[-1].digest or b"").decode()
    for version in (len(game_.events), len(game_.events) - 1):
        leaf = f"liarsdice.leaf.v1\n{game_.game_id}\n{version}\n{last.topic}\n{digest}\n".encode()
        inclusion = Inclusion(leaf=0, proof=(), checkpoint=checkpoint([leaf]), key=SERVER.key)
        with pytest.raises(Failed) as failed:
            verify(write_bundle(game_.game_id, None, game_.events, inclusion))
        assert failed.value.check == "form"


def test_a_checkpoint_that_the_known_key_did_not_sign() -> None:
    game_ = stored(game("pirates"))
    stranger = Signer(ORIGIN, b"x" * 32)
    for data, public_key, witness_keys in (
        (bundle(game_, 1), stranger.key, []),
        (bundle(game_, 1, (stranger,)), None, []),
        (bundle(game_, 1), SERVER.key, [WITNESSING.key]),
        (bundle(game_, 1, (SERVER, WITNESSING)), WITNESSING.key, []),
        (bundle(game_, 1), Signer("another.example", b"s" * 32).key, []),
    ):
        with pytest.raises(Failed) as failed:
            verify(data, public_key, witness_keys)
        assert failed.value.check == "checkpoint"


def variants(value: Any) -> Iterator[Any]:
    """A JSON value with any one thing in it changed."""
    if isinstance(value, dict):
        for name in value:
            yield from (value | {name: other} for other in variants(value[name]))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield value[:index] + value[index + 1 :]
            yield value[: index + 1] + value[index:]
            yield from ([*value[:index], other, *value[index + 1 :]] for other in variants(item))
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1, str(value))
    elif isinstance(value, str):
        yield from (value + "x", "A" + value[1:] if value[:1] != "A" else "B" + value[1:])
    elif value is None:
        yield 0


def changed(entries: Entries, chance: Random, share: float) -> Iterator[tuple[str, Change]]:
    """The entries with one field changed that the verifier can check, in some of the possible ways."""
    for index, entry in enumerate(entries):
        for name, value in entry.public.items():
            for other in variants(value) if name not in WORD_OF_THE_SERVER else ():
                if other != value and chance.random() < share:
                    yield f"{index} {entry.kind}.{name} = {other}", _setting(index, name, other)


def _setting(index: int, name: str, value: Any) -> Change:
    def change(entries: Entries) -> None:
        entries[index].public[name] = value

    return change


@pytest.mark.parametrize(
    ("rulebook", "options"),
    [
        ("bidding-track", {"dice_each": 2, "chips": True}),
        ("single-hand", {"dice_each": 2, "wild_aces": True}),
        ("pirates", {"dice_each": 2}),
        ("prediction-track", {"dice_each": 2}),
        ("palafico", {"dice_each": 2}),
    ],
)
def test_any_change_of_anything_that_is_more_than_the_servers_word_is_found(
    rulebook: str, options: dict[str, Any]
) -> None:
    """Unless it makes another game that could have been played: a bid that nobody raised or challenged may be another."""
    play = game(rulebook, **options)
    missed = [
        where
        for where, change in changed(play.entries, Random(rulebook), 0.3)
        if check_that_finds(play, change) is None
    ]

    assert [where for where in missed if " bid-placed." not in where] == []


@pytest.mark.parametrize("rulebook", ["bidding-track", "palafico"])
def test_an_event_that_is_missing_doubled_or_in_another_place_is_found(rulebook: str) -> None:
    play = game(rulebook, dice_each=2)
    missed = []
    for index in range(len(play.entries) - 1):
        for name, change in (
            ("missing", lambda entries, index=index: entries.pop(index)),
            ("doubled", lambda entries, index=index: entries.insert(index, entries[index])),
            ("late", lambda entries, index=index: entries.insert(index + 1, entries.pop(index))),
        ):
            if check_that_finds(play, change) is None:
                missed.append((index, name, play.entries[index].kind))

    # Who rolls first and who rolls last makes no difference, and the last bid of a round can't be missed by accident.
    assert [(index, name) for index, name, kind in missed if (name, kind) != ("late", "rolled")] == []


@pytest.mark.parametrize("key", ["", 0, [], {}, "AAAA", False])
def test_a_seat_that_signs_has_a_key_that_is_one(key: object) -> None:
    """Or it would be said to sign while nothing is checked."""

    def no_key(entries: Entries) -> None:
        for entry in of_kind(entries, "player-joined"):
            entry.topic, entry.public = "player-joined.v2", {**entry.public, "signing_key": key}
            entry.public["at"] = entry.public.pop("at")

    assert check_that_finds(game("pirates"), no_key) == "form"


@pytest.mark.parametrize("name", ["Ann\nBob wins", "\x1b[8m", "\u202e", ["Ann"], 5, None])
def test_what_could_deceive_a_reader_is_no_name(name: object) -> None:
    def renamed(entries: Entries) -> None:
        first(entries, "player-joined").public["name"] = name

    assert check_that_finds(game("pirates"), renamed) == "form"


@pytest.mark.parametrize(("option", "value"), [("chips", 2), ("chips", 1), ("dice_each", True), ("turn_seconds", True)])
def test_options_are_of_their_own_kind(option: str, value: object) -> None:
    def changed(entries: Entries) -> None:
        first(entries, "game-created").public["options"][option] = value

    assert check_that_finds(game("bidding-track", chips=True), changed) is not None
