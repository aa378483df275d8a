"""Records of games to export."""

from collections.abc import AsyncIterator, Iterable
from functools import cache

from domain.history.record import GameRecord, encode_record
from domain.history.recording import record_of
from services.export.formats import FORMATS, exported
from services.simulation.simulation import play_game, setups_of_all

SIMULATED = 60


@cache
def simulated(count: int = SIMULATED, seed: int = 2) -> tuple[GameRecord, ...]:
    """Games of all books with all options, some of them with forfeits."""
    setups = setups_of_all()
    return tuple(record_of(play_game(setups[index * 7 % len(setups)], seed, index).events) for index in range(count))


def encoded(records: Iterable[GameRecord]) -> list[bytes]:
    return [encode_record(record) for record in records]


async def one_by_one(records: Iterable[bytes]) -> AsyncIterator[bytes]:
    for record in records:
        yield record


async def in_format(name: str, records: Iterable[bytes]) -> bytes:
    """All pieces of an export together."""
    return b"".join([piece async for piece in exported(one_by_one(records), FORMATS[name].begin())])
