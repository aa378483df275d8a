"""Writes the log: the end of every round and every game becomes a leaf, and every batch of leaves gets a checkpoint.

With each leaf it stores the openings of the commitments that the leaf covers, so that making a bundle needs no key. A leaf
may have no openings: an older version of this program logged it, perhaps running beside this one, or a seal did not
open. The logbook completes such leaves in small steps in the background, and at once for a game that somebody audits.
"""

import asyncio
import logging
from collections.abc import Sequence

import msgspec
from eventsourcing.persistence import Notification, StoredEvent

from domain.events import RoundEnded
from infra.events.evidence import digest_of, first_digest
from infra.events.mapping import EventMapper
from infra.keys.log_keys import SignerRing
from infra.log.policy import Policy
from infra.portions import in_portions
from infra.postgres.audit_log import AuditLog, Ending, SigningStopped
from infra.postgres.duties import Duties
from infra.postgres.feed import Feed
from infra.postgres.follower import PASSING, Follower
from infra.postgres.log_reader import NAME, Leaf
from infra.postgres.store import EventStore
from services.audit.openings import LEAF_TOPICS, Opener
from services.audit.witnessing import Witnessing

_WINDOW = 10_000
"""How many leaves one step searches for leaves without openings."""
_COMPLETED_AT_ONCE = 200
_REST_SECONDS = 60.0
_PREPARE_SECONDS_MAX = 3.0
LOOK_AGAIN_SECONDS = 10.0
"""How often a server that has stopped signing looks whether the log is right again."""
_LOG = logging.getLogger(__name__)


class _Numbered(msgspec.Struct):
    number: int | None = None


class Logbook(Follower):
    """Follows the store and writes the log."""

    NAME = NAME

    def __init__(
        self,
        store: EventStore,
        feed: Feed,
        log: AuditLog,
        mapper: EventMapper,
        signers: SignerRing,
        *,
        duties: Duties,
        policy: Policy | None = None,
    ) -> None:
        """The mapper must have the keys. The witnesses of the policy are asked to cosign."""
        super().__init__(store, feed, duties)
        self.witnessing = Witnessing(log, policy)
        self.log, self._mapper, self._signers = log, mapper, signers
        self._opener = Opener(store, mapper)
        self._completing: asyncio.Task[None] | None = None
        self.problem: str | None = None
        """Why nothing is signed at the moment, as a sentence; None if all is well."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that verify its checkpoints, the newest first."""
        return self._signers.vkeys[::-1]

    async def start(self) -> None:
        """Go on from the noted positions, after signing the latest checkpoint with today's keys.

        It refuses a log whose latest checkpoint is not ours.
        """
        await self.log.note_keys(self._signers.vkeys)
        await self.log.sign_again(self._signers)
        await super().start()
        self._completing = asyncio.create_task(self._complete_all())
        await self.witnessing.start()

    async def close(self) -> None:
        """Stop following and completing."""
        await self.witnessing.close()
        await super().close()
        if self._completing is not None:
            self._completing.cancel()
            await asyncio.gather(self._completing, return_exceptions=True)

    async def complete(self, game_id: str) -> None:
        """Complete the leaves of a game that have no openings."""
        await self._complete(await self.log.of_game(game_id))

    async def prepare(self, game_id: str, round_number: int | None) -> None:
        """Wait a moment for the log to have the end of a round or a game, with its openings."""
        found = await self.log.find(game_id, round_number)
        if found is None or not await self.log.is_published(found[0]):
            await self.caught_up(_PREPARE_SECONDS_MAX)
            found = await self.log.find(game_id, round_number)
        if found is not None and await self.log.openings(game_id, found[1].version) is None:
            await self.complete(game_id)

    async def _taken_before(self, lane: int) -> int:
        return await self.log.followed(lane)

    async def _take(self, lane: int, batch: Sequence[Notification]) -> bool:
        leaves = [(one.id, await self._leaf(one)) for one in batch if is_leaf(one)]
        if not leaves and self._can_wait(lane, batch[-1].id):
            return False
        opened = await self._opener.opened([(leaf.game_id, leaf.version) for _, leaf in leaves])
        endings = [Ending(at, leaf, opened.get((leaf.game_id, leaf.version))) for at, leaf in leaves]
        await self._follow_log(lane, endings, batch[-1].id)
        return True

    async def _follow_log(self, lane: int, endings: Sequence[Ending], position: int) -> None:
        """Add leaves to the log. While the log in the database is not the signed one, this waits and signs nothing."""
        while True:
            try:
                await self.log.follow(lane, endings, position, self._signers)
            except SigningStopped as stopped:
                self._note_problem(str(stopped))
                await asyncio.sleep(LOOK_AGAIN_SECONDS)
            else:
                self._note_problem(None)
                return

    def _note_problem(self, problem: str | None) -> None:
        """Note why nothing is signed, and log it once."""
        if problem is not None and problem != self.problem:
            _LOG.error("%s", problem)
        if problem is None and self.problem is not None:
            _LOG.warning("the log is signed again")
        self.problem = problem

    async def _leaf(self, stored: StoredEvent) -> Leaf:
        digest = digest_of(stored.state) or await self._digest_of_old(stored)
        return leaf_of(stored, digest)

    async def _digest_of_old(self, stored: StoredEvent) -> bytes:
        """The digest of an event that was stored before there were digests, computed from the whole game."""
        game_id = str(stored.originator_id)
        digest = first_digest(game_id)
        async for event in in_portions(await self._store.read_stream(game_id)):
            digest = self._mapper.digest(event, digest)
            if event.originator_version == stored.originator_version:
                break
        return digest

    async def _complete_all(self) -> None:
        start = 0
        while True:
            try:
                while start < (size := (await self.log.sizes())[0]):
                    start = await self._complete_next(start, min(start + _WINDOW, size))
            except PASSING as error:
                _LOG.warning("could not complete leaves of the log (%s); trying again", type(error).__name__)
            except Exception:  # noqa: BLE001 - whatever it is, the task must not end unnoticed
                _LOG.exception("could not complete leaves of the log; trying again")
            await asyncio.sleep(_REST_SECONDS)

    async def _complete_next(self, start: int, end: int) -> int:
        """Complete some leaves from an index on, and return the index to go on from."""
        leaves = await self.log.without_openings(start, end, _COMPLETED_AT_ONCE)
        await self._complete(leaves)
        return leaves[-1][0] + 1 if len(leaves) == _COMPLETED_AT_ONCE else end

    async def _complete(self, leaves: Sequence[tuple[int, Leaf]]) -> None:
        opened = await self._opener.opened([(leaf.game_id, leaf.version) for _, leaf in leaves])
        found = [(index, opened.get((leaf.game_id, leaf.version))) for index, leaf in leaves]
        await self.log.complete([(index, openings) for index, openings in found if openings is not None])


def is_leaf(stored: StoredEvent) -> bool:
    """Whether an event ends a round or a game. Streams with a colon in their name belong to a table or to disputes."""
    return stored.topic in LEAF_TOPICS and ":" not in str(stored.originator_id)


def leaf_of(stored: StoredEvent, digest: bytes) -> Leaf:
    """The leaf of an event that ends a round or a game."""
    ends_round = stored.topic == RoundEnded.TOPIC
    number = msgspec.json.decode(stored.state, type=_Numbered).number if ends_round else None
    return Leaf(str(stored.originator_id), stored.originator_version, stored.topic, number, digest)
