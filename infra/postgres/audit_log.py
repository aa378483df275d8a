"""Writing the log of ended rounds and games: leaves, the nodes of the tree over them, openings, and signed checkpoints.

One transaction adds leaves, the checkpoint over them, their openings, and how far the log has followed the lane. So if a
process is stopped at any moment, no event is added twice or left out, and no leaf is without a checkpoint. Processes that
write the log of the same store take turns by a lock on the log's head.

A checkpoint is published by a second commit, after its own has returned: by then it is as durable as the operator asked, at the
standbys that `synchronous_standby_names` names too. So no failover forgets a checkpoint that somebody has seen. If the second
commit is forgotten, the checkpoint is still there, and the next start publishes it.

A checkpoint extends one that our keys have signed, or an empty log. Other logins may have written to these tables, so
nothing in them counts before it is compared with a signature of ours and with the edge that this process has in memory.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
from msgspec import Struct

from domain.refusals import Refusal
from domain.values import Value
from infra.keys.log_keys import SignerRing
from infra.log import merkle
from infra.log.checkpoints import Checkpoint, open_checkpoint
from infra.log.edge import Edge
from infra.log.merkle import leaf_hash
from infra.postgres.connections import Connection, durable_transaction
from infra.postgres.failures import StoreFailed
from infra.postgres.lanes import lane_name
from infra.postgres.log_reader import NAME, Leaf, LogReader, Openings, read_nodes
from infra.postgres.queries import query


class SigningStopped(StoreFailed):
    """The log in the database is not the one that was signed last, so nothing is signed: {problem}. `liarsdice audit --store` finds out more."""


class Ending(Value, frozen=True):
    """An event that becomes a leaf."""

    position: int
    """Its position in its lane."""
    leaf: Leaf
    openings: Openings | None
    """None if some secret it covers could not be opened; `complete` can add them later."""


class _Turn(Struct):
    """A turn at the log, which no other process can have at the same time."""

    connection: Connection
    edge: Edge | None = None
    """The edge of the log after it, signed by our keys; None if nobody has looked."""


class AuditLog(LogReader):
    """The log of a store, for reading and writing."""

    _ROLE = "liarsdice_log"
    _DURABLE = True

    def __init__(self, pool: "asyncpg.Pool[Any]") -> None:
        """Use `open`."""
        super().__init__(pool)
        self._edge = Edge(0, {})
        """The edge that this process last signed or verified. It changes only after a commit."""
        self._published = 0
        """The number of the last checkpoint that this process has published."""

    async def note_keys(self, vkeys: Sequence[str]) -> None:
        """Store the public keys of the log, the newest last, for auditors who have no keys."""
        async with self._pool.acquire() as connection, connection.transaction():
            await connection.fetchval(query("lock_log"))
            await connection.execute(query("note_log_keys"), vkeys)

    async def follow(self, lane: int, endings: Sequence[Ending], position: int, keys: SignerRing) -> None:
        """Add the leaves of a lane up to a position, except those that were added before."""
        async with self._turn() as turn:
            followed = int(await turn.connection.fetchval(query("read_tracking", lane_name(lane)), NAME) or 0)
            new = [ending for ending in endings if ending.position > followed]
            if new:
                signed = await self._signed_edge(turn.connection, keys)
                turn.edge = await _add(turn.connection, signed, [ending.leaf for ending in new], keys)
                openings = [(signed.size + number, one.openings) for number, one in enumerate(new)]
                await _add_openings(turn.connection, openings)
            elif endings:  # Another process was faster, or our own commit was in doubt.
                turn.edge = await self._signed_edge(turn.connection, keys)
            await turn.connection.fetchval(query("track", lane_name(lane)), NAME, position)

    async def complete(self, openings: Sequence[tuple[int, Openings]]) -> None:
        """Store openings for leaves that have none, each with the index of its leaf."""
        async with self._pool.acquire() as connection:
            await _add_openings(connection, openings)

    async def note_needs_quorum(self, *, needs_quorum: bool) -> None:
        """Note whether proofs wait until enough witnesses have cosigned."""
        await self._pool.execute(query("note_needs_quorum"), needs_quorum)

    async def add_cosigned(self, size: int, note: bytes, *, is_quorum: bool) -> None:
        """Keep a checkpoint with cosignatures, which the caller has checked."""
        await self._pool.execute(query("add_cosigned"), size, note, is_quorum)

    async def sign_again(self, keys: SignerRing) -> None:
        """Sign the latest checkpoint again, unless all keys of today have signed it: keys may have been added since."""
        async with self._turn() as turn:
            turn.edge = await self._signed_edge(turn.connection, keys)
            latest = await turn.connection.fetchrow(query("latest_checkpoint"))
            if latest is not None and not keys.have_all_signed(latest["note"]):
                await _sign(turn.connection, turn.edge, keys)

    async def latest(self) -> bytes | None:
        """The note of the latest checkpoint, also of one that is not published yet."""
        row = await self._pool.fetchrow(query("latest_checkpoint"))
        return None if row is None else row["note"]

    async def begin_anew(self, old: SignerRing, new: SignerRing) -> Checkpoint:
        """Sign the log, as the old keys have signed it, with the keys of a new name; returns the new first checkpoint.

        From then on the log is another one for everybody, with the same leaves so far. The old keys can't extend it.
        """
        async with self._turn() as turn:
            turn.edge = edge = await self._signed_edge(turn.connection, old)
            await turn.connection.execute(query("note_log_keys"), new.vkeys)
            await _sign(turn.connection, edge, new)
        return Checkpoint(new.origin, edge.size, edge.root)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[_Turn]:
        """A turn at the log. The checkpoint at its edge is published once it is durable, unless it is already."""
        async with self._pool.acquire() as connection:
            turn, latest = _Turn(connection), None
            async with durable_transaction(connection):
                await connection.fetchval(query("lock_log"))
                yield turn
                if turn.edge is not None:
                    latest = await connection.fetchrow(query("latest_checkpoint"))
            self._edge = turn.edge or self._edge
            if latest is not None and latest["number"] > self._published:
                await connection.execute(query("publish"), latest["number"])
                self._published = latest["number"]

    async def _signed_edge(self, connection: Connection, keys: SignerRing) -> Edge:
        """The edge of the log that is in the database, if our keys have signed it and it continues the one in memory."""
        sizes = await connection.fetchrow(query("read_sizes"))
        assert sizes is not None
        if len(set(sizes)) > 1:
            problem = "its head says {} leaves, there are {}, and {} are signed".format(*sizes)
            raise SigningStopped(problem=problem)
        latest = await connection.fetchrow(query("latest_checkpoint"))
        if latest is None:
            self._check_not_shorter(0)
            return self._edge
        checkpoint = _opened(latest["note"], keys)
        if checkpoint.size != sizes["signed"]:
            raise SigningStopped(problem="its latest checkpoint is noted with another size than it has")
        self._check_not_shorter(checkpoint.size)
        if checkpoint.size > self._edge.size:
            return await self._longer_edge(connection, checkpoint)
        if checkpoint.root != self._edge.root:
            raise SigningStopped(problem=f"its {checkpoint.size} leaves are not those that this server knows")
        return self._edge

    def _check_not_shorter(self, size: int) -> None:
        if size < self._edge.size:
            problem = f"it has {size} leaves, and this server has seen {self._edge.size} that were signed"
            raise SigningStopped(problem=problem)

    async def _longer_edge(self, connection: Connection, checkpoint: Checkpoint) -> Edge:
        """The edge of a log that another process has extended, or of one that this process sees for the first time."""
        known, size = self._edge, checkpoint.size
        wanted = {*merkle.nodes_for_root(size), *merkle.nodes_for_consistency(known.size, size)}
        nodes = await read_nodes(connection, wanted)
        if len(nodes) < len(wanted) or Edge(size, nodes).root != checkpoint.root:
            raise SigningStopped(problem="its nodes do not lead to the signed root")
        proof = merkle.consistency_proof(known.size, size, nodes)
        if not merkle.verify_consistency(known.size, known.root, size, checkpoint.root, proof):
            raise SigningStopped(problem=f"its first {known.size} leaves are not those that this server knows")
        return Edge(size, nodes)


def _opened(note: bytes, keys: SignerRing) -> Checkpoint:
    try:
        return open_checkpoint(note, keys.verifiers)[1]
    except Refusal as refusal:
        raise SigningStopped(problem=f"its latest checkpoint is not ours ({refusal})") from None


async def _add(connection: Connection, edge: Edge, leaves: Sequence[Leaf], keys: SignerRing) -> Edge:
    grown, added = edge.grown([leaf_hash(leaf.text) for leaf in leaves])
    rows = ((leaf.game_id, leaf.version, leaf.topic, leaf.round, leaf.digest, leaf.form) for leaf in leaves)
    levels, indexes = zip(*added, strict=True)
    try:
        await connection.execute(
            query("add_leaves"), list(range(edge.size, grown.size)), *map(list, zip(*rows, strict=True))
        )
        await connection.execute(query("add_nodes"), levels, indexes, list(added.values()))
    except asyncpg.UniqueViolationError:
        # Under the lock nobody else of ours adds any.
        raise SigningStopped(problem="it has leaves or nodes already that only this server should add") from None
    await connection.execute(query("grow_log"), grown.size)
    await _sign(connection, grown, keys)
    return grown


async def _sign(connection: Connection, edge: Edge, keys: SignerRing) -> None:
    note = bytes(keys.sign(Checkpoint(keys.origin, edge.size, edge.root)))
    await connection.execute(query("add_checkpoint"), edge.size, note)


async def _add_openings(connection: Connection, openings: Sequence[tuple[int, Openings | None]]) -> None:
    rows = [(leaf, list(opened), list(opened.values())) for leaf, opened in openings if opened is not None]
    await connection.executemany(query("add_openings"), rows)
