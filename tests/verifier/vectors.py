"""Test vectors for another implementation of the format: `python -m tests.verifier.vectors` writes them anew."""

import itertools
import json
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from domain.commands import AbandonGame
from domain.options import Options
from infra.events.evidence import first_digest
from infra.log.merkle import appended, consistency_proof, verify_consistency
from services.cli.tlog_proof import tlog_proof
from services.simulation.simulation import Setup
from services.verifier import Failed, verify
from tests.verifier.changes import ended
from tests.verifier.decided import GOOD
from tests.verifier.decided import game as good_game
from tests.verifier.edge_games import edge_games
from tests.verifier.games import Entry, SignedPlay, Stored, bundle, played, rounds_of, stored, words
from tests.verifier.lies import lies
from tests.verifier.log import SERVER, WITNESSING, Signer, root_of
from tests.verifier.misspelled import misspelled
from tests.verifier.receipt_files import Receipts, receipts
from tests.verifier.strange_notes import edge_keys, edge_logs, edge_notes, edge_texts

FILE = Path(__file__).parents[2] / "docs" / "reference" / "audit-vectors.json"
PLAIN = "two who go out together"
STRANGER = Signer("dice.example/log", b"x" * 32)
SMALL_ORDER = b64encode((1).to_bytes(32, "little")).decode()


def base64(content: bytes | None) -> str | None:
    """Bytes as the format writes them."""
    return None if content is None else b64encode(content).decode()


@cache
def play() -> SignedPlay:
    """The smallest of some games that have a reroll, signed and unsigned moves."""
    plays = (
        played(Setup("bidding-track", Options(dice_each=2, chips=True), 2), f"vector-{index}") for index in range(60)
    )
    return min((one for one in plays if _has_all(one)), key=lambda one: len(one.entries))


def _has_all(one: SignedPlay) -> bool:
    return {"dice-rerolled", "game-ended"} <= {entry.kind for entry in one.entries} and one.signing == {0, 1}


def late_play() -> SignedPlay:
    """A game in which the clock challenges."""
    for index in range(500):
        made = SignedPlay(
            f"late-{index}", "single-hand", 2, frozenset({0}), dice_each=1, turn_seconds=1, on_timeout="challenge"
        )
        made.play(quits=0.2)
        kinds = [entry.kind for entry in made.entries]
        if "turn-timed-out" in kinds and kinds[kinds.index("turn-timed-out") + 1] == "bid-challenged":
            return made
    raise AssertionError


def events_of(one: SignedPlay, game: Stored) -> Iterator[dict[str, Any]]:
    """What is hashed and signed for each event."""
    digests = [first_digest(game.game_id), *(event.digest or b"" for event in game.events)]
    for event, entry in zip(game.events, one.entries, strict=True):
        vector = {"version": event.version, "topic": event.topic, "public": event.public.decode()}
        vector["digest"] = base64(digests[event.version])
        if event.opened is not None:
            vector |= {"opened": base64(event.opened), "commitment": base64(event.commitment)}
        if event.signed is not None:
            reroll = one.entries[event.version] if entry.with_reroll else None
            seen = base64(digests[event.signed.after])
            lines = ["liarsdice.move.v1", game.game_id, event.signed.after, seen, entry.public["seat"]]
            text = "".join(f"{line}\n" for line in (*lines, words(entry, reroll)))
            key = base64(one.key(entry.signer or 0).public_key().public_bytes_raw())
            vector |= {"signed_text": text, "signing_key": key, "signature": base64(event.signed.signature)}
        leaf = dict(game.leaves).get(event.version)
        if leaf is not None:
            vector |= {"leaf": leaf.decode(), "leaf_hash": base64(sha256(b"\0" + leaf).digest())}
        yield vector


def changed(one: SignedPlay, change: Callable[[list[Entry]], None]) -> bytes:
    """A bundle of a game that was changed before everything was hashed and signed."""
    entries = deepcopy(one.entries)
    change(entries)
    return bundle(stored(one, entries), None)


def wrong(one: SignedPlay, change: Callable[[list[Entry]], None]) -> bytes:
    """A bundle of a game that was changed in the same way, up to the event that fails."""
    entries = deepcopy(one.entries)
    change(entries)
    return ended(one, entries)


def setting(kind: str, name: str, value: Any) -> Callable[[list[Entry]], None]:
    """Set a field of the first event of a kind."""
    return lambda entries: next(one for one in entries if one.kind == kind).public.update({name: value})


