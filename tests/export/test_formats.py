"""The formats that games are exported in, read back by others' readers."""

import asyncio
import csv
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal
from importlib import import_module
from io import BytesIO, StringIO
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict, replace

from domain.history.record import GameRecord, decode_record
from domain.history.recording import record_of
from domain.notation import read_games
from domain.options import Options
from domain.refusals import Malformed
from domain.statistics.facts import ONE
from services.export import parquet
from services.export.formats import FORMATS
from services.export.refusals import ParquetMissing
from services.export.rows import COLUMNS, Row, rows_of
from services.simulation.simulation import Setup, play_game
from tests.export.records import encoded, in_format, simulated
from tests.extent import extent

MEGABYTE = 1_000_000
MOMENTS = {"created_at", "started_at", "ended_at", "at"}


def exported(name: str, records: list[bytes]) -> bytes:
    return asyncio.run(in_format(name, records))


def named(name: str) -> GameRecord:
    """A game in which a player has this name."""
    record = simulated()[0]
    return replace(record, seats=(replace(record.seats[0], name=name), *record.seats[1:]))


def csv_rows(raw: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(raw.decode(), newline="")))


def as_csv(cell: Any, name: str) -> str:
    match cell:
        case int() if name in MOMENTS:
            moment = datetime.fromtimestamp(cell // 1_000, UTC)
            return f"{moment:%Y-%m-%d %H:%M:%S}.{cell % 1_000:03}"
        case float():
            return format(Decimal(round(cell * ONE)).scaleb(-9).normalize(), "f")
        case None:
            return ""
        case bool():
            return "true" if cell else "false"
        case tuple():
            return " ".join(map(str, cell))
        case _:
            return str(cell)


def all_rows() -> list[Row]:
    return [row for record in simulated() for row in rows_of(record)]


def test_ndjson_is_every_record_as_it_came_on_a_line() -> None:
    records = encoded(simulated())

    assert exported("ndjson", records) == b"".join(record + b"\n" for record in records)


def test_a_record_with_line_ends_between_its_parts_is_still_one_line() -> None:
    record = json.dumps(json.loads(encoded(simulated())[0]), indent=1).encode()

    (line,) = exported("ndjson", [record]).splitlines()

    assert decode_record(line) == simulated()[0]


def test_notation_reads_back_as_the_same_games() -> None:
    text = exported("notation", encoded(simulated()))

    assert list(read_games(text.decode())) == list(simulated())


def test_csv_has_the_rows_of_all_games_in_order() -> None:
    rows = csv_rows(exported("csv", encoded(simulated())))

    assert rows == [{name: as_csv(cell, name) for name, cell in asdict(row).items()} for row in all_rows()]
    assert tuple(rows[0]) == COLUMNS


def test_a_practice_game_is_marked_in_every_format_and_no_other_game_is() -> None:
    played = simulated()[0]
    practice = replace(played, game_id="again", forked_from=played.game_id, forked_version=12)
    records = encoded([played, practice])

    lines = [json.loads(line) for line in exported("ndjson", records).splitlines()]
    assert [line.get("forked_from") for line in lines] == [None, played.game_id]
    assert {"forked_from", "forked_version"} == lines[1].keys() - lines[0].keys()
    marks = {(row["game_id"], row["forked_from"], row["forked_version"]) for row in csv_rows(exported("csv", records))}
    assert marks == {(played.game_id, "", ""), ("again", played.game_id, "12")}
    table = import_module("pyarrow.parquet").read_table(BytesIO(exported("parquet", records)))
    typed = {(row["game_id"], row["forked_from"], row["forked_version"]) for row in table.to_pylist()}
    assert typed == {(played.game_id, None, None), ("again", played.game_id, 12)}
    assert list(read_games(exported("notation", records).decode())) == [played, practice]


def test_csv_of_no_games_is_its_headings() -> None:
    assert exported("csv", []) == ",".join(COLUMNS).encode() + b"\r\n"


@pytest.mark.parametrize("name", ['Ann "the Liar"', "Smith, Bob", "Émile 骰子 ☠", "a;b", "O'Neil", '"'])
def test_csv_quotes_what_needs_it_and_changes_no_name(name: str) -> None:
    raw = exported("csv", encoded([named(name)]))

    assert {row["name"] for row in csv_rows(raw) if row["seat"] == "0"} == {name}
    assert len(raw.splitlines()) == 1 + len(rows_of(named(name)))


@pytest.mark.parametrize(
    "name",
    [
        "=HYPERLINK(A1)",
        "+1",
        "-2",
        "@SUM(1)",
        "'",
        "'=1",
        "\uff1d1",
        "\uff0b1",
        "\uff0d1",
        "\uff201",
        "\t=1",
        "\r=1",
        "\n=1",
    ],
)
def test_csv_has_no_cell_that_a_spreadsheet_would_run(name: str) -> None:
    rows = csv_rows(exported("csv", encoded([named(name)])))

    shown = {row["name"] for row in rows if row["seat"] == "0"}
    assert shown == {f"'{name}"}, "one mark before it, so that taking one away gives the name"


def test_csv_marks_no_number_and_no_other_text() -> None:
    raw = exported("csv", encoded(simulated()))

    assert not any(cell.startswith(("'", "=", "+", "-", "@")) for row in csv_rows(raw) for cell in row.values())


def as_python(cell: Any, name: str) -> Any:
    """A cell as it is read from Parquet."""
    if cell is not None and name in MOMENTS:
        return datetime.fromtimestamp(cell / 1_000, UTC)
    return list(cell) if isinstance(cell, tuple) else cell


def parquet_file(raw: bytes) -> Any:
    return import_module("pyarrow.parquet").ParquetFile(BytesIO(raw))


def test_parquet_has_the_same_rows_with_their_types() -> None:
    file = parquet_file(exported("parquet", encoded([named("=1"), *simulated()[1:]])))

    rows = [row for record in (named("=1"), *simulated()[1:]) for row in rows_of(record)]
    assert file.read().to_pylist() == [
        {name: as_python(cell, name) for name, cell in asdict(row).items()} for row in rows
    ]
    assert file.schema_arrow.names == list(COLUMNS)


def test_parquet_of_no_games_is_a_table_without_rows() -> None:
    table = parquet_file(exported("parquet", [])).read()

    assert table.num_rows == 0
    assert tuple(table.column_names) == COLUMNS


def test_parquet_is_written_in_groups_while_records_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "ROWS_OF_BATCH", 100)
    monkeypatch.setattr(parquet, "ROWS_OF_GROUP", 500)
    form = FORMATS["parquet"].begin()
    pieces = [form.head(), *(form.take(record) for record in encoded(simulated())), form.tail()]

    metadata = parquet_file(b"".join(pieces)).metadata

    assert metadata.num_rows == len(all_rows())
    assert metadata.num_row_groups > 5
    assert sum(bool(piece) for piece in pieces) == metadata.num_row_groups + 1
    groups = [metadata.row_group(index).num_rows for index in range(metadata.num_row_groups - 1)]
    assert min(groups) >= 500


