"""The log as files that everybody may read: the checkpoint, tiles of hashes, and entries. No key is needed.

What is published ends at the last checkpoint that is as old as the longest delay of spectators. So its entries tell nobody
that a round of a delayed table is over before its spectators have seen it, and it says of all tables the same. The answer
to a path never changes once there is one.
"""

from infra.log import tiles
from infra.log.entries import FIRST_FORM
from infra.log.tiles import Tile
from infra.postgres.log_reader import LogReader
from services.access import spectator_delay
from services.audit.refusals import EntriesNotPublished, NoSuchTile, NothingPublished


class PublishedTiles:
    """The log in tiles."""

    AGE_SECONDS: float = spectator_delay.SECONDS_MAX

    def __init__(self, log: LogReader) -> None:
        self._log = log

    async def checkpoint(self) -> bytes:
        """The checkpoint at which the published log ends, with the cosignatures of witnesses."""
        found = await self._log.published(self.AGE_SECONDS)
        if found is None:
            raise NothingPublished
        return await self._log.cosigned_of(found[0]) or found[1]

    async def tile(self, tile: Tile) -> bytes:
        """The content of a tile."""
        found = await self._log.published(self.AGE_SECONDS)
        if found is None or not tile.is_in(found[0]):
            raise NoSuchTile
        return await (self._entries(tile) if tile.level is None else self._hashes(tile))

    async def _hashes(self, tile: Tile) -> bytes:
        nodes = await self._log.nodes(tile.nodes)
        return b"".join(nodes[node] for node in tile.nodes)

    async def _entries(self, tile: Tile) -> bytes:
        leaves = [leaf for _, leaf in await self._log.leaves(tile.index * tiles.WIDTH, tile.width)]
        # Entries of the first form have the ids of games, also of private ones, so they stay unpublished for ever.
        if any(leaf.form == FIRST_FORM for leaf in leaves):
            raise EntriesNotPublished
        return tiles.write_entries([leaf.text for leaf in leaves])
