"""Checking a bundle of a game without its server: one module, which others may copy into a program of their own.

It needs only the standard library and `cryptography`, and was written from the documentation, not from the game's code.
"""

import hmac
import json
import re
from base64 import b64encode
from binascii import a2b_base64
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

Json = dict[str, Any]
Opener = tuple[int, bool] | None  # Who opens the next round, and whether it is a Palafico round; None after the last.


@dataclass(eq=False)
class Failed(Exception):  # noqa: N818 - it reads as a sentence
    """The first check that does not hold, and a sentence that says what differs and where."""

    check: str
    sentence: str


@dataclass
class Round:
    """What a round came to; a die has a seat and a face, was shown or not, counts or not, and says why."""

    number: int
    opener: int
    palafico: bool
    dice: list[Json] = field(default_factory=list)
    result: Json | None = None
    eliminated: list[int] = field(default_factory=list)
    next_opener: int | None = None
    clauses: list[str] = field(default_factory=list)


@dataclass
class Report:
    """What a bundle tells; `rounds` holds the round that it is about, or all of them."""

    game_id: str
    round: int | None
    rulebook: str = ""
    players: list[Json] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    places: list[list[int]] = field(default_factory=list)
    abandoned: str | None = None
    proven: list[str] = field(default_factory=list)
    not_proven: list[str] = field(default_factory=list)


def _place(quantity: int, face: int) -> int:
    return 3 * quantity - 1 if face == 1 else quantity + quantity // 2  # R6


_RAISES: dict[str, Callable[[int, int, int, int], bool]] = {  # Those with a space in their name are no options.
    "along the track": lambda q, f, q2, f2: _place(q2, f2) > _place(q, f) or (q2 == q and f2 > f > 1),
    "quantity_or_face": lambda q, f, q2, f2: (q2, f2) > (q, f),
    "same_face_or_higher_face": lambda q, f, q2, f2: (f2, q2) > (f, q),
    "beat_the_higher_number": lambda q, f, q2, f2: max(q2, f2) > max(q, f),
    "same face": lambda q, f, q2, f2: f2 == f and q2 > q,
}
# The most players, how to raise, who opens the next round unless out, and what is special.
_BOOKS = {
    "bidding-track": (6, "along the track", "winner", {"wild", "difference", "exact costs all", "rerolls", "chips"}),
    "single-hand": (20, "quantity_or_face", "loser", {"wild_aces", "raise_rule"}),
    "pirates": (4, "quantity_or_face", "loser", {"wild", "wild never opens", "wild never raises", "one die opens"}),
    "prediction-track": (6, "along the track", "challenger", {"wild", "difference", "all dice open"}),
    "palafico": (4, "quantity_or_face", "loser", {"wild", "wild never opens", "palafico"}),
}
_CITED = ("challenge", "number", "wild", "plain", "fewer", "exact", "more", "opener", "left", "out", "won")
_CLAUSES = {
    "bidding-track": "BT-13 BT-5 BT-6 BT-5 BT-15 BT-16 BT-14 BT-18 BT-18 BT-17 BT-21",
    "single-hand": "SH-6 SH-14 SH-14 SH-6 SH-7 SH-7 SH-7 SH-8 SH-8 SH-12 SH-13",
    "pirates": "PI-9 PI-5 PI-9 PI-9 PI-10 PI-10 PI-10 PI-11 R5 PI-12 PI-13",
    "prediction-track": "PT-10 PT-5 PT-5 PT-5 PT-11 PT-13 PT-12 PT-14 PT-14 PT-15 PT-16",
    "palafico": "PA-8 PA-7 PA-8 PA-13 PA-9 PA-9 PA-9 PA-10 PA-10 PA-11 PA-16",
}
_MOVES = {"rolled": "roll {link}", "bid-placed": "bid {quantity} {face}", "dice-rerolled": "show {dice} link {link}"}
_MOVES |= {"bid-challenged": "challenge", "player-forfeited": "forfeit"}
_BUNDLE = ["format", "game_id", "round", "events", "leaf", "proof", "checkpoint", "key"]
_EVENT = ["version", "topic", "public", "commitment", "opened", "signed", "digest"]
_PLAYER = ["seat", "player_id", "name", "kind", "anchor", "chain_held_by"]
_OPTIONS = ["chips", "wild_aces", "raise_rule", "dice_each", "opener", "turn_seconds", "on_timeout"]
_NOTE = re.compile(r"(([^\s+]+)\n(0|[1-9][0-9]{0,18})\n(\S+)\n)\n((?:— [^\s+]+ \S+\n)+)")
_QUANTITIES, _FACES, _DICE_EACH, _SECONDS = range(1, 1001), range(1, 7), range(1, 11), range(1, 604_801)
_spelled = partial(json.dumps, ensure_ascii=False, separators=(",", ":"))


