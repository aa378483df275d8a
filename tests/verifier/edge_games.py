"""Games at the edge for the test vectors: good ones that look wrong, openings without commitments, and ends that are none."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from tests.verifier.changes import Change, cut, ended, first_deal, index_of, lie, text_of
from tests.verifier.decided import Entries, game, kinds
from tests.verifier.games import Entry, SignedPlay, bundle, stored
from tests.verifier.lies_before_rounds import first_player
from tests.verifier.log import SERVER
from tests.verifier.scripted import FIRST_ROUNDS, SCRIPTS, scripted
from tests.verifier.strange_keys import MixedKey, Told

Edit = Callable[[dict[str, Any]], object]
TWO = "two players at a table for four"
CLOCK_BIDS = "a reroll alone after a bid of the clock"


def edge_games() -> Iterator[Told]:
    """All of them."""
    for about in SCRIPTS:
        yield about, bundle(stored(scripted(about)), None), SERVER.key, []
    for about, (_, number) in FIRST_ROUNDS.items():
        yield about, bundle(stored(scripted(about)), number), SERVER.key, []
    for about, base, change in STRANGE_BUT_GOOD:
        play = game(base)
        entries = deepcopy(play.entries)
        change(entries)
        yield about, cut(play, entries, len(entries)), SERVER.key, []
    for about, change, edit in EVIDENCE:
        yield about, lie(TWO, change, edit), SERVER.key, []
    for about, data in _ends():
        yield about, data, SERVER.key, []


def signed_with_its_reroll(entries: Entries) -> None:
    """A bid of the clock that its seat has signed all the same, together with its reroll."""
    index = index_of(entries, "turn-timed-out")
    bid, reroll = entries[index + 1], entries[index + 2]
    bid.signer, bid.after, bid.with_reroll, reroll.signer = bid.public["seat"], index + 1, True, None


STRANGE_BUT_GOOD: tuple[tuple[str, str, Change], ...] = (
    ("a bid of the clock that its seat has signed with its reroll", CLOCK_BIDS, signed_with_its_reroll),
    (
        "a signing key that has a part of small order",
        "a game abandoned in the lobby",
        first_player(signing_key=text_of(MixedKey(b"m" * 32).public)),
    ),
)
"""What is good, in which game, and how it is made."""


def _of(kind: str, edit: Edit) -> Edit:
    """Change the members of the first event of a kind, without new evidence."""
    return lambda members: edit(next(one for one in members["events"] if one["topic"].startswith(kind)))


def _with(**given: str) -> Edit:
    """Add members to an event, in the order in which they have to be."""

    def edit(event: dict[str, Any]) -> None:
        digest = event.pop("digest", None)
        event |= given | ({} if digest is None else {"digest": digest})

    return edit


def bare(entries: Entries) -> None:
    for entry in entries:
        entry.bare = True


def uncommitted(entries: Entries) -> None:
    first_deal(entries).secret = None


def committed(entries: Entries) -> None:
    entries[index_of(entries, "bid-placed")].secret = {"link": "none"}


HASH, OPENED = text_of(bytes(32)), text_of(bytes(40))
EVIDENCE: tuple[tuple[str, Change, Edit], ...] = (
    ("an opening alone at an event without a digest", bare, _of("dice-dealt", _with(opened=OPENED))),
    ("a commitment alone at an event without a digest", bare, _of("dice-dealt", _with(commitment=HASH))),
    ("a commitment without an opening", kinds, _of("dice-dealt", lambda event: event.pop("opened"))),
    ("an opening without a commitment", uncommitted, _of("dice-dealt", _with(opened=OPENED))),
    ("an opening at a bid", kinds, _of("bid-placed", _with(opened=OPENED))),
    ("a commitment at a bid without an opening", committed, _of("bid-placed", lambda event: event.pop("opened"))),
    ("another commitment than was hashed", kinds, _of("dice-dealt", lambda event: event.update(commitment=HASH))),
    ("another digest than that of the event", kinds, _of("bid-placed", lambda event: event.update(digest=HASH))),
)
"""What is wrong with the evidence of an event, how the events are changed before it is made, and how it is changed after that."""


def _ends() -> Iterator[tuple[str, bytes]]:
    """Bundles that end with an event which does not end what they are about."""
    play = scripted(TWO)
    names = kinds(play.entries)
    starts, ends = names.index("round-started") + 1, names.index("round-ended") + 1
    yield "a bundle of round 1 that ends at its start", _about(1, play, starts)
    yield "a bundle of round 2 that ends with round 1", _about(2, play, ends)
    yield "a bundle of round 0", _about(0, play, ends)
    yield "a bundle of the game that ends with a round", _about(None, play, ends)
    yield "a bundle of a round that ends with the game", _about(1, play, len(names))
    abandoned = scripted("a game abandoned in a call")
    yield "a bundle of a round that ends with an abandoned game", _about(1, abandoned, len(abandoned.entries))
    none = deepcopy(play.entries[:ends])
    uncommitted_at_the_end = [*none, Entry("game-abandoned.v1", {"reason": "Too late.", "at": none[-1].public["at"]})]
    yield "a game abandoned after a round", ended(play, uncommitted_at_the_end)


def _about(number: int | None, play: SignedPlay, count: int) -> bytes:
    """The first events of a game as a bundle that says it is about this round."""
    data = cut(play, play.entries, count)
    return data.replace(b'"round":null', f'"round":{"null" if number is None else number}'.encode(), 1)
