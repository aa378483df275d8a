"""Records of games to export."""

from collections.abc import AsyncIterator, Iterable
from functools import cache

from domain.history.record import GameRecord, encode_record
from domain.history.recording import record_of
from services.export.formats import FORMATS, exported
from services.simulation.memory_table import MemoryTable
from services.simulation.simulation import play_game, setups_of_all

SIMULATED = 60


@cache
def simulated_tables(count: int = SIMULATED, seed: int = 2) -> tuple[MemoryTable, ...]:
    """Games of all books with all options, some of them with forfeits."""
    setups = setups_of_all()
    return tuple(play_game(setups[index * 7 % len(setups)], seed, index) for index in range(count))


@cache
def simulated(count: int = SIMULATED, seed: int = 2) -> tuple[GameRecord, ...]:
    """The records of these games."""
    return tuple(record_of(table.events) for table in simulated_tables(count, seed))


def encoded(records: Iterable[GameRecord]) -> list[bytes]:
    return [encode_record(record) for record in records]


async def one_by_one(records: Iterable[bytes]) -> AsyncIterator[bytes]:
    for record in records:
        yield record


async def in_format(name: str, records: Iterable[bytes]) -> bytes:
    """All pieces of an export together."""
    return b"".join([piece async for piece in exported(one_by_one(records), FORMATS[name].begin())])
