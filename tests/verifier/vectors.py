"""Test vectors for another implementation of the format: `python -m tests.verifier.vectors` writes them anew."""

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

from domain.options import Options
from infra.events.evidence import first_digest
from services.simulation.simulation import Setup
from services.verifier import Failed, verify
from tests.verifier.games import Entry, SignedPlay, Stored, bundle, played, rounds_of, stored, words
from tests.verifier.log import SERVER, WITNESSING, Signer

FILE = Path(__file__).parents[2] / "docs" / "reference" / "audit-vectors.json"
STRANGER = Signer("dice.example/log", b"x" * 32)
SMALL_ORDER = b64encode((1).to_bytes(32, "little")).decode()


def base64(content: bytes | None) -> str | None:
    """Bytes as the format writes them."""
    return None if content is None else b64encode(content).decode()


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
    yield "another raise", changed(one, setting("bid-placed", "quantity", 999)), SERVER.key, []
    yield "another winner", changed(one, setting("challenge-resolved", "winner", 5)), SERVER.key, []
    yield "a key of small order", changed(one, setting("player-joined", "signing_key", SMALL_ORDER)), SERVER.key, []
    yield "a time that runs backwards", changed(one, setting("game-created", "at", 10**9)), SERVER.key, []
    yield "a time that was not up", changed(late, _week), SERVER.key, []
    yield "dice that were changed", changed(one, _other_die), SERVER.key, []


def _week(entries: list[Entry]) -> None:
    entries[0].public["options"]["turn_seconds"] = 604_800


def _other_die(entries: list[Entry]) -> None:
    dealt, lifted = (next(one for one in entries if one.kind == kind) for kind in ("dice-dealt", "cups-lifted"))
    assert dealt.secret is not None
    for hands in (dealt.secret["hands"], lifted.public["deals"][0]["hands"]):
        hands[0][0] = hands[0][0] % 6 + 1


def failed_check(data: bytes, key: str | None, witness_keys: list[str]) -> str | None:
    """The check that fails; None if the bundle verifies."""
    try:
        verify(data, key, witness_keys)
    except Failed as failed:
        return failed.check
    return None


def vectors() -> dict[str, Any]:
    """All vectors."""
    one = play()
    game = stored(one)
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
            for about, data, key, witness_keys in bundles()
        ],
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(vectors(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