def test_the_same_games_give_the_same_bytes() -> None:
    for name in FORMATS:
        assert exported(name, encoded(simulated())) == exported(name, encoded(simulated()))


def test_without_pyarrow_it_is_told_how_to_get_it_and_the_other_formats_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(ParquetMissing, match="pip install pyarrow"):
        FORMATS["parquet"].begin()
    for name in FORMATS.keys() - {"parquet"}:
        assert exported(name, encoded(simulated()[:1]))


def test_pyarrow_is_not_imported_before_somebody_asks_for_it() -> None:
    program = "import services.cli.export, services.export.formats, sys; sys.exit('pyarrow' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False, cwd=Path(__file__).parents[2]).returncode == 0


@pytest.mark.parametrize("name", ["csv", "notation", "parquet"])
@pytest.mark.parametrize("record", [b"", b"{}", b"[]", b"\xff", b'{"record_version": 2}'])
def test_what_is_no_record_is_refused_in_a_sentence(name: str, record: bytes) -> None:
    with pytest.raises(Malformed, match="game record"):
        exported(name, [record])


@pytest.mark.parametrize("number", [2**31, 2**63, 2**64, -(2**80)])
def test_a_number_too_large_for_a_table_is_refused_in_a_sentence(number: int) -> None:
    record = json.loads(encoded(simulated())[0])
    record["rulebook_version"] = number

    with pytest.raises(Malformed):
        exported("parquet", [json.dumps(record).encode()])


@pytest.mark.at_length
@pytest.mark.parametrize("name", FORMATS)
def test_memory_does_not_grow_with_the_number_of_games(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many short games; the first of them show how much is held at most, groups of rows included."""
    games = extent(7_000, 50_000)
    monkeypatch.setattr(parquet, "ROWS_OF_GROUP", 1_500)
    setup = Setup("single-hand", Options(dice_each=1), 2)
    records = encoded(record_of(play_game(setup, 1, index).events) for index in range(50))
    form = FORMATS[name].begin()
    written, first, most = len(form.head()), 0, 0
    for number, record in enumerate(islice(cycle(records), games)):
        written += len(form.take(record))
        if number % 250 == 0:
            most = max(most, resident_bytes())
        if number == 2_000:
            first = most
    written += len(form.tail())

    assert written > games
    assert most - first < 2 * MEGABYTE, f"{(most - first) / MEGABYTE:.1f} MB more after {written} bytes"


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