def _parsed(text: str, words: str = "null", escaped: str = r'["\\]') -> Any:
    value, rest = json.loads(text), re.sub(rf'"(?:[^"\\]|\\{escaped})*"|{words}', "", text)
    if _spelled(value) != text or re.search(r"[^]\[{},:0-9]", rest) or not text.replace("\u200d", "").isprintable():
        raise ValueError
    return value


def _raw(text: str, length: int = 0) -> bytes:
    raw = a2b_base64(text, strict_mode=True)
    if b64encode(raw).decode() != text or len(raw) != (length or len(raw)):
        raise ValueError
    return raw


def _sized(raw: bytes, size: int) -> bytes:
    return len(raw).to_bytes(size, "big") + raw


def _below(key: bytes, label: bytes, bound: int) -> int:
    blocks = (hmac.digest(key, label + block.to_bytes(4, "big"), "sha256") for block in range(2**32))
    return next(byte for block in blocks for byte in block if byte < 256 - 256 % bound) % bound


def read_key(text: str) -> tuple[str, bytes, bytes]:
    """The name, the id, and the type and bytes of a key; a ValueError if it is none."""
    name, key_id, key = (*text.split("+", 2), "", "")[:3]
    if not re.fullmatch(r"\S+", name) or key_id != sha256(f"{name}\n".encode() + _raw(key, 33)).hexdigest()[:8]:
        raise ValueError("a key is written as NAME+ID+KEY")
    return name, bytes.fromhex(key_id), _raw(key)


def verify(data: bytes, public_key: str | None = None, witness_keys: Sequence[str] = ()) -> Report:
    """What a bundle proves, by the server's key and those of witnesses, if any are given; raises `Failed`."""
    game = _Game()
    try:
        game.read(data.decode())
        with suppress(StopIteration):
            game.play()
        game.check_leaf()
        game.check_checkpoint([game.key, game.key if public_key is None else public_key, *witness_keys])
    except InvalidSignature:
        raise Failed(game.signing, f"{game.where} is not signed as it should be.") from None
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise Failed("form", f"{game.where} is not spelled as it should be.") from None
    return game.sum_up(public_key, len(witness_keys))


