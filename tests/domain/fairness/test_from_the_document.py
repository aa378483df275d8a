"""Fair dice written anew from `docs/reference/fair-dice.md` alone: hashlib, hmac and nothing of this project's own code."""

import hmac
import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[3] / "docs" / "reference"
VECTORS: dict[str, Any] = json.loads((DOCS / "fair-dice-vectors.json").read_text(encoding="utf-8"))

Links = dict[int, bytes]


def chain(seed: bytes, game_id: str, length: int) -> list[bytes]:
    prefix = b"liarsdice.chain.v1" + bytes([len(game_id)]) + game_id.encode()
    links = [seed]
    for _ in range(length):
        links.append(sha256(prefix + links[-1]).digest())
    return links[::-1]


def start(game_id: str, anchors: list[bytes]) -> bytes:
    name = game_id.encode()
    return sha256(b"liarsdice.transcript.v1" + len(name).to_bytes(2, "big") + name + b"".join(anchors)).digest()


def extend(transcript: bytes, link_number: int, links: Links) -> bytes:
    told = b"".join(bytes([seat]) + links[seat] for seat in sorted(links))
    return sha256(transcript + link_number.to_bytes(4, "big") + told).digest()


def key_of(transcript: bytes, link_number: int, server_link: bytes, links: Links) -> bytes:
    material = server_link + b"".join(links[seat] for seat in sorted(links))
    extracted = hmac.new(transcript, material, sha256).digest()
    info = b"liarsdice.deal.v1" + link_number.to_bytes(4, "big")
    return hmac.new(extracted, info + b"\x01", sha256).digest()


def number(key: bytes, label: bytes, bound: int) -> int:
    block = 0
    while True:
        for byte in hmac.new(key, label + block.to_bytes(4, "big"), sha256).digest():
            if byte < 256 - 256 % bound:
                return byte % bound
        block += 1


def roll(key: bytes, seat: int, count: int) -> list[int]:
    return [1 + number(key, b"die" + bytes([seat, die]), 6) for die in range(count)]


def draw(key: bytes, seats: list[int]) -> int:
    return seats[number(key, b"opener", len(seats))]


