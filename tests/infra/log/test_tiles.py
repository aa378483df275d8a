"""Tiles are those of C2SP's tlog-tiles: its examples hold, and every root and proof follows from them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.refusals import Malformed
from infra.log import entries, merkle, tiles
from infra.log.entries import Entry, entry_text, read_entry
from infra.log.merkle import Node, leaf_hash
from infra.log.tiles import Tile

SIZES = st.integers(1, 70_000)


def files_of(size: int) -> set[str]:
    """The paths of all tiles of a log of a size."""
    ends = [size >> (8 * level) for level in range(8)]
    return {tile.path for level, end in enumerate(ends) for tile in tiles.tiles_of(level, 0, end)}


def test_the_examples_of_the_specification_hold() -> None:
    assert Tile(0, 1_234_067).path == "0/x001/x234/067"
    of_70_000 = files_of(70_000)
    full = {path for path in of_70_000 if ".p/" not in path}
    assert sum(path.startswith("0/") for path in full) == 273
    assert sum(path.startswith("1/") for path in full) == 1
    assert of_70_000 - full == {"0/273.p/112", "1/001.p/17", "2/000.p/1"}
    assert files_of(256) == {"0/000", "1/000.p/1"}


@given(st.one_of(st.none(), st.integers(0, 7)), st.integers(0, 1 << 55), st.integers(1, 256))
def test_a_path_is_read_as_it_is_written(level: int | None, index: int, width: int) -> None:
    tile = Tile(level, index, width)

    assert tiles.read_path(tile.path) == tile


@pytest.mark.parametrize(
    "path",
    [
        *("", "0", "0/", "8/000", "00/000", "0/0", "0/00", "0/0000", "0/x000/001", "0/x1/001", "0/001/001", "-1/000"),
        *("0/000.p/0", "0/000.p/256", "0/000.p/01", "0/000.p/", "0/000.p/x", "entry/000", "entries/000/", "0/٣٣٣"),
        *("0/000\n", " 0/000", "0/x001/x001/x001/x001/x001/x001/x001/000", "../0/000"),
    ],
)
def test_no_other_spelling_of_a_path_names_a_tile(path: str) -> None:
    assert tiles.read_path(path) is None


@given(SIZES, st.data())
def test_a_log_has_the_tiles_of_its_size_and_of_smaller_ones(size: int, data: st.DataObject) -> None:
    level = data.draw(st.integers(0, 2))
    end = size >> (8 * level)
    tile = Tile(level, data.draw(st.integers(0, 300)), data.draw(st.integers(1, 256)))

    assert tile.is_in(size) == (tile.index * 256 + tile.width <= end)


def test_every_node_follows_from_one_tile() -> None:
    size = 70_000
    nodes = merkle.appended(0, [leaf_hash(b"%d" % index) for index in range(size)], {})
    known: dict[Tile, bytes] = {}
    wanted: set[Node] = {*merkle.nodes_for_root(size), *merkle.nodes_for_consistency(4_321, size)}
    wanted |= {node for index in (0, 255, 256, 65_535, 69_999) for node in merkle.nodes_for_inclusion(index, size)}
    for node in wanted:
        tile = tiles.tile_of_node(node, size)
        assert tile.path in files_of(size)
        content = known.setdefault(tile, b"".join(nodes[one] for one in tile.nodes))
        assert tiles.node_in(node, tile, content) == nodes[node]
    assert merkle.root(size, nodes) == merkle.root(size, {node: nodes[node] for node in merkle.nodes_for_root(size)})


@given(st.lists(st.binary(max_size=300), max_size=9))
def test_a_bundle_of_entries_is_read_as_it_is_written_and_in_no_other_length(content: list[bytes]) -> None:
    written = tiles.write_entries(content)

    assert tiles.read_entries(written, len(content)) == content
    for wrong, count in ((written + b"\0", len(content)), (written, len(content) + 1), (written[:-1], len(content))):
        if wrong != written or count != len(content):
            with pytest.raises(Malformed):
                tiles.read_entries(wrong, count)


def test_an_entry_tells_places_and_no_game() -> None:
    text = entry_text(entries.FORM, "game", 7, "round-ended.v1", 2, b"d" * 32)
    places = (entries.version_place("game", 7), entries.end_place("game", 2))

    assert b"game" not in text
    assert read_entry(text) == Entry(2, places, b"d" * 32)
    assert read_entry(entry_text(1, "game", 7, "round-ended.v1", 2, b"d" * 32)) == Entry(1, places[:1], b"d" * 32)
    ended = read_entry(entry_text(1, "game", 9, "game-abandoned.v1", None, b"d" * 32))
    assert ended.places == (entries.version_place("game", 9), entries.end_place("game", None))


@given(st.binary(max_size=200))
def test_strange_entries_are_refused(content: bytes) -> None:
    with pytest.raises(Malformed):
        read_entry(content)
    with pytest.raises(Malformed):
        read_entry(entry_text(entries.FORM, "game", 7, "x", 2, b"d" * 32) + content + b"!")
