"""A log in tiles, as C2SP's `tlog-tiles` has it: files that never change, with up to 256 hashes or entries each.

A tile on level L has hashes of complete subtrees of 256^L leaves; level 0 are the leaves. A file is full, or it is the last
one of its level and its path ends with its width: `0/x001/234.p/17`. Nothing here reads or writes.
"""

import re
from collections.abc import Iterator

from domain.refusals import Malformed
from domain.values import Value
from infra.log.merkle import HASH_LENGTH, SIZE_MAX, Node, node_hash

WIDTH = 256
ENTRY_LENGTH_MAX = (1 << 16) - 1
_HEIGHT = 8
_PATH = re.compile(
    r"(?P<level>[0-7]|entries)/(?P<index>(?:x[0-9]{3}/){0,5}[0-9]{3})(?:\.p/(?P<width>[1-9][0-9]{0,2}))?"
)


class Tile(Value, frozen=True):
    """The place of a file: of hashes on a level, or of entries (`level` is None)."""

    level: int | None
    index: int
    width: int = WIDTH

    @property
    def path(self) -> str:
        """The path of the file below `tile/`."""
        kind = "entries" if self.level is None else str(self.level)
        return f"{kind}/{_spelled(self.index)}{'' if self.width == WIDTH else f'.p/{self.width}'}"

    @property
    def nodes(self) -> list[Node]:
        """The nodes of the tree whose hashes are in this tile."""
        assert self.level is not None
        first = self.index * WIDTH
        return [(self.level * _HEIGHT, first + number) for number in range(self.width)]

    @property
    def full(self) -> "Tile":
        """The same tile when it is full."""
        return Tile(self.level, self.index)

    def is_in(self, size: int) -> bool:
        """Whether a log of this size, or of a smaller one, has this tile."""
        return self.index * WIDTH + self.width <= _end(self.level or 0, size)


def read_path(path: str) -> Tile | None:
    """The tile of a path below `tile/`; None if no tile has this path."""
    found = _PATH.fullmatch(path)
    if found is None:
        return None
    level = None if found["level"] == "entries" else int(found["level"])
    width = int(found["width"] or WIDTH)
    index = int(found["index"].replace("x", "").replace("/", ""))
    if (found["width"] and width >= WIDTH) or _spelled(index) != found["index"]:
        return None
    return Tile(level, index, width)


def tiles_of(level: int | None, start: int, end: int) -> Iterator[Tile]:
    """The tiles of a level, or of entries, with what lies from an index to before another."""
    for index in range(start // WIDTH, -(-end // WIDTH)):
        yield Tile(level, index, min(WIDTH, end - index * WIDTH))


def tile_of_node(node: Node, size: int) -> Tile:
    """The tile of a log of this size that a node can be computed from."""
    level, index = node
    tile_level = level // _HEIGHT
    tile = (index << level % _HEIGHT) // WIDTH
    return Tile(tile_level, tile, min(WIDTH, _end(tile_level, size) - tile * WIDTH))


def node_in(node: Node, tile: Tile, content: bytes) -> bytes:
    """A node of the tree, computed from the tile that `tile_of_node` names and its content."""
    level, index = node
    height = level % _HEIGHT
    first = (index << height) - tile.index * WIDTH
    hashes = [content[at * HASH_LENGTH : (at + 1) * HASH_LENGTH] for at in range(first, first + (1 << height))]
    while len(hashes) > 1:
        hashes = [node_hash(left, right) for left, right in zip(hashes[::2], hashes[1::2], strict=True)]
    return hashes[0]


def write_entries(entries: list[bytes]) -> bytes:
    """A bundle of entries."""
    assert all(len(entry) <= ENTRY_LENGTH_MAX for entry in entries)
    return b"".join(len(entry).to_bytes(2, "big") + entry for entry in entries)


def read_entries(content: bytes, count: int) -> list[bytes]:
    """The entries of a bundle."""
    entries, at = list[bytes](), 0
    while at < len(content) and len(entries) < count:
        end = at + 2 + int.from_bytes(content[at : at + 2], "big")
        entries.append(content[at + 2 : end])
        at = end
    if at != len(content) or len(entries) != count:
        raise Malformed(what="bundle of entries", problem=f"it does not have exactly {count} entries")
    return entries


def _end(level: int, size: int) -> int:
    """How many hashes a level of tiles has."""
    return size >> (level * _HEIGHT)


def _spelled(index: int) -> str:
    assert 0 <= index <= SIZE_MAX
    digits = str(index)
    digits = digits.rjust(-(-len(digits) // 3) * 3, "0")
    *first, last = (digits[at : at + 3] for at in range(0, len(digits), 3))
    return "".join(f"x{part}/" for part in first) + last
