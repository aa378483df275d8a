"""A monitor: it mirrors the entries of a published log, checks that the log only grows, and finds contradictions in it.

It takes in entries only if the tree over them and over everything before has the signed root. So whatever it has seen stays
proven by the log's own signatures. The memory is one file, a SQLite database. One transaction adds the new entries and the
checkpoint that covers them, so a monitor that is killed goes on where it was.

Two entries with a place in common are two stories about one game. An honest log has none. The monitor keeps each
contradiction that it finds, and tells it again in every report.
"""

import sqlite3
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from domain.refusals import Malformed, Refusal
from domain.values import Value
from infra.log import merkle, tiles
from infra.log.checkpoints import Checkpoint, open_checkpoint, read_checkpoint
from infra.log.edge import Edge
from infra.log.entries import read_entry
from infra.log.merkle import HASH_LENGTH, leaf_hash
from infra.log.notes import Verifier, read_note
from infra.log.tile_source import TileSource
from infra.log.tiles import WIDTH, Tile

FORMAT = 1
CONTRADICTIONS_TOLD_MAX = 100
_APPLICATION = 0x6C646D31
_TABLES = """
CREATE TABLE IF NOT EXISTS checkpoint (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), note BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS edge (level INTEGER, number INTEGER, hash BLOB NOT NULL, PRIMARY KEY (level, number));
CREATE TABLE IF NOT EXISTS entries (leaf INTEGER PRIMARY KEY, content BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS places (place BLOB PRIMARY KEY, leaf INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS contradictions (sentence TEXT PRIMARY KEY, note BLOB);
"""


class MonitorStateRefused(Refusal):
    """The memory of the monitor in {path} can't be used: {problem}."""


class LogUnreadable(Refusal):
    """The log can't be followed: {problem}."""


class Followed(Value, frozen=True):
    """What a monitor knows after a look at a log."""

    origin: str
    size: int
    root: bytes
    previous_size: int
    """How many leaves it knew before this look."""
    unread: int
    """How many leaves of all have an entry that the log did not give out."""
    contradictions: tuple[str, ...]


class Monitor:
    """A monitor of one log: the file of what it has seen, and the keys of the log."""

    def __init__(self, state: Path, keys: list[Verifier], unpublished_before: int = 0) -> None:
        """Entries of leaves before `unpublished_before` may be missing; only their hashes are followed then."""
        self._path, self._keys, self._unpublished_before = state, keys, unpublished_before

    def look(self, source: TileSource) -> Followed:
        """Take in what is new in the log, and tell everything that contradicts itself, now or before."""
        with self._opened() as memory:
            try:
                return self._look(memory, source)
            except sqlite3.Error as error:
                raise MonitorStateRefused(path=self._path, problem=str(error)) from None

    def _look(self, memory: sqlite3.Connection, source: TileSource) -> Followed:
        content = source.checkpoint()
        if content is None:
            raise LogUnreadable(problem="it has no checkpoint yet")
        _, checkpoint = open_checkpoint(content, self._keys)
        known = _known(memory)
        previous = known[1] if known is not None else None
        if previous is not None and previous.origin != checkpoint.origin:
            problem = f"it is of the log {previous.origin}, and this is {checkpoint.origin}"
            raise MonitorStateRefused(path=self._path, problem=problem)
        size = previous.size if previous is not None else 0
        with memory:
            contradiction = self._take_in(memory, source, previous, checkpoint)
            if contradiction is None:
                if size < checkpoint.size:
                    memory.execute("INSERT OR REPLACE INTO checkpoint VALUES (1, ?)", (content,))
            else:
                memory.rollback()
                _contradict(memory, contradiction, content)
        seen = checkpoint if contradiction is None else previous or checkpoint
        return _report(memory, seen, size)

    def _take_in(
        self, memory: sqlite3.Connection, source: TileSource, previous: Checkpoint | None, checkpoint: Checkpoint
    ) -> str | None:
        """Add the leaves after the known ones; the sentence of a contradiction if they do not continue those."""
        edge = _edge(memory, previous)
        if checkpoint.size < edge.size:
            return f"The log had {edge.size} leaves, and its checkpoint has only {checkpoint.size}."
        start = edge
        for tile in tiles.tiles_of(None, edge.size, checkpoint.size):
            edge, _ = edge.grown(self._leaves(memory, source, tile, edge.size))
        if edge.root != checkpoint.root:
            if _by_hashes(source, start, checkpoint.size).root == checkpoint.root:
                raise LogUnreadable(problem=f"the entries from {start.size} on are not those of its tree")
            return (
                f"The checkpoint of {checkpoint.size} leaves with the root {b64encode(checkpoint.root).decode()} does not"
                f" continue the {start.size} leaves seen before, with the root {b64encode(start.root).decode()}."
            )
        memory.execute("DELETE FROM edge")
        memory.executemany("INSERT INTO edge VALUES (?, ?, ?)", [(*node, value) for node, value in edge.nodes.items()])
        return None

    def _leaves(self, memory: sqlite3.Connection, source: TileSource, tile: Tile, known: int) -> list[bytes]:
        """The hashes of the new leaves of a tile; their entries are noted."""
        first = tile.index * WIDTH
        content = source.tile(tile)
        if content is None:
            return self._hashes_alone(source, tile, known)
        skipped = max(known - first, 0)
        entries = _entries(content, tile)[skipped:]
        for leaf, entry in enumerate(entries, first + skipped):
            memory.execute("INSERT INTO entries VALUES (?, ?)", (leaf, entry))
            _note_places(memory, leaf, entry)
        return [leaf_hash(entry) for entry in entries]

    def _hashes_alone(self, source: TileSource, tile: Tile, known: int) -> list[bytes]:
        last = tile.index * WIDTH + tile.width - 1
        if last >= self._unpublished_before:
            raise LogUnreadable(problem=f"it does not give out the entries {max(tile.index * WIDTH, known)} to {last}")
        return _hashes(source, tile, known)

    def _opened(self) -> "closing[sqlite3.Connection]":
        memory = None
        try:
            memory = sqlite3.connect(self._path, timeout=30)
            (application,) = memory.execute("PRAGMA application_id").fetchone()
            (objects,) = memory.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if objects and application != _APPLICATION:
                raise sqlite3.DatabaseError("the file is not one of a monitor")
            memory.executescript(f"PRAGMA application_id = {_APPLICATION}; PRAGMA synchronous = FULL; {_TABLES}")
        except sqlite3.Error as error:
            if memory is not None:
                memory.close()
            raise MonitorStateRefused(path=self._path, problem=str(error)) from None
        return closing(memory)