def bundles() -> Iterator[tuple[str, bytes, str | None, list[str]]]:
    """Good and bad bundles: what they are, the file, the key and the keys of witnesses that a checker is given."""
    one, late = play(), late_play()
    game, both = stored(one), (SERVER, WITNESSING)
    good = bundle(game, None, both)
    yield "a whole game", good, SERVER.key, []
    yield "a round", bundle(game, rounds_of(game)[0]), SERVER.key, []
    yield "a leaf of the first form", bundle(stored(one, form=1), None), SERVER.key, []
    yield "with a witness", good, SERVER.key, [WITNESSING.key]
    yield "with its own key alone", good, None, []
    yield "a move of the clock", bundle(stored(late), None), SERVER.key, []
    yield "another key", good, STRANGER.key, []
    yield "a witness that has not signed", bundle(game, None), SERVER.key, [WITNESSING.key]
    yield "a space between two members", good.replace(b',"leaf"', b', "leaf"'), SERVER.key, []
    yield "a number above 2^53 - 1", good.replace(b'"leaf":', b'"leaf":9007199254740992', 1), SERVER.key, []
    yield "a changed byte", good.replace(b'\\"quantity\\":1', b'\\"quantity\\":2', 1), SERVER.key, []
    yield "no last line feed", good[:-1], SERVER.key, []
    yield "an invisible name", changed(one, setting("player-joined", "name", "An\u200bn")), SERVER.key, []
    yield "another raise", wrong(one, setting("bid-placed", "quantity", 999)), SERVER.key, []
    yield "another winner", wrong(one, setting("challenge-resolved", "winner", 5)), SERVER.key, []
    yield "a key of small order", wrong(one, setting("player-joined", "signing_key", SMALL_ORDER)), SERVER.key, []
    yield "a time that runs backwards", wrong(one, setting("game-created", "at", 10**9)), SERVER.key, []
    yield "a time that was not up", wrong(late, _week), SERVER.key, []
    yield "dice that were changed", wrong(one, _other_die), SERVER.key, []
    yield "a link that leads nowhere", wrong(one, setting("rolled", "link", base64(bytes(32)))), SERVER.key, []
    yield "dice that were not the committed ones", wrong(one, _other_secret), SERVER.key, []
    yield "the end of another round", good.replace(b'"round":null', b'"round":1', 1), SERVER.key, []
    yield "a proof for another leaf", _other_leaf(good), SERVER.key, []
    for book in ("single-hand", "pirates", "prediction-track", "palafico"):
        yield f"a game by {book}", bundle(stored(short_play(book)), None), SERVER.key, []
    yield (
        "a player who gives up",
        bundle(stored(short_play("pirates", "player-forfeited", quits=0.2)), None),
        SERVER.key,
        [],
    )
    yield "an abandoned game", bundle(stored(_abandoned()), None), SERVER.key, []
    for about in GOOD:
        yield about, bundle(stored(good_game(about)), None), SERVER.key, []
    yield "no digests", changed(good_game(PLAIN), _without_digests), SERVER.key, []
    yield "digests from the middle on", changed(good_game(PLAIN), _with_digests_later), SERVER.key, []
    yield from lies()
    yield from edge_games()
    for makers in (edge_logs, edge_notes, edge_keys, edge_texts):
        yield from makers()
    for about, data in misspelled():
        yield about, data, SERVER.key, []


def short_play(rulebook: str, kind: str = "game-ended", quits: float = 0.0) -> SignedPlay:
    """A short game that has a kind of event."""
    plays = (played(Setup(rulebook, Options(dice_each=2), 2), f"short-{index}", quits=quits) for index in range(60))
    return min(
        (one for one in plays if kind in {entry.kind for entry in one.entries}), key=lambda one: len(one.entries)
    )


def _abandoned() -> SignedPlay:
    """A game that is abandoned in its first round."""
    made = SignedPlay("abandoned", "single-hand", 2, frozenset({0}), dice_each=2)
    made.start()
    while not any(entry.kind == "bid-placed" for entry in made.entries):
        made.step()
    made.do(AbandonGame(at=made.clock, reason="Everybody has gone."))
    return made


def _without_digests(entries: list[Entry]) -> None:
    for entry in entries:
        entry.bare = True


