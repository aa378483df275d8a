"""A reader that follows a lane sees every event once and in order, and would notice if it did not."""

import asyncio
import random
from collections.abc import Sequence

import asyncpg
import pytest
from eventsourcing.persistence import Notification

from tests.chaos.ordering import order
from tests.chaos.tailing import GHOST, Tail, Troubles
from tests.infra.postgres.databases import empty_database, new_database


def test_readers_that_follow_never_skip_reorder_or_repeat() -> None:
    report = order(new_database(lanes=3), 20_000, seed=1, batch=20)

    assert report.troubles == Troubles()
    assert report.events >= 20_000
    assert min(report.disturbances.values()) > 0


def test_a_reader_notices_what_a_sequence_does_to_it() -> None:
    """The negative control: numbers given before the commit, as a sequence does, and one writer that parks."""
    url = empty_database()

    async def work() -> Troubles:
        slow, quick = await asyncpg.connect(url), await asyncpg.connect(url)
        await quick.execute("CREATE TABLE naive (id bigserial, stream text)")

        async def read(after: int, limit: int) -> list[Notification]:
            rows = await quick.fetch("SELECT id, stream FROM naive WHERE id > $1 ORDER BY id LIMIT $2", after, limit)
            return [notification(row["id"], row["stream"]) for row in rows]

        tail = Tail(read, random.Random(1))
        parked = slow.transaction()
        await parked.start()
        await slow.execute("INSERT INTO naive (stream) VALUES ('parked')")
        await quick.execute("INSERT INTO naive (stream) VALUES ('quick')")
        await tail.follow(lambda: True)
        await parked.commit()
        await tail.follow(lambda: True)
        await tail.look_again()
        await slow.close()
        await quick.close()
        return tail.troubles

    assert asyncio.run(work()).skipped > 0


@pytest.mark.parametrize(
    ("seen", "trouble"),
    [
        ([(1, "a", 1), (2, "b", 1), (3, "a", 2)], Troubles()),
        ([(1, "a", 1), (3, "a", 2)], Troubles(skipped=1)),
        ([(1, "a", 1), (2, "a", 3)], Troubles(skipped=1)),
        ([(1, "a", 1), (1, "b", 1)], Troubles(duplicated=1)),
        ([(1, "a", 1), (2, "a", 1)], Troubles(duplicated=1)),
        ([(1, "a", 1), (2, "b", 1), (1, "c", 1)], Troubles(reordered=1)),
        ([(1, "a", 1), (2, f"{GHOST}-a", 1)], Troubles(ghosts=1)),
    ],
)
def test_a_reader_names_each_trouble(seen: Sequence[tuple[int, str, int]], trouble: Troubles) -> None:
    async def nothing(_after: int, _limit: int) -> list[Notification]:
        return []

    tail = Tail(nothing, random.Random(1))
    for position, stream, version in seen:
        tail.see(notification(position, stream, version))

    assert tail.troubles == trouble


def test_a_reader_says_how_much_of_an_append_it_did_not_see() -> None:
    async def nothing(_after: int, _limit: int) -> list[Notification]:
        return []

    tail = Tail(nothing, random.Random(1))
    tail.see(notification(1, "a", 1))
    tail.see(notification(2, "a", 2))

    assert tail.holds(1, "a", 1, 2) == 0
    assert tail.holds(2, "a", 2, 3) == 2
    assert tail.holds(1, "b", 1, 2) == 2


def notification(position: int, stream: str, version: int = 1) -> Notification:
    return Notification(stream, version, "topic", b"", position)