class _Game:  # It is played once more: each event must be what the rules make of the moves before it.
    where, signing, index, settled, next_call = "The bundle", "signatures", 0, 0, 1

    def read(self, text: str) -> None:
        self.bundle = bundle = _parsed(text[:-1], escaped=".")
        self.game_id, self.events, note = bundle["game_id"], bundle["events"], _NOTE.fullmatch(bundle["checkpoint"])
        known = [*bundle] == _BUNDLE and bundle["format"] == "liarsdice.bundle.v1" and text[-1] == "\n"
        if not note or not known or not re.fullmatch(r"[A-Za-z0-9._-]{1,64}", self.game_id):
            raise ValueError
        self.note, self.origin, self.size, self.root = note[1], note[2], int(note[3]), _raw(note[4], 32)
        self.signers = [(name, _raw(made)) for _, name, made in map(str.split, note[5].splitlines())]
        self.report, self.tally, self.pots = Report(self.game_id, bundle["round"]), Counter[str](), Counter[str]()
        self.id, self.key, self.round = self.game_id.encode(), bundle["key"], Round(0, 0, palafico=False)
        self.digests = [sha256(b"liarsdice.game.v1\n" + _sized(self.id, 2)).digest()]
        self.players, self.secrets, self.out = self.report.players, list[bytes | None](), list[list[int]]()
        for version, event in enumerate(self.events, 1):
            self.where, self.event, kind = f"Event {version}", event, event["topic"].partition(".")[0]
            members, signed = [name for name in _EVENT if event.get(name)], event.get("signed")
            known = event["version"] == version and event["topic"] in {f"{kind}.v1", "player-joined.v2"}
            self.need("form", known and [*event] == members, "it is not the next one, or has other members than it may")
            commitment, stored = (_raw(event.get(name, "")) for name in ("commitment", "digest"))
            part = signed["after"].to_bytes(8, "big") + _raw(signed["signature"], 64) if signed else b""
            chained = b"liarsdice.event.v1\n" + self.digests[-1] + version.to_bytes(8, "big")
            chained += _sized(event["topic"].encode(), 2) + _sized(event["public"].encode(), 4)
            self.digests.append(sha256(chained + bytes([commitment > b""]) + commitment + _sized(part, 2)).digest())
            old = not stored + commitment + part and "digest" not in self.events[max(0, version - 2)]
            self.need("digests", old or stored == self.digests[-1], "its digest does not follow from the one before")
            words = "null|true|false" if kind in {"game-created", "round-started"} else "null"
            event |= {"kind": kind, "fields": _parsed(event["public"], words)}
        self.event, self.ahead, self.upcoming = self.events[0], self.events[0]["kind"], iter(self.events)

    def need(self, check: str, holds: object, sentence: str) -> None:
        if not holds:
            raise Failed(check, f"{self.where}, {self.event['topic']}: {sentence}.")

    def take(self, kind: str, names: str = "") -> Json:
        before, self.event = self.event, next(self.upcoming)
        self.index, self.where, f = self.index + 1, f"Event {self.index + 1}", dict(self.event["fields"])
        self.ahead = self.events[self.index]["kind"] if self.index < len(self.events) else ""
        self.check_evidence(self.event, f, before)
        self.need("outcome", self.event["kind"] == kind, f"{kind or 'nothing'} should come here")
        self.need("form", names in {"", " ".join(f)} and type(f["at"]) is int, "it has other fields than it should")
        return f

    def exact(self, kind: str, check: str, fields: Json) -> None:
        fields |= {"at": int(self.take(kind)["at"])}
        self.need(check, _spelled(fields) == self.event["public"], f"by the rules it is {_spelled(fields)}")

    def check_evidence(self, event: Json, f: Json, before: Json) -> None:
        kind, signed, dealt = event["kind"], event.get("signed"), event["kind"] in {"dice-dealt", "dice-rerolled"}
        commitment, opened = (_raw(event.get(name, "")) for name in ("commitment", "opened"))
        made = sha256(b"liarsdice.secret.v1\n" + opened).digest() if dealt and "digest" in event else b""
        self.need("commitments", commitment == made and (made or not opened), "it is not what was committed to")
        self.secrets += [opened[32:] if made else None] if dealt else []
        both = kind == "bid-placed" and self.ahead == "dice-rerolled" and "signed" not in self.events[self.index]
        key = self.players[f["seat"]].get("signing_key") if kind in _MOVES else None
        excused = before["kind"] == "turn-timed-out" or f.get("reason") == "time"
        excused |= kind == "dice-rerolled" and before["kind"] == "bid-placed" and "signed" in before
        self.need("signatures", signed or excused or not key, "the seat signs its moves, but not this one")
        if signed:
            after, fits = signed["after"], key and [*signed] == ["after", "signature"]
            self.need("signatures", fits and self.settled <= after < self.index, "it can't be signed on such a past")
            moves = [(one["kind"], one["fields"]) for one in self.events[self.index - 1 : self.index + both]]
            told = [_MOVES[one].format(dice=",".join(map(str, g.get("shown", []))), **g) for one, g in moves]
            lines = [self.game_id, str(after), b64encode(self.digests[after]).decode(), str(f["seat"]), " ".join(told)]
            text = "\n".join(["liarsdice.move.v1", *lines, ""])
            Ed25519PublicKey.from_public_bytes(_raw(key or "", 32)).verify(_raw(signed["signature"]), text.encode())
        self.settled = self.settled if kind in {"rolled", "dice-rerolled", "cups-lifted"} else self.index

    def play(self) -> None:
        created = self.take("game-created", "game_id rulebook rulebook_version options seats fairness at")
        self.create(created, created["options"], created["seats"])
        while self.ahead in {"player-joined", "player-left"}:
            if self.ahead == "player-left":
                self.players.pop(self.take(self.ahead, "seat at")["seat"])
                continue
            f, ids, key = self.take(self.ahead), [one["player_id"] for one in self.players], ["signing_key"]
            fits = [*f] == [*_PLAYER, *key * self.event["topic"].endswith("2"), "at"] and f["seat"] == len(ids)
            fits &= f["kind"] in ("human", "bot") and f["chain_held_by"] in ("player", "server")
            fits &= len(ids) < created["seats"] and f["player_id"] not in ids and f["name"] + f["player_id"] > ""
            self.need("outcome", fits, "this player can't take this seat")
            self.players.append(f | {"signs": f.get("signing_key") is not None and _raw(f["signing_key"], 32) > b""})
        following = self.go_on(None) if self.ahead == "game-abandoned" else self.start(created["fairness"])
        while following is not None:
            following = self.play_round(*following)
        self.take("")

    def create(self, f: Json, options: Json, seats: int) -> None:
        self.report.rulebook, self.options, fairness = f["rulebook"], options, f["fairness"]
        players_max, self.raises, self.opens, self.ways = _BOOKS[f["rulebook"]]
        each, opener, seconds, late = (options[name] for name in _OPTIONS[3:])
        dice, fair = seats * each, {"version": 1, "chain_length": 0, "server_anchor": fairness["server_anchor"]}
        self.opening_dice = 1 if "one die opens" in self.ways else each if "all dice open" in self.ways else 0
        self.length = fair["chain_length"] = 64 + (dice * (dice - 1) // 2 if "rerolls" in self.ways else dice - 1)
        self.raises = options["raise_rule"] if "raise_rule" in self.ways else self.raises
        plain = [False, False, "quantity_or_face", *(one and int(one) for one in (each, opener, seconds))]
        known: Json = dict(zip(_OPTIONS, [*plain, late if seconds else "forfeit"], strict=True))
        known |= {name: type(known[name])(options[name]) for name in {*_OPTIONS} & self.ways}
        fits = _spelled([options, fairness, f["rulebook_version"]]) == _spelled([known, fair, 1])
        fits &= f["game_id"] == self.game_id and 1 < seats <= players_max and each in _DICE_EACH
        fits &= (opener is None or opener < seats * (not self.opening_dice)) and " " not in options["raise_rule"]
        fits &= (seconds is None or seconds in _SECONDS) and late in {"forfeit", "challenge", "lowest_bid"}
        self.need("outcome", fits, "its book has no such table")

    def start(self, fairness: Json) -> Opener:
        each, seats, chips = self.options["dice_each"], [*range(len(self.players))], self.options["chips"] * 50
        self.exact("game-started", "outcome", {"dice_each": each, "chips_each": chips or None})
        self.seats, self.counts, self.chips = seats, [each] * len(seats), [chips] * len(seats)
        anchors = [_raw(anchor, 32) for anchor in (fairness["server_anchor"], *(one["anchor"] for one in self.players))]
        self.need("links", 1 < len(seats) < len({*anchors}), "there are too few players, or anchors that are the same")
        self.heads = {"the server": (anchors[0], 0)} | {f"seat {s}": (anchors[s + 1], 0) for s in seats}
        self.transcript = sha256(b"liarsdice.transcript.v1" + _sized(self.id, 2) + b"".join(anchors)).digest()
        if self.ahead == "opener-chosen":
            named = self.take("opener-chosen", "seat how at")
            self.need("outcome", named["how"] == "named" and not self.opening_dice, "nobody may name the opener")
            return seats[named["seat"]], False
        self.need("outcome", self.options["opener"] is None, "the opener was named already")
        while len(seats) > 1:
            if not self.roll(seats, 1):
                return self.leave([seat for seat in seats if seat not in self.links])
            f, each = self.take("opening-dice-rolled", "server_link rolls at"), self.opening_dice
            key = self.deal(self.call, f["server_link"], sorted(self.links.items()))
            rolls = [{"seat": seat, "dice": self.dice(key, seat, each)} for seat in seats if each]
            self.need("dice", _spelled(f["rolls"]) == _spelled(rolls), f"by the links it is {rolls}")
            ranks = [(roll["dice"].count(1) * ("all dice open" in self.ways), sum(roll["dice"])) for roll in rolls]
            best = [seat for seat, rank in zip(seats, ranks, strict=False) if rank == max(ranks)]
            seats = best or [_below(key, b"opener", len(seats))]
        self.exact("opener-chosen", "outcome", {"seat": seats[0], "how": "rolled" if self.opening_dice else "drawn"})
        return seats[0], False

    def roll(self, seats: list[int], calls: int) -> bool:
        self.call, self.links, self.rerolls, self.secrets = self.next_call, dict[int, bytes](), list[Json](), []
        self.next_call += calls
        self.exact("roll-called", "links", {"seats": seats, "call": self.call, "calls": calls})
        while self.ahead == "rolled" and len(self.links) < len(seats):
            f = self.take("rolled", "seat link at")
            self.need("links", f["seat"] in seats and f["seat"] not in self.links, "this seat is not to roll")
            self.links[f["seat"]] = self.reveal(f"seat {f['seat']}", f["link"], self.call)
        return len(self.links) == len(seats)

    def reveal(self, party: str, link: str, number: int) -> bytes:
        (head, last), raw = self.heads[party], _raw(link, 32)
        hashed, self.heads[party] = raw, (raw, number)
        for _ in range(last, number):
            hashed = sha256(b"liarsdice.chain.v1" + _sized(self.id, 1) + hashed).digest()
        self.need("links", hashed == head and number <= self.length, f"it does not show link {number} of {party}")
        self.tally["links"] += 1
        return raw

    def deal(self, number: int, server_link: str, links: list[tuple[int, bytes]]) -> bytes:
        at, revealed = number.to_bytes(4, "big"), self.reveal("the server", server_link, number)
        secret = hmac.digest(self.transcript, revealed + b"".join(link for _, link in links), "sha256")
        self.transcript = sha256(self.transcript + at + b"".join(bytes([s]) + link for s, link in links)).digest()
        return hmac.digest(secret, b"liarsdice.deal.v1" + at + b"\1", "sha256")

    def dice(self, key: bytes, seat: int, number: int) -> list[int]:
        self.tally["dice"] += number
        return [1 + _below(key, b"die" + bytes([seat, die]), 6) for die in range(number)]

    def play_round(self, opener: int, palafico: bool) -> Opener:  # noqa: FBT001 - one of the two things an opener has
        now = self.round = Round(self.round.number + 1, opener, palafico)
        seats, turn, may_reroll, purse, self.bid = self.seats, opener, False, self.chips, None
        self.wild = ("wild" in self.ways or self.options["wild_aces"]) and not palafico
        told = {"number": now.number, "opener": opener, "palafico": palafico, "dice_counts": self.counts}
        self.exact("round-started", "outcome", told)
        if self.options["chips"]:  # R8: who is short pays into the round's pot first.
            antes = [{"seat": s, "round_pot": min(1, purse[s]), "game_pot": int(purse[s] > 1)} for s in seats]
            self.exact("antes-paid", "outcome", {"antes": antes})
            self.chips = [chips - (seat in seats) * min(2, chips) for seat, chips in enumerate(purse)]
            for pot in ("round", "game"):
                self.pots[pot] += sum(ante[f"{pot}_pot"] for ante in antes)
        if not self.roll(seats, 1 + sum(self.counts) - len(seats) if "rerolls" in self.ways else 1):
            return self.leave([seat for seat in seats if seat not in self.links])
        self.exact("dice-dealt", "dice", {})
        late = ["turn-timed-out"] * (self.options["on_timeout"] != "forfeit")
        while self.ahead in {"bid-placed", "dice-rerolled", "bid-challenged", *late}:
            due = self.due_bid(turn) if self.ahead == "turn-timed-out" else None
            if self.ahead == "bid-placed":
                f = self.take("bid-placed", "seat quantity face at")
                bid = f["quantity"], f["face"]
                self.need("bids", f["seat"] == turn, f"it is the turn of seat {turn}")
                self.need("bids", self.is_legal(*bid) and due in (None, bid), f"this is no legal bid after {self.bid}")
                self.bid = {"seat": turn, "quantity": bid[0], "face": bid[1]}
                may_reroll, last = "rerolls" in self.ways, turn
                turn = min(seats, key=lambda seat: (seat - last - 1) % len(self.counts))
            elif self.ahead == "dice-rerolled":
                f = self.take("dice-rerolled", "seat shown rerolled link at")
                fits = may_reroll and due is None and self.bid and f["seat"] == self.bid["seat"]
                self.need("bids", fits, "this seat may not reroll now")
                link = self.reveal(f"seat {f['seat']}", f["link"], self.call + len(self.rerolls) + 1)
                self.rerolls, may_reroll = [*self.rerolls, f | {"link": link}], False
            else:
                f = self.take("bid-challenged", "seat bid at")
                fits = self.bid and f["seat"] == turn and f["bid"] == self.bid and due in (None, (0, 0))
                self.need("bids", fits, f"it is the turn of seat {turn}, and the bid is {self.bid}")
                return self.settle(turn, self.lift(now, f["bid"]["face"]), **f["bid"])
        return self.leave([turn])

    def is_legal(self, quantity: int, face: int) -> bool:
        now, never = self.round, "wild never raises" if self.bid else "wild never opens"
        may = quantity in _QUANTITIES and face in _FACES and (face > 1 or now.palafico or never not in self.ways)
        raises = _RAISES["same face" if now.palafico else self.raises]
        return may and (self.bid is None or raises(self.bid["quantity"], self.bid["face"], quantity, face))

    def due_bid(self, turn: int) -> tuple[int, int]:
        self.need("bids", self.take("turn-timed-out", "seat at")["seat"] == turn, "no clock runs for this seat")
        lowest = [(next((q for q in _QUANTITIES if self.is_legal(q, face)), 0), face) for face in _FACES]
        height = _place if self.raises == "along the track" else lambda quantity, _: quantity
        due = min((bid for bid in lowest if bid[0]), key=lambda bid: (height(*bid), bid[1]), default=(0, 0))
        return (0, 0) if self.bid and self.options["on_timeout"] == "challenge" else due

    def lift(self, now: Round, face: int) -> list[list[int]]:
        f, made, hidden = self.take("cups-lifted", "deals dice at"), list[Json](), list[list[int]]()
        shown: list[list[int]] = [[] for _ in self.counts]
        self.need("links", len(f["deals"]) == len(self.secrets), f"it should show {len(self.secrets)} deals")
        for number, deal in enumerate(f["deals"]):
            reroll, secret, link = self.rerolls[number - 1] if number else {}, self.secrets[number], deal["server_link"]
            told = {"server_link": link} | ({"hand": deal["hands"][0]} if reroll else {"hands": deal["hands"]})
            self.need("commitments", secret in (None, _spelled(told).encode()), "it shows not what was committed to")
            if reroll:
                seat, showing, cup = reroll["seat"], reroll["shown"], hidden[reroll["seat"]]
                left = (Counter(cup) - Counter(showing)).total()
                fits = 0 < left == len(cup) - len(showing) == reroll["rerolled"] < len(cup)
                self.need("bids", fits, f"seat {seat} had {cup} and can't show {showing} and reroll the others")
                key = self.deal(self.call + number, link, [(seat, reroll["link"])])
                shown[seat], hidden[seat] = shown[seat] + showing, self.dice(key, seat, left)
            else:
                key = self.deal(self.call, link, sorted(self.links.items()))
                hidden = [self.dice(key, seat, dice) for seat, dice in enumerate(self.counts)]
            hands = [hidden[reroll["seat"]]] if reroll else [*hidden]
            made.append({"server_link": link, "hands": hands, "reroll_of": reroll.get("seat")})
        cups = [lying + under for lying, under in zip(shown, hidden, strict=True)]
        same = _spelled({"deals": made, "dice": cups, "at": f["at"]}) == self.event["public"]
        self.need("dice", same, f"by the links the cups hold {cups}")
        whys = ({1: "wild"} if self.wild and face else {}) | {face: "matches the bid's face"}
        for seat, index, die in [(seat, index, die) for seat, cup in enumerate(cups) for index, die in enumerate(cup)]:
            known = {"seat": seat, "face": die, "shown": index < len(shown[seat]), "counts": die in whys}
            now.dice.append(known | {"why": whys.get(die, "does not count" if face else "was not counted")})
        return cups

    def settle(self, challenger: int, cups: list[list[int]], *, seat: int, quantity: int, face: int) -> Opener:
        now, wild, actual = self.round, self.wild and face > 1, sum(die["counts"] for die in self.round.dice)
        counts = [{"seat": s, "natural": c.count(face), "wild": c.count(1) * wild} for s, c in enumerate(cups) if c]
        holds, difference, penalties = actual >= quantity, abs(actual - quantity), list[Json]()
        winner, loser = (seat, challenger) if holds else (challenger, seat)
        told = {"bid": self.bid, "challenger": challenger, "actual": actual, "counts": counts, "winner": winner}
        self.exact("challenge-resolved", "outcome", {**told})
        self.cite("challenge", "plain" if not self.wild else "number" if face > 1 else "wild")
        self.cite("fewer" if not holds else "more" if difference else "exact")
        others = [] if difference or "exact costs all" not in self.ways else [s for s in self.seats if s != seat]
        for one in others or [loser]:
            penalty = max(1, difference) if "difference" in self.ways else 1
            penalties.append({"seat": one, "penalty": penalty, "lost": min(penalty, self.counts[one])})
            self.exact("dice-lost", "outcome", {**penalties[-1]})
            self.counts[one] -= penalties[-1]["lost"]
        now.result = told | {"loser": loser, "penalties": penalties}
        self.eliminate([one for one in others or [loser] if not self.counts[one]])
        self.win(winner, "round")
        return self.go_on({"winner": winner, "loser": loser, "challenger": challenger}[self.opens], others or [loser])

    def cite(self, *situations: str) -> None:
        clauses, cited = dict(zip(_CITED, _CLAUSES[self.report.rulebook].split(), strict=True)), self.round.clauses
        cited += [clauses[one] for one in situations if not {"R10", clauses[one]} & {*cited}]

    def leave(self, waiting: list[int]) -> Opener:
        late = [self.take("turn-timed-out", "seat at")["seat"]] if self.ahead == "turn-timed-out" else []
        self.need("bids", not late or (late[0] in waiting and self.options["turn_seconds"]), "no clock runs here")
        if self.secrets:
            self.lift(self.round, 0)
        if not late and self.ahead != "player-forfeited":
            return self.go_on(None)
        f = self.take("player-forfeited", "seat reason lost at")
        self.need("bids", [f["reason"], *late] in (["resigned"], ["time", f["seat"]]), "it has another reason")
        self.need("outcome", f["lost"] == self.counts[f["seat"]] > 0, "the seat loses all its dice")
        self.counts[f["seat"]], self.round.clauses = 0, ["R10"]
        self.eliminate([f["seat"]])
        return self.go_on(f["seat"])

    def eliminate(self, seats: list[int]) -> None:
        if seats:
            self.seats = [seat for seat in self.seats if seat not in seats]
            self.exact("players-eliminated", "outcome", {"seats": seats, "place": len(self.seats) + 1})
            self.round.eliminated, self.out = seats, [seats, *self.out]
            self.cite("out")

    def win(self, seat: int, *pots: str) -> None:
        for pot in [pot for pot in pots if self.pots[pot]]:
            self.exact("pot-won", "outcome", {"seat": seat, "pot": pot, "chips": self.pots[pot]})
            self.chips[seat], self.pots[pot] = self.chips[seat] + self.pots[pot], 0

    def go_on(self, opener: int | None, losers: Sequence[int] = ()) -> Opener:
        now, following = self.round, None
        if now.number:
            self.exact("round-ended", "outcome", {"number": now.number})
            self.report.rounds.append(now)
        if opener is None:
            now.clauses = ["R17"]
            self.report.abandoned = self.take("game-abandoned", "reason at")["reason"]
        elif len(self.seats) > 1:
            now.next_opener = min(self.seats, key=lambda seat: (seat - opener) % len(self.counts))
            self.cite("opener" if opener in self.seats else "left")
            came_down = now.next_opener in losers and self.counts[now.next_opener] == 1
            following = now.next_opener, "palafico" in self.ways and came_down and len(self.seats) - 1 > 1
        else:
            self.cite("won")
            chips, self.report.places = self.chips if self.options["chips"] else None, [self.seats, *self.out]
            self.win(self.seats[0], "round", "game")
            self.exact("game-ended", "outcome", {"winner": self.seats[0], "places": self.report.places, "chips": chips})
        return following

    def check_leaf(self) -> None:
        last, about, digest = self.events[-1], self.bundle["round"], b64encode(self.digests[-1]).decode()
        ends = last["kind"] in ({"game-ended", "game-abandoned"} if about is None else {"round-ended"})
        self.need("leaf", ends and about == last["fields"].get("number"), "it does not end what the bundle is about")
        leaf = f"liarsdice.leaf.v1\n{self.game_id}\n{self.index}\n{last['topic']}\n{digest}\n"
        node, index, proof = sha256(b"\0" + leaf.encode()).digest(), self.bundle["leaf"], self.bundle["proof"]
        inner = (index ^ (self.size - 1)).bit_length()  # Above that, all siblings are on the left.
        fits = index < self.size and len(proof) == inner + (index >> inner).bit_count() and type(proof) is list
        for depth, other in enumerate(_raw(one, 32) for one in proof):
            node = sha256(b"\1" + (other + node if depth >= inner or index >> depth & 1 else node + other)).digest()
        self.need("inclusion", fits and node == self.root, "its leaf is not under the root of the checkpoint")

    def check_checkpoint(self, keys: Sequence[str]) -> None:
        for number, text in enumerate(keys):
            self.where, self.signing, witness = f"The checkpoint, by the key {text},", "checkpoint", number > 1
            name, key_id, key = read_key(text)
            fits = key[0] == (4 if witness else 1) and (witness or name == self.origin)
            made = [blob[4:] for signer, blob in self.signers if fits and (signer, blob[:4]) == (name, key_id)]
            for blob in made or [b""]:
                time = f"cosignature/v1\ntime {int.from_bytes(blob[:8], 'big')}\n" if witness else ""
                Ed25519PublicKey.from_public_bytes(key[1:]).verify(blob[8 * witness :], (time + self.note).encode())

    def sum_up(self, public_key: str | None, witnesses: int) -> Report:
        report, tally = self.report, self.tally
        bare, signed = sum("digest" not in one for one in self.events), sum("signed" in one for one in self.events)
        report.rounds = [one for one in report.rounds if report.round in (None, one.number)]
        report.players = [one | {"seat": seat} for seat, one in enumerate(self.players)]  # R16
        served = [one["seat"] for one in report.players if one["chain_held_by"] == "server"]
        silent = [one["seat"] for one in report.players if not one["signs"]]
        signers = f"{public_key or self.key}" + f" and seen by {witnesses} witnesses" * (witnesses > 0)
        report.proven = [
            f"{tally['links']} links lead to the anchors, and {tally['dice']} dice follow from them.",
            f"{self.index} events follow from one another by the rules; {signed} moves are signed by their seats.",
            f"They are leaf {self.bundle['leaf']} of the {self.size} in the log {self.origin}, signed by {signers}.",
        ]
        gaps: Json = {f"The server held the chains of seats {served}.": served}
        gaps |= {f"Seats {silent} sign nothing: their moves are the server's word.": silent}
        gaps |= {"The key is the bundle's own: whose it is was not checked.": public_key is None}
        gaps |= {"Other signatures under the checkpoint were not checked.": len(self.signers) > 1 + witnesses}
        gaps |= {f"{bare} events were stored without a digest.": bare}
        report.not_proven = [sentence for sentence, there in gaps.items() if there]
        return report