def _with_digests_later(entries: list[Entry]) -> None:
    _without_digests(entries[: len(entries) // 2])


def _other_secret(entries: list[Entry]) -> None:
    dealt = next(one for one in entries if one.kind == "dice-dealt")
    assert dealt.secret is not None
    dealt.secret["hands"][0][0] = dealt.secret["hands"][0][0] % 6 + 1


def _other_leaf(data: bytes) -> bytes:
    changed = json.loads(data)
    changed["leaf"] ^= 1
    return json.dumps(changed, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def all_receipts() -> list[Receipts]:
    """Files of receipts for the first two bundles."""
    game = stored(play())
    return [*receipts(game, game.leaves[0][0])]


def tlog_proofs() -> Iterator[dict[str, Any]]:
    """The proofs of some good bundles as files for other programs, and changes of the first one."""
    told = [(about, *tlog_proof(data)) for about, data, *_ in itertools.islice(bundles(), 3)]
    for index, (about, entry, proof) in enumerate(told):
        yield _proof(about, index, entry, proof, holds=True)
    (_, entry, proof), (_, other_entry, _), _ = told
    index_line = next(line for line in proof.split(b"\n") if line.startswith(b"index "))
    leaf, hashes = int(index_line.removeprefix(b"index ")), proof.partition(b"\n\n")[0].split(b"\n")[2:]
    stranger = STRANGER.line(proof.decode().partition("\n\n")[2].partition("\n\n")[0] + "\n").encode()
    unsigned = b"".join(line for line in proof.splitlines(keepends=True) if b" dice.example/log " not in line)
    for about, changed, holds in (
        ("extra data", proof.replace(index_line, b"extra bW9yZQ==\n" + index_line), True),
        ("extra data that is no base64", proof.replace(index_line, b"extra bW9yZQ\n" + index_line), False),
        ("extra data after the index", proof.replace(index_line, index_line + b"\nextra bW9yZQ=="), False),
        ("an index with a zero before it", proof.replace(b"index ", b"index 0"), False),
        ("the index of another leaf", proof.replace(index_line, b"index %d" % (leaf - 1)), False),
        ("an index that the log does not have", proof.replace(index_line, b"index 99"), False),
        ("a hash too few", proof.replace(hashes[-1] + b"\n", b""), False),
        ("a hash too many", proof.replace(hashes[-1], hashes[-1] + b"\n" + hashes[-1]), False),
        ("another version of the file", proof.replace(b"@v1", b"@v2"), False),
        ("a checkpoint that only a witness has signed", unsigned, False),
        ("a checkpoint that another key has signed", unsigned + stranger, False),
    ):
        yield _proof(about, 0, entry, changed, holds=holds)
    yield _proof("the entry of another leaf", 0, other_entry, proof, holds=False)


def _proof(about: str, bundle_index: int, entry: bytes, proof: bytes, *, holds: bool) -> dict[str, Any]:
    told = {"entry": entry.decode(), "proof": proof.decode()}
    return {"about": about, "bundle_index": bundle_index, **told, "holds": holds}


def consistency() -> Iterator[dict[str, Any]]:
    """Proofs that a log begins with an older one, the same proofs for logs that began otherwise, and some that are none."""
    leaves = [b"leaf %d\n" % number for number in range(8)]
    hashes = [sha256(b"\0" + leaf).digest() for leaf in leaves]
    roots = [root_of(leaves[:size]) for size in range(len(leaves) + 1)]

    def proof_between(old: int, new: int) -> tuple[bytes, ...]:
        return consistency_proof(old, new, appended(0, hashes[:new], {}))

    def told(old: int, new: int, proof: Sequence[bytes], first: bytes) -> dict[str, Any]:
        return {
            "old_size": old,
            "old_root": base64(first),
            "new_size": new,
            "new_root": base64(roots[new]),
            "proof": [base64(one) for one in proof],
            "holds": verify_consistency(old, first, new, roots[new], proof),
        }

    for old, new in ((1, 2), (3, 5), (4, 8), (6, 7), (7, 8), (8, 8), (0, 5), (0, 0)):
        for first in (roots[old], root_of([b"another leaf\n", *leaves[1:old]])):
            yield told(old, new, proof_between(old, new), first)
    for old, new, proof in (
        (0, 5, [roots[5]]),
        (8, 8, [roots[8]]),
        (5, 3, proof_between(3, 5)),
        (5, 3, []),
        (8, 4, proof_between(4, 8)),
        (3, 5, proof_between(3, 5)[:-1]),
        (3, 5, [*proof_between(3, 5), roots[5]]),
        (4, 8, []),
    ):
        yield told(old, new, proof, roots[old])


def _week(entries: list[Entry]) -> None:
    entries[0].public["options"]["turn_seconds"] = 604_800


def _other_die(entries: list[Entry]) -> None:
    dealt, lifted = (next(one for one in entries if one.kind == kind) for kind in ("dice-dealt", "cups-lifted"))
    assert dealt.secret is not None
    for hands in (dealt.secret["hands"], lifted.public["deals"][0]["hands"]):
        hands[0][0] = hands[0][0] % 6 + 1


def failed_check(
    data: bytes,
    key: str | None,
    witness_keys: list[str],
    receipts: bytes | None = None,
    receipt_keys: Sequence[str] = (),
) -> str | None:
    """The check that fails; None if the bundle verifies."""
    try:
        verify(data, key, witness_keys, receipts=receipts, receipt_keys=receipt_keys)
    except Failed as failed:
        return failed.check
    return None


def vectors() -> dict[str, Any]:
    """All vectors."""
    one = play()
    game, told = stored(one), [*bundles()]
    return {
        "digests": {
            "game_id": game.game_id,
            "digest_0": base64(first_digest(game.game_id)),
            "events": [*events_of(one, game)],
        },
        "bundles": [
            {
                "about": about,
                "public_key": key,
                "witness_keys": witness_keys,
                "failed": failed_check(data, key, witness_keys),
                "bundle": data.decode(),
            }
            for about, data, key, witness_keys in told
        ],
        "receipts": [
            {
                "about": about,
                "bundle_index": index,
                "receipt_keys": keys,
                "failed": failed_check(told[index][1], SERVER.key, [], file, keys),
                "file": None if file is None else file.decode(),
            }
            for about, file, keys, index in all_receipts()
        ],
        "tlog_proofs": [*tlog_proofs()],
        "consistency": [*consistency()],
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(vectors(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
