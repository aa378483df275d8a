"""Keeps the log: every round and every game that ends becomes a leaf, and every batch of leaves a signed checkpoint."""

from collections.abc import Sequence

import msgspec
from eventsourcing.persistence import Notification, StoredEvent

from domain.events import GameAbandoned, GameEnded, RoundEnded
from infra.checkpoints import Checkpoint
from infra.evidence import digest_of, first_digest
from infra.log_keys import SignerRing
from infra.mapping import EventMapper
from infra.notes import read_note, read_vkey
from infra.postgres.audit_log import NAME, AuditLog, Leaf
from infra.postgres.feed import Feed
from infra.postgres.store import EventStore
from services.following import Follower

LEAF_TOPICS = frozenset((RoundEnded.TOPIC, GameEnded.TOPIC, GameAbandoned.TOPIC))


class _Numbered(msgspec.Struct):
    number: int | None = None


class Logbook(Follower):
    """Follows the store and writes the log."""

    NAME = NAME

    def __init__(self, store: EventStore, feed: Feed, log: AuditLog, mapper: EventMapper, signers: SignerRing) -> None:
        super().__init__(store, feed)
        self.log, self._mapper, self._signers = log, mapper, signers

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that verify its checkpoints, the newest first."""
        return self._signers.vkeys[::-1]

    def sign(self, size: int, root: bytes) -> bytes:
        """The checkpoint of a size and a root, signed with every key."""
        return bytes(self._signers.sign(Checkpoint(self._signers.origin, size, root)))

    async def start(self) -> None:
        """Go on where it was left, with a checkpoint that is signed with every key."""
        verifiers = [read_vkey(vkey) for vkey in self._signers.vkeys]

        def is_signed(note: bytes) -> bool:
            signatures = read_note(note).signatures
            return all(any(verifier.made(one) for one in signatures) for verifier in verifiers)

        await self.log.sign_again(self.sign, is_signed)
        await super().start()

    async def _taken_before(self, lane: int) -> int:
        return await self.log.followed(lane)

    async def _take(self, lane: int, batch: Sequence[Notification]) -> None:
        leaves = [(one.id, await self._leaf(one)) for one in batch if is_leaf(one)]
        await self.log.follow(lane, leaves, batch[-1].id, self.sign)

    async def _leaf(self, stored: StoredEvent) -> Leaf:
        digest = digest_of(stored.state) or await self._digest_of_old(stored)
        return leaf_of(stored, digest)

    async def _digest_of_old(self, stored: StoredEvent) -> bytes:
        """The digest of an event that was stored before there were any."""
        game_id = str(stored.originator_id)
        digest = first_digest(game_id)
        for event in await self._store.read_stream(game_id):
            digest = self._mapper.digest(event, digest)
            if event.originator_version == stored.originator_version:
                break
        return digest


def is_leaf(stored: StoredEvent) -> bool:
    """Whether an event ends a round or a game; streams beside a game have a colon in their names."""
    return stored.topic in LEAF_TOPICS and ":" not in str(stored.originator_id)


def leaf_of(stored: StoredEvent, digest: bytes) -> Leaf:
    """The leaf of an event that ends a round or a game."""
    ends_round = stored.topic == RoundEnded.TOPIC
    number = msgspec.json.decode(stored.state, type=_Numbered).number if ends_round else None
    return Leaf(str(stored.originator_id), stored.originator_version, stored.topic, number, digest)