def chain_length(rulebook: str, seats: int, dice_each: int) -> int:
    dice = seats * dice_each
    return 64 + (dice * (dice - 1) // 2 if rulebook == "bidding-track" else dice - 1)


def calls_of_round(rulebook: str, dice_counts: list[int]) -> int:
    return 1 + sum(count - 1 for count in dice_counts if count) if rulebook == "bidding-track" else 1


class Replay:
    """A whole game, made anew from everybody's seeds: what each event must say about links and dice."""

    def __init__(self, seeds: dict[str, Any], created: dict[str, Any]) -> None:
        self.rulebook, game_id, length = created["rulebook"], created["game_id"], created["fairness"]["chain_length"]
        self.server = chain(bytes.fromhex(seeds["server"]), game_id, length)
        self.players = [chain(bytes.fromhex(seed), game_id, length) for seed in seeds["players"]]
        self.transcript = start(game_id, [self.server[0], *(links[0] for links in self.players)])
        self.call, self.next_call = 0, 1
        self.links: Links = {}
        self.waiting: list[tuple[bytes, int, Links]] = []

    def deal(self, link_number: int, links: Links) -> tuple[bytes, int, Links]:
        salt, self.transcript = self.transcript, extend(self.transcript, link_number, links)
        return salt, link_number, links

    def follow(self, events: list[dict[str, Any]]) -> Iterator[tuple[Any, Any]]:
        """What each event says, beside what follows from the seeds."""
        seats: list[int] = []
        counts: list[int] = []
        opener = None
        for event in events:
            match event["type"]:
                case "PlayerJoined":
                    yield event["anchor"], self.players[event["seat"]][0].hex()
                case "RoundStarted":
                    counts = event["dice_counts"]
                case "RollCalled":
                    calls = calls_of_round(self.rulebook, counts) if counts else 1
                    yield (event["call"], event["calls"]), (self.next_call, calls)
                    self.call, self.next_call = self.next_call, self.next_call + calls
                    seats, self.links, self.waiting = event["seats"], {}, []
                case "Rolled":
                    self.links[event["seat"]] = link = self.players[event["seat"]][self.call]
                    yield event["link"], link.hex()
                case "OpeningDiceRolled":
                    server_link = self.server[self.call]
                    key = key_of(*self.with_server(self.deal(self.call, self.links)))
                    opener = draw(key, seats)
                    yield event["server_link"], server_link.hex()
                    for rolled in event["rolls"]:
                        yield rolled["dice"], roll(key, rolled["seat"], len(rolled["dice"]))
                case "OpenerChosen" if event["how"] == "drawn":
                    yield event["seat"], opener
                case "DiceDealt":
                    self.waiting = [self.deal(self.call, self.links)]
                case "DiceRerolled":
                    link_number = self.call + len(self.waiting)
                    link = self.players[event["seat"]][link_number]
                    yield event["link"], link.hex()
                    self.waiting.append(self.deal(link_number, {event["seat"]: link}))
                case "CupsLifted":
                    yield from self.lifted(event, counts)
                case _:
                    pass

    def with_server(self, deal: tuple[bytes, int, Links]) -> tuple[bytes, int, bytes, Links]:
        salt, link_number, links = deal
        return salt, link_number, self.server[link_number], links

    def lifted(self, event: dict[str, Any], counts: list[int]) -> Iterator[tuple[Any, Any]]:
        for made, told in zip(self.waiting, event["deals"], strict=True):
            deal = self.with_server(made)
            yield told["server_link"], deal[2].hex()
            key, seat = key_of(*deal), told["reroll_of"]
            if seat is None:
                yield told["hands"], [roll(key, player, count) for player, count in enumerate(counts)]
            else:
                yield told["hands"], [roll(key, seat, len(told["hands"][0]))]


def test_the_chain() -> None:
    vector = VECTORS["chain"]
    links = chain(bytes.fromhex(vector["seed"]), vector["game_id"], vector["length"])

    assert links[0].hex() == vector["anchor"]
    assert [links[entry["number"]].hex() for entry in vector["links"]] == [entry["link"] for entry in vector["links"]]


def test_the_transcript_of_a_game() -> None:
    vector = VECTORS["transcript"]
    anchors = [bytes.fromhex(anchor) for anchor in (vector["server_anchor"], *vector["anchors"])]

    assert start(vector["game_id"], anchors).hex() == vector["transcript"]
    assert VECTORS["deal"]["transcript"] == vector["transcript"]
    assert VECTORS["reroll"]["transcript"] == VECTORS["deal"]["next_transcript"]


@pytest.mark.parametrize("name", ["deal", "reroll"])
def test_a_deal_and_a_reroll(name: str) -> None:
    vector = VECTORS[name]
    transcript, server_link = bytes.fromhex(vector["transcript"]), bytes.fromhex(vector["server_link"])
    links = {entry["seat"]: bytes.fromhex(entry["link"]) for entry in vector["links"]}
    key = key_of(transcript, vector["number"], server_link, links)

    assert key.hex() == vector["key"]
    assert extend(transcript, vector["number"], links).hex() == vector["next_transcript"]
    for dealt in vector["hands"]:
        assert roll(key, dealt["seat"], len(dealt["dice"])) == dealt["dice"]


def test_a_byte_that_is_skipped() -> None:
    vector = VECTORS["skipped"]
    (dealt,) = vector["hands"]

    assert bytes.fromhex(vector["block"])[0] >= 252
    assert roll(bytes.fromhex(vector["key"]), dealt["seat"], len(dealt["dice"])) == dealt["dice"]


def test_drawn_openers() -> None:
    drawn = [draw(bytes.fromhex(vector["key"]), vector["seats"]) for vector in VECTORS["openers"]]

    assert drawn == [vector["drawn"] for vector in VECTORS["openers"]]


def test_chain_lengths() -> None:
    for vector in VECTORS["chain_lengths"]:
        assert chain_length(vector["rulebook"], vector["seats"], vector["dice_each"]) == vector["length"]


def test_the_numbers_that_a_round_sets_aside() -> None:
    for vector in VECTORS["calls"]:
        assert calls_of_round(vector["rulebook"], vector["dice_counts"]) == vector["calls"]


@pytest.mark.parametrize("game", VECTORS["games"], ids=lambda game: game["events"][0]["rulebook"])
def test_a_whole_game(game: dict[str, Any]) -> None:
    created, *events = game["events"]
    replay = Replay(game["seeds"], created)

    said, made = zip(*replay.follow(events), strict=True)

    assert created["fairness"]["server_anchor"] == replay.server[0].hex()
    assert said == made
    assert len(said) > 15


def test_the_document_tells_every_label_and_what_every_vector_is() -> None:
    document = (DOCS / "fair-dice.md").read_text(encoding="utf-8")

    for label in ("liarsdice.chain.v1", "liarsdice.transcript.v1", "liarsdice.deal.v1", '"die"', '"opener"'):
        assert label in document
    for name in VECTORS.keys() - {"version"}:
        assert f"`{name}`" in document
