"""Whole games with their evidence, played at random in memory, as the server would store them."""

import json
from base64 import b64encode
from hashlib import sha256
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct

from domain.commands import AnyCommand, PlaceBid
from domain.deciding import decide
from domain.events import AnyEvent, BidChallenged, BidPlaced, DiceRerolled, PlayerForfeited, PlayerJoined, Rolled
from domain.evolve import fold
from infra.events.codec import encode_fields
from infra.events.evidence import Signed, committed, first_digest, next_digest
from services.audit.bundle import BundledEvent, Inclusion, write_bundle
from services.simulation.simulation import Setup
from tests.domain.fairness.play import TURN_SECONDS, Play
from tests.verifier.log import SERVER, Signer, checkpoint, proof_of

MOVES = (Rolled, BidPlaced, DiceRerolled, BidChallenged, PlayerForfeited)
PASSING = {"rolled", "dice-rerolled", "cups-lifted"}
HELD_BY_SERVER = 2
"""Every third seat, from this one on, lets the server hold its chain; such a seat can't sign."""
LEAVES = {"round-ended", "game-ended", "game-abandoned"}


class Entry(Struct):
    """An event on its way into a bundle: what it says, and who signs it."""

    topic: str
    public: dict[str, Any]
    secret: dict[str, Any] | None = None
    signer: int | None = None
    """The seat that makes the move."""
    after: int | None = None
    with_reroll: bool = False
    salt: bytes = b"\x07" * 32
    signature: bytes | None = None
    """One to be taken as it is."""
    bare: bool = False
    """Stored before there were digests."""

    @property
    def kind(self) -> str:
        return self.topic.partition(".")[0]


class SignedPlay(Play):
    """A game of which some seats sign their moves."""

    def __init__(self, seed: str, rulebook: str, players: int, signing: frozenset[int], **options: Any) -> None:
        self.signing = signing
        self.entries: list[Entry] = []
        super().__init__(seed, rulebook, players, **options)

    def do(self, command: AnyCommand) -> None:
        """Have a command decided, and keep its events as they are stored."""
        caused = decide(command, self.state)
        before = len(self.entries)
        self.entries += [self._entry(event) for event in caused]
        self._sign(command, caused, before)
        self.state = fold(caused, self.state)
        self.events += caused

    def key(self, seat: int) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(seat.to_bytes(32, "big"))

    def _entry(self, event: AnyEvent) -> Entry:
        public = tuple(name for name in type(event).__struct_fields__ if name not in event.SECRETS)
        fields = json.loads(encode_fields(event, public))
        secret = json.loads(encode_fields(event, event.SECRETS)) if event.SECRETS else None
        topic = event.TOPIC
        if isinstance(event, PlayerJoined):
            topic = self._set_key(event.seat, fields)
        return Entry(topic, fields, secret, salt=self.random.randbytes(32))

    def _set_key(self, seat: int, fields: dict[str, Any]) -> str:
        """Give a seat its signing key. Some seats without one are stored as before there were signing keys."""
        if seat in self.signing:
            fields["signing_key"] = b64encode(self.key(seat).public_key().public_bytes_raw()).decode()
        elif seat % 2:
            del fields["signing_key"]
            return "player-joined.v1"
        return "player-joined.v2"

    def _sign(self, command: AnyCommand, caused: tuple[AnyEvent, ...], before: int) -> None:
        seat = getattr(command, "seat", None)
        if seat not in self.signing or type(command).__name__ in ("TimeOut", "LeaveGame"):
            return
        index, _ = next((index, event) for index, event in enumerate(caused) if isinstance(event, MOVES))
        entry = self.entries[before + index]
        entry.signer, entry.with_reroll = seat, isinstance(command, PlaceBid) and command.reroll is not None
        settled = [index for index, entry in enumerate(self.entries[:before], 1) if entry.kind not in PASSING]
        entry.after = self.random.randint(settled[-1], before)


class Stored(Struct):
    """A game as the store holds it, with the leaves that its events are in the log."""

    game_id: str
    events: list[BundledEvent]
    leaves: list[tuple[int, bytes]]
    """The versions that have a leaf, and the leaf."""


def leaf_of(game_id: str, version: int, entry: Entry, digest: bytes, form: int = 2) -> bytes:
    """A leaf as the format page says it, in today's form or in the first one."""
    told = b64encode(digest).decode()
    if form == 1:
        return f"liarsdice.leaf.v1\n{game_id}\n{version}\n{entry.topic}\n{told}\n".encode()
    ended = f"round {entry.public.get('number')}" if entry.kind == "round-ended" else "game"
    places = (f"liarsdice.version-place.v1\n{game_id}\n{version}\n", f"liarsdice.end-place.v1\n{game_id}\n{ended}\n")
    first, second = (b64encode(sha256(place.encode()).digest()).decode() for place in places)
    return f"liarsdice.leaf.v2\n{first}\n{second}\n{told}\n".encode()


