"""Decisions as lines of JSON, as CSV and as Parquet: the same values in all of them."""

import csv
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from io import BytesIO, StringIO
from typing import Any, get_type_hints

import pytest

from domain.history.recording import record_of
from domain.statistics.answers import DecisionMade
from domain.statistics.counting import decisions_of
from services.archive.decisions import decision_made
from services.export.decision_rows import DECISION_COLUMNS, DecisionRow
from services.export.decision_table import TABLE_FORMATS
from services.export.refusals import ParquetMissing
from services.export.rows import rows_of
from tests.export.records import simulated_tables

BIDS = {"bid": "", "standing": "standing_", "best_bid": "best_"}
GAMES = 20


@cache
def decisions() -> tuple[DecisionMade, ...]:
    """The decisions of games of all books."""
    return tuple(
        decision_made(record.game_id, record.rulebook, record.seats[made.seat].player_id, made)
        for table in simulated_tables()[:GAMES]
        for record in (record_of(table.events),)
        for made in decisions_of(table.events)
    )


def written(form: str, made: Sequence[DecisionMade], size: int = 100) -> bytes:
    """A table that takes so many decisions at a time."""
    table = TABLE_FORMATS[form].begin()
    parts = [made[start : start + size] for start in range(0, len(made), size)]
    return b"".join([table.head(), *map(table.take, parts), table.tail()])


def flat(line: bytes) -> dict[str, Any]:
    """The cells of a line of JSON."""
    cells: dict[str, Any] = {}
    for name, value in json.loads(line).items():
        if name in BIDS:
            bid = value or {"quantity": None, "face": None}
            cells |= {f"{BIDS[name]}{part}": bid[part] for part in ("quantity", "face")}
        else:
            cells[name] = value
    return cells


def as_csv(name: str, value: Any) -> Any:
    """A value of JSON as it reads in CSV; numbers as numbers."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case int() if name == "at":
            return f"{datetime.fromtimestamp(value / 1_000, UTC):%Y-%m-%d %H:%M:%S.%f}"[:-3]
        case list():
            return " ".join(map(str, value))
        case int() | float():
            return float(value)
        case _:
            return value


def as_parquet(name: str, value: Any) -> Any:
    """A value of JSON as it is read from Parquet."""
    return datetime.fromtimestamp(value / 1_000, UTC) if name == "at" else value


def read_csv(raw: bytes) -> list[dict[str, Any]]:
    rows = list(csv.DictReader(StringIO(raw.decode(), newline="")))
    kinds = get_type_hints(DecisionRow)
    numbers = {name for name in DECISION_COLUMNS if kinds[name] in {int, float, int | None, float | None}}
    return [{name: float(cell) if name in numbers and cell else cell for name, cell in row.items()} for row in rows]


def read_parquet(raw: bytes) -> Any:
    return import_module("pyarrow.parquet").ParquetFile(BytesIO(raw))


@cache
def lines() -> list[bytes]:
    return written("ndjson", decisions()).splitlines()


def test_a_line_of_json_has_a_decision_as_lists_have_it() -> None:
    assert [json.loads(line)["version"] for line in lines()] == [made.version for made in decisions()]
    assert {name for line in lines() for name in json.loads(line)} == set(DecisionMade.__struct_fields__)


def test_csv_agrees_with_json_field_by_field() -> None:
    rows = read_csv(written("csv", decisions()))

    assert tuple(rows[0]) == DECISION_COLUMNS
    assert rows == [{name: as_csv(name, value) for name, value in flat(line).items()} for line in lines()]


def test_parquet_agrees_with_json_field_by_field() -> None:
    file = read_parquet(written("parquet", decisions()))

    assert tuple(file.schema_arrow.names) == DECISION_COLUMNS
    assert file.read().to_pylist() == [
        {name: as_parquet(name, value) for name, value in flat(line).items()} for line in lines()
    ]


def test_a_decision_and_its_step_have_the_same_version_and_the_same_chances() -> None:
    """`bid_chance` is that of the bid, also of the challenged one; `chance` is that of being right."""
    steps = {
        (row.game_id, row.version): row
        for table in simulated_tables()[:GAMES]
        for row in rows_of(record_of(table.events))
    }
    for made in decisions():
        step = steps.pop((made.game_id, made.version))
        chance = made.chance if made.action == "bid" else made.standing_chance
        assert (step.action, step.seat, step.round) == (made.action, made.seat, made.round)
        assert (step.bid_chance, step.best_chance, step.regret) == (chance, made.best_chance, made.regret)
    assert all(step.regret is None for step in steps.values()), "every judged step is a decision"


@pytest.mark.parametrize("form", TABLE_FORMATS)
def test_a_table_without_decisions_is_whole(form: str) -> None:
    raw = written(form, ())

    match form:
        case "ndjson":
            assert not raw
        case "csv":
            assert raw.decode() == ",".join(DECISION_COLUMNS) + "\r\n"
        case _:
            assert (read_parquet(raw).metadata.num_rows, tuple(read_parquet(raw).schema_arrow.names)) == (
                0,
                DECISION_COLUMNS,
            )


def test_without_pyarrow_it_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(ParquetMissing, match="pip install pyarrow"):
        written("parquet", decisions()[:1])
    assert written("csv", decisions()[:1])
