"""Checks a whole store: events against their digests, ends of rounds against the log, the log against its checkpoint.

It also compares the stored openings of ended rounds with the commitments of their events.

It reads every lane once, in order, and keeps only the last version and digest of each running game. It does not stop at
the first difference, and describes each in a sentence.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence

from eventsourcing.persistence import Notification
from msgspec import Struct
from msgspec.structs import replace

from domain.events import GameAbandoned, GameEnded
from domain.refusals import Refusal
from domain.values import Value
from infra.events.evidence import first_digest, is_spelled_rightly, next_digest, split_evidence
from infra.events.mapping import EventMapper
from infra.events.upcasting import TOPICS
from infra.failure import CommandFailed
from infra.log import merkle
from infra.log.checkpoints import Checkpoint, open_checkpoint
from infra.log.notes import read_vkey
from infra.portions import PORTION, in_portions
from infra.postgres.event_reader import EventReader
from infra.postgres.failures import EventTooNew
from infra.postgres.follower import PASSING
from infra.postgres.log_reader import Leaf, LogReader
from services.audit.logbook import is_leaf, leaf_of
from services.audit.opening_check import OpeningCheck

DIFFERENCES_MAX = 100
_LOG = logging.getLogger(__name__)
_BATCH = 1_000
_LAST_TOPICS = frozenset((GameEnded.TOPIC, GameAbandoned.TOPIC))

Progress = Callable[[int], None]
"""A function that gets the number of events checked so far."""


class StoreDiffers(CommandFailed):
    """The stored events are not the signed ones."""

    def __init__(self, differences: Sequence[str]) -> None:
        sentences = "\n".join(f"  {difference}" for difference in differences)
        super().__init__(f"the stored events are not those of the last signed checkpoint:\n{sentences}")


class Checked(Value, frozen=True):
    """The result of a check."""

    events: int
    leaves: int
    size: int
    """How many leaves the last signed checkpoint covers."""
    differences: tuple[str, ...]


class _Reached(Struct):
    """How far the check has come in a game."""

    version: int
    digest: bytes
    digested: bool = False
    """Whether an event of the game has a digest; then all later ones must have one."""


class StoreCheck:
    """One check of a store."""

    def __init__(self, store: EventReader, log: LogReader, mapper: EventMapper, vkeys: Sequence[str]) -> None:
        """If the mapper has the keys, the check also opens sealed secrets and compares them with their commitments."""
        self._store, self._log, self._mapper = store, log, mapper
        self._verifiers = [read_vkey(vkey) for vkey in vkeys]
        self._games: dict[str, _Reached] = {}
        self._leaves: dict[tuple[str, int], tuple[int, Leaf]] = {}
        self._openings = OpeningCheck(log, self._report)
        self._events = 0
        self.differences: list[str] = []

    async def run(self, progress: Progress = lambda _: None) -> Checked:
        """Check everything that is stored now; games may go on meanwhile.

        It reads how far the log has followed the lanes before it reads the log's size, and the size before the ends of the
        lanes. So it reads every event that the log has by then, and later events do not matter.
        """
        lanes = range(self._store.lanes)
        followed = [await self._log.followed(lane) for lane in lanes]
        size, hashes = await self._read_log()
        ends = [await self._store.position(lane) for lane in lanes]
        for lane in lanes:
            await self._check_lane(lane, followed[lane], ends[lane], progress)
        for index, leaf in self._leaves.values():
            self._report(
                f"Leaf {index} of the log ends version {leaf.version} of game {leaf.game_id}, which is not stored."
            )
        await self._check_tree(size, hashes)
        return Checked(self._events, len(hashes), size, tuple(self.differences))

    async def _read_log(self) -> tuple[int, list[bytes]]:
        """The size of the last checkpoint and the hashes of its leaves; each leaf waits until its event is read."""
        head, leaves, size = await self._log.sizes()
        if not head == leaves == size:
            self._report(f"The log has {leaves} leaves, its head says {head}, and {size} are signed.")
        hashes: list[bytes] = []
        while len(hashes) < size:
            batch = await self._log.leaves(len(hashes), min(_BATCH, size - len(hashes)))
            async for index, leaf in in_portions(batch):
                if index == len(hashes):
                    hashes.append(merkle.leaf_hash(leaf.text))
                    self._leaves[leaf.game_id, leaf.version] = index, leaf
            if not batch or batch[-1][0] != len(hashes) - 1:
                self._report(f"Leaf {len(hashes)} of the log is missing.")
                break
        return size, hashes

    async def _check_lane(self, lane: int, followed: int, end: int, progress: Progress) -> None:
        if followed > end:
            self._report(f"The log has followed lane {lane} up to position {followed}, but the lane ends at {end}.")
        digests_begin = await self._log.digests_begin(lane)
        if digests_begin is None:
            self._report(f"The store does not say any more where the digests of lane {lane} begin.")
        position = 0
        async for event in self._lane(lane, end):
            if self._events % PORTION == 0:
                await asyncio.sleep(0)  # A server that is checked while it runs must go on answering.
            if event.id != position + 1:
                self._report(f"Position {position + 1} of lane {lane} is missing.")
            position = event.id
            self._events += 1
            if self._events % _BATCH == 0:
                progress(self._events)
            if ":" in str(event.originator_id):
                continue  # The stream of a table or of disputes.
            try:
                digest = self._check_event(event, digested=position > (digests_begin or 0))
                if is_leaf(event):
                    self._check_leaf(event, digest, logged=position <= followed)
            except (Refusal, ValueError, EventTooNew) as error:
                self._report(f"Event {event.originator_version} of game {event.originator_id} can't be read: {error}")
            await self._openings.check()
        await self._openings.check(rest=True)
        if position < end:
            self._report(f"Positions {position + 1} to {end} of lane {lane} are missing.")

    async def _lane(self, lane: int, end: int) -> AsyncIterator[Notification]:
        position = 0
        while batch := await self._store.read_lane(lane, position, _BATCH):
            for event in batch:
                if event.id > end:
                    return
                yield event
            position = batch[-1].id

    def _check_event(self, event: Notification, *, digested: bool) -> bytes:
        """The digest of an event; reports a difference if its stored digest is another one."""
        game_id, version = str(event.originator_id), event.originator_version
        reached = self._games.get(game_id)
        if reached is None:
            reached = self._games[game_id] = _Reached(0, first_digest(game_id))
        if version != reached.version + 1:
            self._report(f"Event {reached.version + 1} of game {game_id} is missing.")
        public, evidence = split_evidence(event.state)
        if evidence.commitment is not None:
            self._openings.met(game_id, version, evidence.commitment)
        digest = next_digest(
            reached.digest, version, event.topic, public, commitment=evidence.commitment, signed=evidence.signed
        )
        if evidence.digest != digest and (digested or reached.digested or evidence.digest is not None):
            self._report(f"Event {version} of game {game_id} does not have the digest that it should have.")
            digest = evidence.digest or digest  # With the stored digest, later events may still be right.
        elif not is_spelled_rightly(event.state):
            self._report(f"Event {version} of game {game_id} has other bytes than this program writes.")
        elif evidence.sealed is not None or TOPICS.secrets(event.topic):
            self._mapper.to_domain_event(event)  # It refuses a wrong seal or a wrong commitment.
        reached.version, reached.digest, reached.digested = version, digest, evidence.digest is not None
        if event.topic in _LAST_TOPICS:
            del self._games[game_id]
        return digest

    def _check_leaf(self, event: Notification, digest: bytes, *, logged: bool) -> None:
        leaf = leaf_of(event, digest)
        index, known = self._leaves.pop((leaf.game_id, leaf.version), (None, None))
        self._openings.ended(leaf, index)
        if known is None:
            if logged:
                self._report(f"The log does not have version {leaf.version} of game {leaf.game_id}.")
        elif known != replace(leaf, form=known.form):
            self._report(f"The log has something else for version {leaf.version} of game {leaf.game_id}.")

    async def _check_tree(self, size: int, hashes: Sequence[bytes]) -> None:
        """Check that the nodes follow from the leaves, and the signed root from the nodes."""
        nodes: dict[merkle.Node, bytes] = {}
        for start in range(0, len(hashes), PORTION):
            nodes |= merkle.appended(start, hashes[start : start + PORTION], nodes)
            await asyncio.sleep(0)
        for level in range(len(hashes).bit_length()):
            await self._check_level(level, len(hashes) >> level, nodes)
        note = await self._log.signed_of(size)
        if note is None or len(hashes) < size:
            if size:
                self._report(f"Only {len(hashes)} of the {size} signed leaves are stored.")
            return
        try:
            _, checkpoint = open_checkpoint(note, self._verifiers)
        except Refusal as refusal:
            self._report(f"The last checkpoint is not ours: {refusal}")
            return
        if checkpoint != Checkpoint(checkpoint.origin, size, merkle.root(size, nodes)):
            self._report(f"The last signed checkpoint, of {checkpoint.size} leaves, belongs to another log.")

    async def _check_level(self, level: int, count: int, nodes: dict[merkle.Node, bytes]) -> None:
        stored = start = 0
        while found := await self._log.level(level, start, count, _BATCH):
            wrong = [index for index, value in found if nodes[level, index] != value]
            if wrong:
                self._report(f"Node {wrong[0]} on level {level} of the log does not follow from its leaves.")
            stored, start = stored + len(found), found[-1][0] + 1
        if stored != count:
            self._report(f"Level {level} of the log has {stored} nodes instead of {count}.")

    def _report(self, sentence: str) -> None:
        if len(self.differences) < DIFFERENCES_MAX:
            self.differences.append(sentence)


async def begin_check(check: StoreCheck, store: EventReader, events_max: int) -> "asyncio.Task[None] | None":
    """Check a store before the server uses it: a small store at once, a large one in a task while the server runs.

    If a small store has a difference, this raises and the server does not start. For a large store, differences go to the
    server's log.
    """
    if not events_max:
        return None
    if sum([await store.position(lane) for lane in range(store.lanes)]) > events_max:
        return asyncio.create_task(_check_meanwhile(check))
    checked = await check.run()
    if checked.differences:
        raise StoreDiffers(checked.differences)
    return None


async def cancelled(task: "asyncio.Task[None] | None") -> None:
    """Cancel a task, if there is one, and wait for its end."""
    if task is not None:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _check_meanwhile(check: StoreCheck) -> None:
    try:
        checked = await check.run()
    except PASSING as error:
        _LOG.warning("could not finish the check of the store (%s)", type(error).__name__)
        return
    for difference in checked.differences:
        _LOG.error("the stored events are not those of the last checkpoint: %s", difference)
    _LOG.info("%d events and %d leaves were checked", checked.events, checked.leaves)