def stored(play: SignedPlay, entries: list[Entry] | None = None, game_id: str | None = None, form: int = 2) -> Stored:
    """The game with new digests, commitments and signatures, as an honest or dishonest server would make them."""
    game_id = game_id or play.game_id
    digests, events, leaves = [first_digest(game_id)], list[BundledEvent](), list[tuple[int, bytes]]()
    entries = play.entries if entries is None else entries
    for version, entry in enumerate(entries, 1):
        public = spelled(entry.public)
        opened = None if entry.secret is None or entry.bare else entry.salt + spelled(entry.secret)
        commitment = None if opened is None else committed(opened[:32], opened[32:])
        signed = _signed(play, game_id, entries, version, digests)
        told = (digests[-1], version, entry.topic, public)
        digests.append(next_digest(*told, commitment=commitment, signed=signed))
        events.append(
            BundledEvent(
                version=version,
                topic=entry.topic,
                public=public,
                commitment=commitment,
                opened=opened,
                signed=signed,
                digest=None if entry.bare else digests[-1],
            )
        )
        if entry.kind in LEAVES:
            leaves.append((version, leaf_of(game_id, version, entry, digests[-1], form)))
    return Stored(game_id, events, leaves)


def _signed(play: SignedPlay, game_id: str, entries: list[Entry], version: int, digests: list[bytes]) -> Signed | None:
    entry = entries[version - 1]
    if entry.signer is None or entry.after is None:
        return None
    if entry.signature is not None:
        return Signed(entry.after, entry.signature)
    reroll = entries[version] if entry.with_reroll else None
    past = b64encode(digests[entry.after]).decode()
    lines = ["liarsdice.move.v1", game_id, str(entry.after), past, str(entry.public["seat"]), words(entry, reroll)]
    return Signed(entry.after, play.key(entry.signer).sign("".join(f"{line}\n" for line in lines).encode()))


def words(entry: Entry, reroll: Entry | None = None) -> str:
    """A move as it is signed."""
    public = entry.public
    match entry.kind:
        case "rolled":
            return f"roll {public['link']}"
        case "bid-placed":
            alone = f"bid {public['quantity']} {public['face']}"
            return alone if reroll is None else f"{alone} {words(reroll)}"
        case "dice-rerolled":
            return f"show {','.join(map(str, public['shown']))} link {public['link']}"
        case "bid-challenged":
            return "challenge"
        case kind:
            assert kind == "player-forfeited"
            return "forfeit"


def spelled(value: Any) -> bytes:
    """JSON as the store has it."""
    return msgspec.json.encode(value)


def bundle(game: Stored, round_number: int | None, signers: tuple[Signer, ...] = (SERVER,), others: int = 3) -> bytes:
    """The bundle of a round or of the whole game, in a log that holds leaves of other games too."""
    version, _ = next(
        (version, leaf)
        for version, leaf in game.leaves
        if (round_number is None and b"game-" in game.events[version - 1].topic.encode())
        or (round_number is not None and _round_ended(game.events[version - 1]) == round_number)
    )
    log = [b"another leaf %d\n" % number for number in range(others)]
    for _, leaf in game.leaves:
        log += [leaf, b"another leaf after %d\n" % len(log)]
    leaf = dict(game.leaves)[version]
    index = log.index(leaf)
    inclusion = Inclusion(leaf=index, proof=proof_of(log, index), checkpoint=checkpoint(log, *signers), key=SERVER.key)
    return write_bundle(game.game_id, round_number, game.events[:version], inclusion)


def _round_ended(event: BundledEvent) -> int | None:
    return json.loads(event.public)["number"] if event.topic.startswith("round-ended") else None


def rounds_of(game: Stored) -> list[int | None]:
    """The parts of a game that have bundles: each ended round, and the game itself if it is over."""
    rounds = [number for event in game.events if (number := _round_ended(event)) is not None]
    over = any(event.topic.startswith(("game-ended", "game-abandoned")) for event in game.events)
    return [*rounds, *([None] if over else [])]


def played(setup: Setup, seed: str, quits: float = 0.0) -> SignedPlay:
    """A whole game; who signs follows from the seed."""
    options = msgspec.structs.asdict(setup.options)
    options["turn_seconds"] = None if setup.options.turn_seconds is None else TURN_SECONDS
    signing = frozenset(
        seat for seat in range(setup.players) if seat % 3 != HELD_BY_SERVER and sum(seed.encode()) % 5 != seat
    )
    play = SignedPlay(seed, setup.rulebook, setup.players, signing, **options)
    play.play(quits)
    return play
