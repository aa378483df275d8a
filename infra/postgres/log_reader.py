"""The log of ended rounds and games, for reading: every login that may read the store may read it, without any key."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, Self, TypeAlias

import asyncpg

from domain.values import Value
from infra.log import entries, merkle
from infra.log.merkle import Node
from infra.postgres.connections import PASSING, open_pool
from infra.postgres.lanes import lane_name
from infra.postgres.queries import query

NAME = "audit log"

Openings: TypeAlias = dict[int, bytes]
"""The salts and secrets that open the commitments of a game's events, by version."""


class Leaf(Value, frozen=True):
    """The end of a round, or of a game."""

    game_id: str
    version: int
    topic: str
    round: int | None
    digest: bytes
    form: int = entries.FORM
    """The form of its entry."""

    @property
    def text(self) -> bytes:
        """The entry, whose hash becomes the leaf of the tree."""
        return entries.entry_text(self.form, self.game_id, self.version, self.topic, self.round, self.digest)


class LogReader:
    """The log of a store, to be read."""

    _ROLE = "liarsdice_reader"
    _DURABLE = False

    def __init__(self, pool: "asyncpg.Pool[Any]") -> None:
        """Use `open`."""
        self._pool = pool

    @classmethod
    async def open(cls, url: str) -> Self:
        """Connect to a store that is up to date."""
        return cls(await open_pool(url, cls._ROLE, durable=cls._DURABLE))

    async def close(self) -> None:
        """Disconnect."""
        with suppress(*PASSING):
            await self._pool.close()

    async def followed(self, lane: int) -> int:
        """How far the log has followed a lane."""
        return int(await self._pool.fetchval(query("read_tracking", lane_name(lane)), NAME) or 0)

    async def find(self, game_id: str, round_number: int | None) -> tuple[int, Leaf] | None:
        """The index and the leaf of a round, or of the end of a game."""
        row = await self._pool.fetchrow(query("find_leaf"), game_id, round_number)
        return None if row is None else leaf_of_row(row)

    async def of_game(self, game_id: str) -> list[tuple[int, Leaf]]:
        """The leaves of a game with their indexes, in order."""
        return [leaf_of_row(row) for row in await self._pool.fetch(query("leaves_of_game"), game_id)]

    async def leaves(self, start: int, limit: int) -> list[tuple[int, Leaf]]:
        """Leaves with their indexes, in order."""
        return [leaf_of_row(row) for row in await self._pool.fetch(query("read_leaves"), start, limit)]

    async def level(self, level: int, start: int, end: int, limit: int) -> list[tuple[int, bytes]]:
        """Nodes of a level with their indexes, in order, from `start` to before `end`."""
        return [tuple(row) for row in await self._pool.fetch(query("read_all_nodes"), level, start, end, limit)]

    async def sizes(self) -> tuple[int, int, int]:
        """How many leaves the log has by its head, by its leaves and by its last checkpoint, all at one moment."""
        row = await self._pool.fetchrow(query("read_sizes"))
        assert row is not None
        return row["head"], row["leaves"], row["signed"]

    async def digests_begin(self, lane: int) -> int | None:
        """The position of a lane after which every event has a digest; None if the store has lost that number."""
        value = await self._pool.fetchval(query("digests_begin", lane_name(lane)))
        return int(value) if value is not None and value.isdecimal() else None

    async def checkpoint(self) -> tuple[int, bytes] | None:
        """The size and the signed note of the latest published checkpoint, if there is one."""
        row = await self._pool.fetchrow(query("published_checkpoint"))
        return None if row is None else (row["size"], row["note"])

    async def is_published(self, leaf: int) -> bool:
        """Whether a published checkpoint has a leaf."""
        latest = await self.checkpoint()
        return latest is not None and leaf < latest[0]

    async def checkpoint_of(self, size: int) -> bytes | None:
        """The published note of a size, the latest one if there are several."""
        note: bytes | None = await self._pool.fetchval(query("checkpoint_of"), size)
        return note

    async def signed_of(self, size: int) -> bytes | None:
        """The signed note of a size, also one that is not published yet."""
        note: bytes | None = await self._pool.fetchval(query("signed_of"), size)
        return note

    async def cosigned_after(self, leaf: int) -> tuple[int, bytes] | None:
        """The size and the note of the latest checkpoint with a leaf that enough witnesses have cosigned."""
        row = await self._pool.fetchrow(query("cosigned_after"), leaf)
        return None if row is None else (row["size"], row["note"])

    async def cosigned_of(self, size: int) -> bytes | None:
        """The note of a size with the cosignatures of witnesses."""
        note: bytes | None = await self._pool.fetchval(query("cosigned_of"), size)
        return note

    async def needs_quorum(self) -> bool:
        """Whether proofs wait until enough witnesses have cosigned."""
        return bool(await self._pool.fetchval(query("needs_quorum")))

    async def published(self, age_seconds: float) -> tuple[int, bytes] | None:
        """The size and the signed note of the last checkpoint that is at least so old, by the clock of the database."""
        row = await self._pool.fetchrow(query("checkpoint_of_age"), age_seconds)
        return None if row is None else (row["size"], row["note"])

    async def nodes(self, wanted: Iterable[Node]) -> dict[Node, bytes]:
        """Some nodes of the tree."""
        return await read_nodes(self._pool, wanted)

    async def inclusion(self, index: int, size: int) -> tuple[bytes, ...]:
        """The proof that a leaf is in the log of a size."""
        nodes = await read_nodes(self._pool, merkle.nodes_for_inclusion(index, size))
        return merkle.inclusion_proof(index, size, nodes)

    async def consistency(self, old: int, new: int) -> tuple[bytes, ...]:
        """The proof that the log of size `new` begins with the log of size `old`."""
        nodes = await read_nodes(self._pool, merkle.nodes_for_consistency(old, new))
        return merkle.consistency_proof(old, new, nodes)

    async def root(self, size: int) -> bytes:
        """The root of the log of a size, from the stored nodes."""
        return merkle.root(size, await read_nodes(self._pool, merkle.nodes_for_root(size)))

    async def keys(self) -> list[str]:
        """The public keys of the log that were ever noted, the newest first."""
        return [row["vkey"] for row in await self._pool.fetch(query("read_log_keys"))]

    async def openings(self, game_id: str, version: int) -> Openings | None:
        """The openings of a game up to a version that has a leaf; None while one of its leaves has no openings."""
        rows = await self._pool.fetch(query("openings_of_game"), game_id, version)
        if any(row["versions"] is None for row in rows):
            return None
        return {at: opening for row in rows for at, opening in zip(row["versions"], row["openings"], strict=True)}

    async def openings_of(self, indexes: Sequence[int]) -> dict[int, Openings]:
        """The openings of leaves, by the indexes of the leaves; leaves without openings are missing."""
        rows = await self._pool.fetch(query("read_openings"), indexes)
        return {row["leaf"]: dict(zip(row["versions"], row["openings"], strict=True)) for row in rows}

    async def without_openings(self, start: int, end: int, limit: int) -> list[tuple[int, Leaf]]:
        """Leaves without openings, with their indexes, in order, from `start` to before `end`."""
        return [leaf_of_row(row) for row in await self._pool.fetch(query("leaves_without_openings"), start, end, limit)]


async def read_nodes(source: Any, wanted: Iterable[Node]) -> dict[Node, bytes]:
    """Some nodes of the tree, from a connection or a pool."""
    levels, indexes = zip(*wanted, strict=True) if (wanted := tuple(wanted)) else ((), ())
    rows = await source.fetch(query("read_nodes"), levels, indexes)
    return {(row["level"], row["index"]): row["hash"] for row in rows}


def leaf_of_row(row: asyncpg.Record) -> tuple[int, Leaf]:
    """The index and the leaf of a row."""
    known = (row["game_id"], row["version"], row["topic"], row["round"], row["digest"], row["form"])
    return row["index"], Leaf(*known)
