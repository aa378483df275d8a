"""The log of ended rounds and games, written: leaves, the nodes of the tree over them, openings, and signed checkpoints.

Leaves are added together with how far the log has followed each lane, in one transaction, and with the checkpoint over
them and what opens the commitments they cover: whoever is stopped, no event is taken in twice or left out, and no leaf is
without a checkpoint. Processes that do this for the same store take turns by a lock on the log's head.
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
"""Makes the checkpoint of a size and a root."""


class Ending(Value, frozen=True):
    """An event that is to become a leaf."""

    position: int
    """Its position in its lane."""
    leaf: Leaf
    openings: Openings | None
    """None if not all that it covers could be opened; it can be completed later."""


class AuditLog(LogReader):
    """The log of a store, to be kept."""

    _ROLE = "liarsdice_projector"

    async def note_keys(self, vkeys: Sequence[str]) -> None:
        """Note the public keys of the log, the newest last, for those who have no keys at all."""
        async with self._pool.acquire() as connection, connection.transaction():
            await connection.fetchval(query("lock_log"))
            await connection.execute(query("note_log_keys"), vkeys)

    async def follow(self, lane: int, endings: Sequence[Ending], position: int, sign: Sign) -> None:
        """Take in the leaves of a lane up to a position; those taken in before are left out."""
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
        """Keep the openings of leaves that have none, each with the index of its leaf."""
        async with self._pool.acquire() as connection:
            await _add_openings(connection, openings)

    async def sign_again(self, sign: Sign, is_signed: Callable[[bytes], bool]) -> None:
        """Sign the latest checkpoint anew, unless it is signed as it should be: the keys may be others by now."""
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