def follow(monitor: Monitor, source: TileSource, wait: Callable[[], bool]) -> Iterator[Followed | Refusal]:
    """Look at a log again and again, as long as `wait` says so. What can't be found out now may be found out later."""
    while True:
        try:
            yield monitor.look(source)
        except Refusal as refusal:
            yield refusal
        if not wait():
            return


def _known(memory: sqlite3.Connection) -> tuple[bytes, Checkpoint] | None:
    row = memory.execute("SELECT note FROM checkpoint").fetchone()
    return None if row is None else (row[0], read_checkpoint(read_note(row[0]).text))


def _edge(memory: sqlite3.Connection, previous: Checkpoint | None) -> Edge:
    """The edge of the known log, which has to have the signed root."""
    if previous is None:
        return Edge(0, {})
    nodes = {(level, index): value for level, index, value in memory.execute("SELECT * FROM edge")}
    if not set(merkle.nodes_for_root(previous.size)) <= nodes.keys():
        raise sqlite3.DatabaseError("its edge is not complete")
    edge = Edge(previous.size, nodes)
    if edge.root != previous.root:
        raise sqlite3.DatabaseError("its edge does not have the signed root")
    return edge


def _by_hashes(source: TileSource, edge: Edge, size: int) -> Edge:
    """The edge of the log after the leaves that its tiles of hashes have."""
    for tile in tiles.tiles_of(None, edge.size, size):
        edge, _ = edge.grown(_hashes(source, tile, edge.size))
    return edge


def _hashes(source: TileSource, tile: Tile, known: int) -> list[bytes]:
    """The hashes of the leaves of a bundle of entries, from the first unknown one on."""
    first = tile.index * WIDTH
    content = source.tile(Tile(0, tile.index, tile.width))
    if content is None or len(content) < tile.width * HASH_LENGTH:
        raise LogUnreadable(
            problem=f"it does not give out the hashes of the leaves {first} to {first + tile.width - 1}"
        )
    return [content[at * HASH_LENGTH : (at + 1) * HASH_LENGTH] for at in range(max(known - first, 0), tile.width)]


def _entries(content: bytes, tile: Tile) -> list[bytes]:
    """The entries of a bundle, which may be the full one in place of a partial one."""
    try:
        return tiles.read_entries(content, tile.width)
    except Malformed:
        if tile.width < WIDTH:
            return tiles.read_entries(content, WIDTH)[: tile.width]
        raise


def _note_places(memory: sqlite3.Connection, leaf: int, content: bytes) -> None:
    try:
        places = read_entry(content).places
    except Malformed:
        _contradict(memory, f"Leaf {leaf} is not the end of a round or of a game: {content[:200]!r}.")
        return
    for place in places:
        (other,) = memory.execute("SELECT leaf FROM places WHERE place = ?", (place,)).fetchone() or (None,)
        if other is None:
            memory.execute("INSERT INTO places VALUES (?, ?)", (place, leaf))
        elif other != leaf:
            name = b64encode(place).decode()
            _contradict(memory, f"Leaves {other} and {leaf} are two stories about one place of one game, {name}.")


def _contradict(memory: sqlite3.Connection, sentence: str, note: bytes | None = None) -> None:
    """Keep a contradiction, with the checkpoint that proves it if one does."""
    memory.execute("INSERT OR IGNORE INTO contradictions VALUES (?, ?)", (sentence, note))


def _report(memory: sqlite3.Connection, seen: Checkpoint, previous_size: int) -> Followed:
    known = _known(memory)
    size = known[1].size if known is not None else 0
    (read,) = memory.execute("SELECT count(*) FROM entries").fetchone()
    told = memory.execute("SELECT sentence FROM contradictions ORDER BY rowid LIMIT ?", (CONTRADICTIONS_TOLD_MAX,))
    sentences = tuple(sentence for (sentence,) in told)
    return Followed(seen.origin, size, seen.root, previous_size, size - read, sentences)
