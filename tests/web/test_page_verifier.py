"""The page's verifier agrees with the one in Python, which shares nothing with it, about honest and dishonest servers."""

import json
import subprocess
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from functools import partial
from itertools import product
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Route

from domain.history.recording import record_of
from domain.rulebooks.clauses import CLAUSES
from infra.log.receipts import Accepted, sign_receipts
from services.simulation.simulation import setups_of_all
from services.verifier import Failed, verify
from tests.servers import run
from tests.verifier import test_bounds as bounds
from tests.verifier import test_dishonest_server as dishonest
from tests.verifier import test_time as time
from tests.verifier.games import SignedPlay, bundle, played, rounds_of, stored
from tests.verifier.log import OLD_SERVER, SERVER, WITNESSING
from tests.verifier.receipt_files import RECEIPTS
from tests.verifier.test_every_byte import changes
from tests.verifier.test_garbage import GARBAGE, play_of
from tests.verifier.vectors import FILE
from tests.web.browsers import needs_browser
from tests.web.node_programs import HERE, NODE, needs_node
from tests.web.page.pages import shared_browser

pytestmark = needs_node

BOOKS = ("bidding-track", "single-hand", "pirates", "prediction-track", "palafico")
GAMES_OF_A_BOOK = 4
LIES_OF_A_BOOK = 40
SLOW = {
    "test_any_change_of_anything_that_is_more_than_the_servers_word_is_found",
    "test_an_event_that_is_missing_doubled_or_in_another_place_is_found",
}
"""These change thousands of things. A sample of the same changes is below."""


class Case(NamedTuple):
    """A bundle, and the keys that it is verified with."""

    data: bytes
    public_key: str | None = None
    witness_keys: tuple[str, ...] = ()
    receipts: bytes | None = None
    receipt_keys: tuple[str, ...] = ()

    def line(self) -> str:
        """What the program on Node reads."""
        kept = None if self.receipts is None else b64encode(self.receipts).decode()
        keys = {"publicKey": self.public_key, "witnessKeys": self.witness_keys, "receiptKeys": self.receipt_keys}
        return json.dumps({"data": b64encode(self.data).decode(), "receipts": kept, **keys}) + "\n"


