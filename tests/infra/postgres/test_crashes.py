"""Acknowledged events survive the killing of any process, and the checker would find out if they did not."""

import asyncio
from itertools import count
from pathlib import Path
from typing import NamedTuple

import asyncpg
import msgspec
import pytest

from infra.postgres.lanes import lane_name, lane_of
from infra.postgres.store import EventStore
from tests.chaos.answers import AnswerLog, Answers, Sent
from tests.chaos.checker import check, check_on, unanswered
from tests.chaos.crashing import crash, crash_careless
from tests.chaos.load import LANES, Writer
from tests.infra.postgres.databases import new_database


def test_nothing_acknowledged_is_lost_doubled_or_changed_whatever_is_killed() -> None:
    report = crash(["load", "server", "backend", "everything"], seed=1, writers=24)

    assert report.faults == []
    assert sum(report.kills.values()) == 4
    assert report.acknowledged > 100
    assert report.unanswered > 0


def test_a_server_that_answers_before_it_has_written_is_found_out() -> None:
    """The same kill with `synchronous_commit=off`: the checker would see a loss if there were one."""
    report = crash_careless(rounds_max=5, seed=1, writers=24)

    assert "lost" in {fault.kind for fault in report.faults}


class Written(NamedTuple):
    """A store in which five writers have written for a moment, and the log of its answers."""

    url: str
    log: Path

    def faults(self, answers: Answers, tampering: str = "SELECT 1") -> set[str]:
        """What the checker finds after somebody has tampered with a lane, which is undone again."""

        async def work() -> set[str]:
            connection = await asyncpg.connect(self.url)
            await connection.execute(f"BEGIN; SET search_path TO {LANE}")
            await connection.execute("ALTER TABLE stored_events DISABLE TRIGGER ALL")
            await connection.execute("ALTER TABLE requests DISABLE TRIGGER ALL")
            await connection.execute(tampering)
            found = await check_on(connection, answers)
            await connection.close()
            return {fault.kind for fault in found}

        return asyncio.run(work())


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    url, log_path = new_database(LANES), tmp_path_factory.mktemp("written") / "answers.jsonl"

    async def work() -> None:
        log = AnswerLog(log_path)
        store = await EventStore.open(url)
        stopping = asyncio.Event()
        writers = [Writer(number, Answers.read(log_path), log) for number in range(5)]
        writing = asyncio.gather(*(writer.write(store, stopping) for writer in writers))
        # Enough for each tampering to find what it tampers with, however slow the machine is.
        while len(Answers.read(log_path).acknowledged) < 60 or await store.position(int(LANE[-1])) < 10:  # noqa: ASYNC110 - what it waits for is in the store and in a file
            await asyncio.sleep(0.1)
        stopping.set()
        await writing
        await store.close()
        log.close()

    asyncio.run(work())
    return Written(url, log_path)


def test_a_store_without_faults_has_none(written: Written) -> None:
    answers = Answers.read(written.log)

    assert len(answers.acknowledged) > 20
    assert asyncio.run(check(written.url, answers)) == []
    assert unanswered(answers) == []


LANE = lane_name(lane_of("game-0-0", LANES))

TAMPERINGS = {
    "an event removed": (
        "DELETE FROM stored_events WHERE originator_id = 'game-0-0' AND originator_version = 1",
        {"lost", "gap", "unasked"},
    ),
    "the last event removed": (
        "DELETE FROM stored_events WHERE notification_id = (SELECT position FROM head)",
        {"lost", "head", "unasked"},
    ),
    "a byte changed": (
        "UPDATE stored_events SET state = set_byte(state, 0, get_byte(state, 0) # 1) WHERE notification_id = 1",
        {"changed"},
    ),
    "a position twice": (
        """DROP INDEX stored_events_notification_id_idx;
        UPDATE stored_events SET notification_id = 2 WHERE notification_id = 1""",
        {"changed", "duplicated", "gap", "unasked"},
    ),
    "a version twice": (
        """ALTER TABLE stored_events DROP CONSTRAINT stored_events_pkey;
        UPDATE head SET position = position + 1;
        INSERT INTO stored_events SELECT originator_id, originator_version, topic, state, (SELECT position FROM head)
        FROM stored_events WHERE notification_id = 1""",
        {"changed", "duplicated", "unasked"},
    ),
    "two events exchanged": (
        """UPDATE stored_events SET notification_id = -notification_id WHERE notification_id <= 2;
        UPDATE stored_events SET notification_id = notification_id + 3 WHERE notification_id < 0""",
        {"changed"},
    ),
    "the head moved": ("UPDATE head SET position = position + 1", {"head"}),
    "a request forgotten": ("DELETE FROM requests WHERE position_first = 1", {"lost", "unasked"}),
    "a request renamed": (
        "UPDATE requests SET request_id = 'nobody' WHERE position_first = 1",
        {"lost", "unasked"},
    ),
    "a request that points elsewhere": (
        "UPDATE requests SET position_last = position_last + 1 WHERE position_first = 1",
        {"changed", "unasked"},
    ),
    "a request twice": (
        """ALTER TABLE requests DROP CONSTRAINT requests_pkey;
        INSERT INTO requests SELECT * FROM requests WHERE position_first = 1""",
        {"duplicated", "unasked"},
    ),
    "an event that nobody sent": (
        """UPDATE head SET position = position + 1;
        INSERT INTO stored_events SELECT 'game-0-0', max(originator_version) + 1, 'topic', '', (SELECT position FROM head)
        FROM stored_events WHERE originator_id = 'game-0-0'""",
        {"unasked"},
    ),
}


@pytest.mark.parametrize(("tampering", "kinds"), TAMPERINGS.values(), ids=TAMPERINGS.keys())
def test_the_checker_names_each_fault(written: Written, tampering: str, kinds: set[str]) -> None:
    assert written.faults(Answers.read(written.log), tampering) == kinds


def test_the_checker_sees_a_stream_in_a_lane_that_is_not_its_own(written: Written) -> None:
    names = (f"stranger-{number}" for number in count())
    stranger = next(name for name in names if lane_name(lane_of(name, LANES)) != LANE)
    tampering = "UPDATE stored_events SET originator_id = 'NAME' WHERE notification_id = 1".replace("NAME", stranger)

    assert written.faults(Answers.read(written.log), tampering) == {"strayed", "lost", "gap"}


def test_the_checker_sees_an_answer_that_contradicts_the_first(written: Written) -> None:
    answers = Answers.read(written.log)
    answer = next(iter(answers.acknowledged.values()))
    answers.take(msgspec.structs.replace(answer, position_first=answer.position_first + 1, outcome="repeated"))

    assert written.faults(answers) == {"contradicted"}


def test_a_request_that_was_never_answered_is_told(written: Written) -> None:
    answers = Answers.read(written.log)
    answers.take(Sent("forgotten"))

    assert [fault.sentence for fault in unanswered(answers)] == ["forgotten"]


def test_a_torn_line_counts_as_no_answer_and_hides_no_other(tmp_path: Path) -> None:
    log = tmp_path / "answers.jsonl"
    log.write_bytes(b'{"type":"Sent","request_id":"a"}\n{"type":"Ackno')
    AnswerLog(log).close()
    with log.open("ab") as file:
        file.write(b'{"type":"Sent","request_id":"b"}\n')

    answers = Answers.read(log)

    assert (list(answers.sent), answers.torn) == (["a", "b"], 1)
