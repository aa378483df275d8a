"""Everything in a bundle has a bound, one spelling and one meaning, and a failure says exactly what is wrong where."""

import json
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest

from services.verifier import Failed, verify
from tests.verifier.games import Entry, SignedPlay, bundle, stored
from tests.verifier.log import ORIGIN, SERVER, WITNESSING, Signer
from tests.verifier.test_dishonest_server import check_that_finds, first, game

NO_POINT = (2).to_bytes(32, "little")
SMALL_ORDER = [(1).to_bytes(32, "little"), bytes(32), (2**255 - 20).to_bytes(32, "little")]
LATE_SPELLING = (2**255 - 19 + 1).to_bytes(32, "little")
"""The neutral point, spelled with a number that is not reduced."""


def spelled(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def honest() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(bundle(stored(game("pirates")), 1, (SERVER, WITNESSING)))
    return data


def failure(data: dict[str, Any], key: str | None = None, witness_keys: tuple[str, ...] = ()) -> tuple[str, str]:
    with pytest.raises(Failed) as failed:
        verify(spelled(data), key, witness_keys)
    return failed.value.check, failed.value.sentence


def setting(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data.update({name: value})


def in_event(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data["events"][2].update({name: value})


WRONG: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "a key that draws": (setting("key", "\x1b[32mVerified"), "key of the bundle has a character that is not allowed"),
    "a key of a megabyte": (setting("key", "x" * 1_000_000), "key of the bundle is not a text of 1 to 400 characters"),
    "a topic that draws": (in_event("topic", "\x9b32m.v1"), "Event 3: topic is not game-created.v1 or "),
    "a leaf above 2^53": (
        setting("leaf", 2**53),
        "leaf of the bundle is not a whole number from 0 to 9007199254740991",
    ),
    "a leaf with a sign": (setting("leaf", -1), "leaf of the bundle is not a whole number"),
    "a round that is true": (setting("round", value=True), "round of the bundle is not a whole number"),
    "a long proof": (setting("proof", [b64encode(bytes(32)).decode()] * 65), "is not a list of at most 64"),
    "a digest that is none": (in_event("digest", "AAAA"), "Event 3: digest is not the base64 of 32 bytes"),
    "another version": (in_event("version", 4), "Event 3: its version is 4"),
    "no events": (setting("events", []), "The bundle has no events"),
    "another member": (setting("note", ""), "the bundle does not have the members format, game_id, "),
    "public in another spelling": (in_event("public", "{ }"), "from character 1 on"),
    "public that is no JSON": (in_event("public", "{"), "The public part of event 3, player-joined.v1, is not JSON"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_failure_of_the_form_says_what_is_wrong_and_where(name: str) -> None:
    data = honest()
    change, told = WRONG[name]
    change(data)
    check, sentence = failure(data)

    assert check == "form"
    assert told in sentence
    assert sentence.isprintable()


def unsigned(text: str, *lines: str) -> str:
    return text + "\n" + "".join(lines)


def notes() -> dict[str, tuple[Callable[[str, str], str], str]]:
    """Notes made from the text of a good checkpoint and the server's line below it."""
    many = WITNESSING.line("x\n")
    return {
        "a hundred thousand signatures": (lambda text, line: unsigned(text, line, many * 2_000), "signatures"),
        "more than 100 signatures": (lambda text, line: unsigned(text, line, many * 100), "more than 100 signatures"),
        "a line that is no signature": (lambda text, line: unsigned(text, line, "hello\n"), "no signature in line 2"),
        "a signature of nothing": (lambda text, line: unsigned(text, line, "— x AAAAAA==\n"), "no signature in line 2"),
        "a name with a control": (lambda text, line: unsigned(text, line, f"— x\x9b {'A' * 12}\n"), "not allowed"),
        "a size above 2^53": (lambda text, line: unsigned(text.replace("\n", f"\n{2**53}", 1), line), "second line"),
        "an empty line inside": (lambda text, line: unsigned(text + "\n\nmore\n", line), "empty one"),
        "no signatures": (lambda text, _: text + "\n", "does not end with an empty line and lines of signatures"),
        "a long origin": (lambda text, line: unsigned("x" * 256 + text, line), "origin of more than 255 characters"),
    }


@pytest.mark.parametrize("name", notes())
def test_a_checkpoint_that_is_none_by_the_standard(name: str) -> None:
    data = honest()
    change, told = notes()[name]
    text = data["checkpoint"].partition("\n\n")[0] + "\n"
    data["checkpoint"] = change(text, SERVER.line(text))
    check, sentence = failure(data)

    assert check == "form"
    assert told in sentence


def test_a_checkpoint_may_have_more_lines_which_are_signed_and_mean_nothing() -> None:
    data = honest()
    text = data["checkpoint"].partition("\n\n")[0] + "\nsome extension\n— like a signature\n"
    data["checkpoint"] = unsigned(text, SERVER.line(text), WITNESSING.line(text))

    assert verify(spelled(data), SERVER.key, [WITNESSING.key]).round == 1


@pytest.mark.parametrize("at", [10**40, 2**53, -1, True, None, "1"])
def test_a_time_that_is_none(at: object) -> None:
    def change(entries: list[Entry]) -> None:
        entries[-1].public["at"] = at

    assert check_that_finds(game("pirates"), change) == "form"


@pytest.mark.parametrize(
    ("field", "value"), [("name", "x" * 41), ("name", ""), ("player_id", "a b"), ("player_id", "")]
)
def test_a_player_who_has_no_such_name_or_id(field: str, value: str) -> None:
    def change(entries: list[Entry]) -> None:
        first(entries, "player-joined").public[field] = value

    assert check_that_finds(game("pirates"), change) == "form"


def test_a_name_of_letters_that_this_python_does_not_know_yet_is_one() -> None:
    def change(entries: list[Entry]) -> None:
        first(entries, "player-joined").public["name"] = "\U0001c100 \U0001f3f4\u200d\u2620\ufe0f"

    assert check_that_finds(game("pirates"), change) is None


def signing_key(key: bytes) -> Callable[[list[Entry]], None]:
    """Give the first player a key. Nobody can sign with it, so the game is abandoned at once."""

    def change(entries: list[Entry]) -> None:
        joined = first(entries, "player-joined")
        joined.topic = "player-joined.v2"
        joined.public = {**joined.public, "signing_key": b64encode(key).decode(), "at": joined.public.pop("at")}
        started = next(index for index, entry in enumerate(entries) if entry.kind == "game-started")
        entries[started:] = [Entry("game-abandoned.v1", {"reason": "enough", "at": entries[started].public["at"]})]

    return change


@pytest.mark.parametrize("key", [NO_POINT, *SMALL_ORDER, LATE_SPELLING], ids=lambda key: key[:2].hex())
def test_a_signing_key_with_which_nobody_or_anybody_can_sign(key: bytes) -> None:
    assert check_that_finds(game("pirates"), signing_key(key)) == "signatures"


def test_a_signing_key_that_is_a_point() -> None:
    key = SignedPlay.key(game("pirates"), 0).public_key().public_bytes_raw()

    assert check_that_finds(game("pirates"), signing_key(key)) is None


def test_a_seat_that_signs_although_the_server_holds_its_chain() -> None:
    key = SignedPlay.key(game("pirates"), 0).public_key().public_bytes_raw()

    def change(entries: list[Entry]) -> None:
        signing_key(key)(entries)
        first(entries, "player-joined").public["chain_held_by"] = "server"

    assert check_that_finds(game("pirates"), change) == "outcome"


@pytest.mark.parametrize(("anchor", "check"), [("", "form"), ("AAAA", "form"), (None, "links")])
def test_a_player_who_left_had_an_anchor_too(anchor: str | None, check: str) -> None:
    """None stands for that of another player."""

    def change(entries: list[Entry]) -> None:
        one = first(entries, "player-joined")
        joined = {"seat": 1, "player_id": "gone", "anchor": one.public["anchor"] if anchor is None else anchor}
        here, at = entries.index(one) + 1, one.public["at"]
        entries[here:here] = [
            Entry(one.topic, one.public | joined),
            Entry("player-left.v1", {"seat": 1, "at": at}),
        ]

    assert check_that_finds(game("pirates"), change) == check


def test_a_key_of_a_log_that_is_no_point_and_one_for_which_anybody_signs() -> None:
    for public in (NO_POINT, *SMALL_ORDER):
        content = b"\x01" + public
        key_id = sha256(ORIGIN.encode() + b"\n" + content).digest()[:4].hex()
        check, sentence = failure(honest(), f"{ORIGIN}+{key_id}+{b64encode(content).decode()}")
        assert check == "checkpoint"
        assert "The given key is" in sentence


def test_one_key_is_one_witness_whatever_it_is_called() -> None:
    other = Signer("another.example", b"w" * 32, kind=4)
    data = json.loads(bundle(stored(game("pirates")), 1, (SERVER, WITNESSING, other)))

    assert "seen by 1 witness." in verify(spelled(data), None, [other.key, other.key]).proven[-1]
    check, sentence = failure(data, None, (WITNESSING.key, other.key))
    assert check == "checkpoint"
    assert "under another name" in sentence


def test_a_server_is_no_witness_of_its_own_log() -> None:
    own = Signer("witness.example", b"s" * 32, kind=4)
    data = json.loads(bundle(stored(game("pirates")), 1, (SERVER, own)))

    assert failure(data, None, (own.key,))[0] == "checkpoint"


def test_a_seat_that_does_not_exist_is_named() -> None:
    def change(entries: list[Entry]) -> None:
        first(entries, "rolled").public["seat"] = 7

    assert check_that_finds(game("pirates"), change) == "outcome"