def reports(cases: list[Case]) -> list[dict[str, Any]]:
    """What the page's verifier reports."""
    lines = "".join(case.line() for case in cases)
    program = str(HERE / "verify_all.js")
    ran = subprocess.run([NODE, program], input=lines, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


def failed_check(report: dict[str, Any]) -> str | None:
    """The check that fails; None if none does."""
    failed = [check for check in report["checks"] if check["status"] in ("failed", "undecided")]
    assert all(check["meaning"] != "reason.program-error" for check in failed), failed
    assert (report["verdict"] == "verified") == (failed == [])
    return failed[0]["name"] if failed else None


def failed_in_python(case: Case) -> str | None:
    """The same by the verifier in Python."""
    try:
        verify(case.data, case.public_key, list(case.witness_keys))
    except Failed as failed:
        return failed.check
    return None


@pytest.mark.parametrize("rulebook", BOOKS)
def test_every_honest_bundle_verifies_and_says_what_the_record_says(rulebook: str) -> None:
    chance = Random(rulebook)
    setups = [setup for setup in setups_of_all() if setup.rulebook == rulebook and setup.options.dice_each <= 5]
    plays = [
        played(chance.choice(setups), f"page-{rulebook}-{index}", quits=chance.choice([0, 0, 0.03]))
        for index in range(GAMES_OF_A_BOOK)
    ]
    games = [stored(play) for play in plays]

    whole = reports([Case(bundle(game, rounds_of(game)[-1]), SERVER.key) for game in games])

    for play, report in zip(plays, whole, strict=True):
        agrees(report, record_of(play.events))


def agrees(report: dict[str, Any], record: Any) -> None:
    assert failed_check(report) is None
    assert (report["rulebook"], report["abandoned"]) == (record.rulebook, record.abandoned)
    assert (report["places"] or []) == [list(place) for place in record.places]
    assert [seat["playerId"] for seat in report["seats"]] == [seat.player_id for seat in record.seats]
    assert [seat["chainHeldBy"] for seat in report["seats"]] == [seat.chain_held_by for seat in record.seats]
    for told, recorded in zip(report["rounds"], record.rounds, strict=True):
        assert (told["opener"], told["palafico"]) == (recorded.opener, recorded.palafico)
        assert told["clauses"]
        assert set(told["clauses"]) <= set(CLAUSES)
        for cup in told["dice"]:
            assert tuple(die["face"] for die in cup["dice"]) == recorded.dice[cup["seat"]]
        if recorded.result is None:
            assert told["challenge"] is None
            continue
        challenge, result = told["challenge"], recorded.result
        bid = {"seat": result.bid.seat, "quantity": result.bid.quantity, "face": result.bid.face}
        losses = [{"seat": loss.seat, "penalty": loss.penalty, "lost": loss.lost} for loss in result.penalties]
        assert (challenge["bid"], challenge["losses"]) == (bid, losses)
        assert (challenge["challenger"], challenge["winner"]) == (result.challenger, result.winner)
        counting = [die for cup in told["dice"] for die in cup["dice"] if die["counts"]]
        assert challenge["actual"] == result.actual == len(counting)
        assert {die["clause"] for die in counting} <= set(CLAUSES)


def test_a_report_says_whose_word_the_rest_is() -> None:
    game = stored(played(next(setup for setup in setups_of_all() if setup.players == 3), "page-words"))
    data = bundle(game, 1, (OLD_SERVER, SERVER, WITNESSING))
    alone, with_all = reports([Case(data), Case(data, OLD_SERVER.key, (WITNESSING.key,))])
    words = {check["name"]: check["status"] for check in alone["checks"]}

    assert (words["key"], words["other-signatures"]) == ("word-of-bundle", "word-of-bundle")
    assert (words["chains"], words["moves"], words["times"]) == ("word-of-server",) * 3
    assert (alone["key"]["text"], alone["key"]["isGiven"]) == (SERVER.key, False)
    assert alone["key"]["fingerprint"].startswith(alone["key"]["id"])
    assert alone["key"]["id"] == SERVER.id.hex()
    assert alone["challenge"] == alone["rounds"][-1]["challenge"]
    certain = {check["name"]: check["status"] for check in with_all["checks"]}
    assert (certain["key"], certain["witnesses"]) == ("proven", "proven")
    assert "other-signatures" not in certain
    assert with_all["key"]["text"] == OLD_SERVER.key


def test_a_game_without_digests_verifies_and_the_report_says_so() -> None:
    play = played(next(setup for setup in setups_of_all() if setup.rulebook == "pirates"), "page-plain")
    for entry in play.entries:
        entry.signer, entry.bare = None, True
        if entry.kind == "player-joined":
            entry.topic = "player-joined.v1"
            entry.public.pop("signing_key", None)
    bare = Case(bundle(stored(play), None))
    for entry in play.entries[9:]:
        entry.bare = False
    midway = Case(bundle(stored(play), None))
    play.entries[12].bare = True

    first, second, third = reports([bare, midway, Case(bundle(stored(play), None))])

    counts = [
        check["values"]["count"] for one in (first, second) for check in one["checks"] if check["name"] == "old-events"
    ]
    assert counts == [len(play.entries), 9]
    assert failed_check(third) == "digests"


def test_all_lies_that_the_tests_of_the_python_verifier_tell_are_found_by_the_same_check(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = list[tuple[Case, str | None]]()

    def recorded(data: bytes, public_key: str | None = None, witness_keys: tuple[str, ...] = ()) -> Any:
        case = Case(data, public_key, tuple(witness_keys))
        told.append((case, failed_in_python(case)))
        return verify(data, public_key, list(witness_keys))

    for module in (dishonest, time, bounds):
        monkeypatch.setattr(module, "verify", recorded)
    for module in (dishonest, time, bounds):
        for call in calls_of(module):
            call()

    found = [failed_check(report) for report in reports([case for case, _ in told])]
    by_python = [check for _, check in told]
    assert len(told) > 110
    assert [check is None for check in found] == [check is None for check in by_python]
    assert [pair for pair in zip(found, by_python, strict=True) if pair[0] != pair[1]] == []


def test_the_published_bundles_have_the_published_verdicts() -> None:
    published = json.loads(FILE.read_text(encoding="utf-8"))["bundles"]
    cases = [Case(one["bundle"].encode(), one["public_key"], tuple(one["witness_keys"])) for one in published]

    assert [failed_check(report) for report in reports(cases)] == [one["failed"] for one in published]


def test_the_published_receipts_have_the_published_verdicts() -> None:
    published = json.loads(FILE.read_text(encoding="utf-8"))
    files = published["receipts"]

    def case(told: dict[str, Any]) -> Case:
        bundle, file = published["bundles"][told["bundle_index"]], told["file"]
        kept = None if file is None else file.encode()
        return Case(bundle["bundle"].encode(), bundle["public_key"], (), kept, tuple(told["receipt_keys"]))

    found = reports([case(one) for one in files])

    assert len(files) > 20
    assert [failed_check(report) for report in found] == [one["failed"] for one in files]
    by_name = {one["about"]: report["checks"] for one, report in zip(files, found, strict=True)}
    named = {about: [check for check in checks if check["name"] == "receipts"] for about, checks in by_name.items()}
    assert all(len(checks) == 1 for checks in named.values())
    assert named["five under one signature"][0]["values"] == {"count": 5, "later": 0, "others": 0}
    assert named["another digest by a key that was not given"][0]["values"] == {"count": 0, "later": 0, "others": 1}
    assert named["another digest"][0]["meaning"] == "reason.receipt-of-another-event"
    assert named["a file for another game"][0]["status"] == "not-reached"


def test_any_change_of_a_receipt_is_found_and_later_receipts_need_good_signatures_too() -> None:
    published = json.loads(FILE.read_text(encoding="utf-8"))
    first = published["bundles"][0]
    data, key = first["bundle"].encode(), first["public_key"]
    head, game, *lines = next(one for one in published["receipts"] if "five" in one["about"])["file"].splitlines()
    five = [b64decode(line) for line in lines]

    def case(receipts: list[bytes]) -> Case:
        return Case(data, key, (), f"{head}\n{game}\n".encode() + b"".join(b64encode(one) + b"\n" for one in receipts))

    chance = Random("receipts")
    changed = list[Case]()
    for _ in range(60):
        receipt = bytearray(chance.choice(five))
        receipt[chance.choice([*range(64), *range(68, len(receipt))])] ^= 1 << chance.randrange(8)
        changed.append(case([*five, bytes(receipt)]))
    cut = [case([one[:-32]]) for one in five] + [case([one + one[-32:]]) for one in five]
    play = SignedPlay("page-receipts", "single-hand", 2, frozenset(), dice_each=2)
    play.play()
    told = stored(play)
    (later,) = sign_receipts([Accepted(told.game_id, 10_000, b"\1" * 32)], RECEIPTS)
    files = [
        f"{head}\n{told.game_id}\n".encode() + b64encode(one) + b"\n"
        for one in (later, later[:-1] + bytes([later[-1] ^ 1]))
    ]
    of_round = [Case(bundle(told, 1), SERVER.key, (), file) for file in files]
    of_game = Case(bundle(told, None), SERVER.key, (), files[0])

    assert {failed_check(report) for report in reports(changed)} == {"receipts"}
    assert {failed_check(report) for report in reports(cut)} == {"receipts"}
    assert [failed_check(report) for report in reports([*of_round, of_game])] == [None, "receipts", "receipts"]


def calls_of(module: Any) -> Iterator[Callable[[], None]]:
    """The tests of a module with each of their parameters, without the slow ones."""
    for name, function in vars(module).items():
        if name.startswith("test_") and name not in SLOW:
            marks = [mark for mark in getattr(function, "pytestmark", []) if mark.name == "parametrize"]
            choices = [[_arguments(mark.args[0], value) for value in mark.args[1]] for mark in marks]
            for chosen in product(*choices):
                yield partial(function, **{key: value for one in chosen for key, value in one.items()})


def _arguments(names: str | tuple[str, ...], value: Any) -> dict[str, Any]:
    return {names: value} if isinstance(names, str) else dict(zip(names, value, strict=True))


def lies(rulebook: str) -> Iterator[Case]:
    """Games in which a field is changed, or an event is left out, doubled or moved, with all evidence made again."""
    chance = Random(f"lies {rulebook}")
    signing = frozenset({0, 1}) if chance.random() < 0.5 else frozenset()
    play = SignedPlay("page-lies", rulebook, 3, signing, dice_each=2)
    play.play()
    for _ in range(LIES_OF_A_BOOK):
        entries = deepcopy(play.entries)
        index = chance.randrange(len(entries) - 1)
        public = entries[index].public
        name = chance.choice(list(public))
        others = [other for other in dishonest.variants(public[name]) if other != public[name]]
        match chance.choice(["field", "field", "field", "missing", "doubled", "moved"]):
            case "field" if others:
                public[name] = chance.choice(others)
            case "missing":
                entries.pop(index)
            case "doubled":
                entries.insert(index, entries[index])
            case _:
                entries.insert(chance.randrange(len(entries) - 1), entries.pop(index))
        with suppress(StopIteration, KeyError, IndexError):  # What is left may be no game that can be signed.
            yield Case(bundle(stored(play, entries), None), SERVER.key)


def swapped(data: bytes, chance: Random) -> Iterator[Case]:
    """Bundles in which two members have changed places, or one is another, without new evidence."""
    for _ in range(40):
        changed = json.loads(data)
        one, other = chance.sample(changed["events"], 2)
        name = chance.choice(["public", "digest", "topic", "version"])
        one[name], other[name] = other[name], one[name]
        if chance.random() < 0.3:
            changed |= {
                chance.choice(["leaf", "round", "proof", "key"]): chance.choice([0, 1, 2, None, [], "", SERVER.key])
            }
        yield Case(json.dumps(changed, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")


def tampered() -> list[Case]:
    """Some hundred bundles that were changed in every way that we know."""
    chance = Random("tampered")
    small = bundle(stored(play_of("pirates")), 1, (SERVER, WITNESSING))
    places = chance.sample(range(len(small)), 50)
    flips = [other for place in places for _, other in changes(small, chance, range(place, place + 1))]
    return [
        *(case for rulebook in BOOKS for case in lies(rulebook)),
        *(Case(other, SERVER.key, chance.choice([(), (WITNESSING.key,)])) for other in flips),
        *swapped(small, chance),
        *(Case(data) for data in GARBAGE),
        *(Case(small, key) for key in ("", "x", "a+b+c", SERVER.key[:-1], " " + SERVER.key, OLD_SERVER.key)),
    ]


def test_both_verifiers_give_the_same_verdict_on_hundreds_of_tampered_bundles() -> None:
    cases = tampered()

    here = [failed_check(report) for report in reports(cases)]
    there = [failed_in_python(case) for case in cases]

    assert len(cases) > 400
    differing = [
        (cases[index].data[:60], *pair)
        for index, pair in enumerate(zip(here, there, strict=True))
        if pair[0] != pair[1]
    ]
    assert differing == []
    # Not all are lies: the name of a player is the server's word, and who rolls first makes no difference.
    assert 5 < here.count(None) < len(cases) / 5


@needs_browser
def test_a_browser_verifies_a_bundle_too() -> None:
    """Chromium has Ed25519 of its own, and none of Node's hashes."""
    data = bundle(stored(play_of("bidding-track")), None)
    script = """async ([path, data]) => {
        const { verify } = await import(path);
        return verify(Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0)));
    }"""

    async def verified() -> Any:
        page = await (await shared_browser()).new_page()
        await page.route("**/*", _from_the_repository)
        await page.goto("http://localhost/page.html")
        path = "/services/web/page/verifier/index.js"
        try:
            return await page.evaluate(script, [path, b64encode(data).decode()])
        finally:
            await page.close()

    assert run(verified()) == reports([Case(data)])[0]


async def _from_the_repository(route: Route) -> None:
    """Answer with a file of the repository, as a web server would."""
    path = HERE.parents[1] / urlsplit(route.request.url).path.lstrip("/")
    if path.suffix == ".js":
        await route.fulfill(body=path.read_text(), content_type="text/javascript")
    else:
        await route.fulfill(body="<!doctype html>", content_type="text/html")
