"""Writing the log of ended rounds and games: leaves, the nodes of the tree over them, openings, and signed checkpoints.

One transaction adds leaves, the checkpoint over them, their openings, and how far the log has followed the lane. So if a
process is stopped at any moment, no event is added twice or left out, and no leaf is without a checkpoint. Processes that
write the log of the same store take turns by a lock on the log's head.
"""

from collections.abc import Callable, Sequence

from domain.values import Value
from infra.log import merkle
from infra.log.merkle import leaf_hash
from infra.postgres.connections import Connection
from infra.postgres.lanes import lane_name
from infra.postgres.log_reader import NAME, Leaf, LogReader, Openings, read_nodes
from infra.postgres.queries import query

Sign = Callable[[int, bytes], bytes]
"""A function that signs the checkpoint of a size and a root."""


class Ending(Value, frozen=True):
    """An event that becomes a leaf."""

    position: int
    """Its position in its lane."""
    leaf: Leaf
    openings: Openings | None
    """None if some secret it covers could not be opened; `complete` can add them later."""


class AuditLog(LogReader):
    """The log of a store, for reading and writing."""

    _ROLE = "liarsdice_projector"

    async def note_keys(self, vkeys: Sequence[str]) -> None:
        """Store the public keys of the log, the newest last, for auditors who have no keys."""
        async with self._pool.acquire() as connection, connection.transaction():
            await connection.fetchval(query("lock_log"))
            await connection.execute(query("note_log_keys"), vkeys)

    async def follow(self, lane: int, endings: Sequence[Ending], position: int, sign: Sign) -> None:
        """Add the leaves of a lane up to a position, except those that were added before."""
        async with self._pool.acquire() as connection, connection.transaction():
            size = int(await connection.fetchval(query("lock_log")))
            followed = int(await connection.fetchval(query("read_tracking", lane_name(lane)), NAME) or 0)
            if followed >= position:
                return
            new = [ending for ending in endings if ending.position > followed]
            if new:
                await _add(connection, size, [ending.leaf for ending in new], sign)
                await _add_openings(connection, [(size + number, one.openings) for number, one in enumerate(new)])
            await connection.fetchval(query("track", lane_name(lane)), NAME, position)

    async def complete(self, openings: Sequence[tuple[int, Openings]]) -> None:
        """Store openings for leaves that have none, each with the index of its leaf."""
        async with self._pool.acquire() as connection:
            await _add_openings(connection, openings)

    async def sign_again(self, sign: Sign, is_signed: Callable[[bytes], bool]) -> None:
        """Sign the latest checkpoint again, unless the keys of today have signed it: keys may have been added since."""
        async with self._pool.acquire() as connection, connection.transaction():
            await connection.fetchval(query("lock_log"))
            latest = await connection.fetchrow(query("latest_checkpoint"))
            if latest is None or is_signed(latest["note"]):
                return
            size = latest["size"]
            root = merkle.root(size, await read_nodes(connection, merkle.nodes_for_root(size)))
            await connection.execute(query("add_checkpoint"), size, sign(size, root))


async def _add(connection: Connection, size: int, leaves: Sequence[Leaf], sign: Sign) -> None:
    edge = await read_nodes(connection, merkle.nodes_for_root(size))
    added = merkle.appended(size, [leaf_hash(leaf.text) for leaf in leaves], edge)
    grown = size + len(leaves)
    columns = zip(*((leaf.game_id, leaf.version, leaf.topic, leaf.round, leaf.digest) for leaf in leaves), strict=True)
    await connection.execute(query("add_leaves"), list(range(size, grown)), *map(list, columns))
    levels, indexes = zip(*added, strict=True)
    await connection.execute(query("add_nodes"), levels, indexes, list(added.values()))
    await connection.execute(query("grow_log"), grown)
    root = merkle.root(grown, edge | added)
    await connection.execute(query("add_checkpoint"), grown, sign(grown, root))


async def _add_openings(connection: Connection, openings: Sequence[tuple[int, Openings | None]]) -> None:
    rows = [(leaf, list(opened), list(opened.values())) for leaf, opened in openings if opened is not None]
    await connection.executemany(query("add_openings"), rows)
