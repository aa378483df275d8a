"""The log of ended rounds and games, stored: leaves, the nodes of the tree over them, and signed checkpoints.

Leaves are added together with how far the log has followed each lane, in one transaction, and with the checkpoint over
them: whoever is stopped, no event is taken in twice or left out, and no leaf is without a checkpoint. Processes that do
this for the same store take turns by a lock on the log's head.
"""

from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Self

import asyncpg

from domain.values import Value
from infra import merkle
from infra.merkle import Node, leaf_hash
from infra.postgres.connecting import PASSING, Connection, open_pool
from infra.postgres.lanes import lane_name
from infra.postgres.queries import query

NAME = "audit log"
Sign = Callable[[int, bytes], bytes]
"""Makes the checkpoint of a size and a root."""


class Leaf(Value, frozen=True):
    """The end of a round, or of a game."""

    game_id: str
    version: int
    topic: str
    round: int | None
    digest: bytes

    @property
    def text(self) -> bytes:
        """What is hashed."""
        digest = b64encode(self.digest).decode()
        return f"liarsdice.leaf.v1\n{self.game_id}\n{self.version}\n{self.topic}\n{digest}\n".encode()


class AuditLog:
    """The log of a store."""

    def __init__(self, pool: "asyncpg.Pool[Any]") -> None:
        """Use `open`."""
        self._pool = pool

    @classmethod
    async def open(cls, url: str) -> Self:
        """Connect to a store that is up to date."""
        return cls(await open_pool(url, "liarsdice_projector"))

    async def close(self) -> None:
        """Disconnect."""
        with suppress(*PASSING):
            await self._pool.close()

    async def followed(self, lane: int) -> int:
        """How far the log has followed a lane."""
        return int(await self._pool.fetchval(query("read_tracking", lane_name(lane)), NAME) or 0)

    async def follow(self, lane: int, leaves: Sequence[tuple[int, Leaf]], position: int, sign: Sign) -> None:
        """Take in the leaves of a lane, each with its position, up to a position; those taken in before are left out."""
        async with self._pool.acquire() as connection, connection.transaction():
            size = int(await connection.fetchval(query("lock_log")))
            followed = int(await connection.fetchval(query("read_tracking", lane_name(lane)), NAME) or 0)
            if followed >= position:
                return
            new = [leaf for at, leaf in leaves if at > followed]
            if new:
                await _add(connection, size, new, sign)
            await connection.fetchval(query("track", lane_name(lane)), NAME, position)

    async def find(self, game_id: str, round_number: int | None) -> tuple[int, Leaf] | None:
        """The index and the leaf of a round, or of the end of a game."""
        row = await self._pool.fetchrow(query("find_leaf"), game_id, round_number)
        return None if row is None else _leaf(row)

    async def of_game(self, game_id: str) -> list[tuple[int, Leaf]]:
        """The leaves of a game with their indexes, in order."""
        return [_leaf(row) for row in await self._pool.fetch(query("leaves_of_game"), game_id)]

    async def leaves(self, start: int, limit: int) -> list[tuple[int, Leaf]]:
        """Leaves with their indexes, in order."""
        return [_leaf(row) for row in await self._pool.fetch(query("read_leaves"), start, limit)]

    async def level(self, level: int, start: int, end: int, limit: int) -> list[tuple[int, bytes]]:
        """Nodes of a level with their indexes, in order, from one index on up to, without it, another."""
        return [tuple(row) for row in await self._pool.fetch(query("read_all_nodes"), level, start, end, limit)]

    async def sizes(self) -> tuple[int, int, int]:
        """How many leaves the log has by its head, by its leaves and by its last checkpoint, all at one moment."""
        row = await self._pool.fetchrow(query("read_sizes"))
        assert row is not None
        return row["head"], row["leaves"], row["signed"]

    async def sign_again(self, sign: Sign, is_signed: Callable[[bytes], bool]) -> None:
        """Sign the latest checkpoint anew, unless it is signed as it should be: the keys may be others by now."""
        async with self._pool.acquire() as connection, connection.transaction():
            await connection.fetchval(query("lock_log"))
            latest = await connection.fetchrow(query("latest_checkpoint"))
            if latest is None or is_signed(latest["note"]):
                return
            size = latest["size"]
            root = merkle.root(size, await _nodes(connection, merkle.nodes_for_root(size)))
            await connection.execute(query("add_checkpoint"), size, sign(size, root))

    async def digests_begin(self, lane: int) -> int | None:
        """The position of a lane after which every event has a digest; None if it is not known any more."""
        value = await self._pool.fetchval(query("digests_begin", lane_name(lane)))
        return int(value) if value is not None and value.isdecimal() else None

    async def checkpoint(self) -> tuple[int, bytes] | None:
        """The size and the signed note of the latest checkpoint, if there is one."""
        row = await self._pool.fetchrow(query("latest_checkpoint"))
        return None if row is None else (row["size"], row["note"])

    async def checkpoint_of(self, size: int) -> bytes | None:
        """The signed note of a size, the latest one if there are several."""
        note: bytes | None = await self._pool.fetchval(query("checkpoint_of"), size)
        return note

    async def inclusion(self, index: int, size: int) -> tuple[bytes, ...]:
        """What proves that a leaf is in the log of a size."""
        nodes = await _nodes(self._pool, merkle.nodes_for_inclusion(index, size))
        return merkle.inclusion_proof(index, size, nodes)

    async def consistency(self, old: int, new: int) -> tuple[bytes, ...]:
        """What proves that the log of one size begins with that of another."""
        nodes = await _nodes(self._pool, merkle.nodes_for_consistency(old, new))
        return merkle.consistency_proof(old, new, nodes)

    async def root(self, size: int) -> bytes:
        """The root of the log of a size, as the stored nodes have it."""
        return merkle.root(size, await _nodes(self._pool, merkle.nodes_for_root(size)))


async def _add(connection: Connection, size: int, leaves: Sequence[Leaf], sign: Sign) -> None:
    edge = await _nodes(connection, merkle.nodes_for_root(size))
    added = merkle.appended(size, [leaf_hash(leaf.text) for leaf in leaves], edge)
    grown = size + len(leaves)
    columns = zip(*((leaf.game_id, leaf.version, leaf.topic, leaf.round, leaf.digest) for leaf in leaves), strict=True)
    await connection.execute(query("add_leaves"), list(range(size, grown)), *map(list, columns))
    levels, indexes = zip(*added, strict=True)
    await connection.execute(query("add_nodes"), levels, indexes, list(added.values()))
    await connection.execute(query("grow_log"), grown)
    root = merkle.root(grown, edge | added)
    await connection.execute(query("add_checkpoint"), grown, sign(grown, root))


async def _nodes(source: Any, wanted: Iterable[Node]) -> dict[Node, bytes]:
    levels, indexes = zip(*wanted, strict=True) if (wanted := tuple(wanted)) else ((), ())
    rows = await source.fetch(query("read_nodes"), levels, indexes)
    return {(row["level"], row["index"]): row["hash"] for row in rows}


def _leaf(row: asyncpg.Record) -> tuple[int, Leaf]:
    return row["index"], Leaf(row["game_id"], row["version"], row["topic"], row["round"], row["digest"])
