"""The checker: compares a store with the answers that it gave, and names every promise that it broke."""

from collections import Counter
from typing import Literal, TypeAlias

import asyncpg
from msgspec import Struct

from infra.postgres.lanes import lane_name, lane_of
from infra.postgres.migrating import Connection, lanes_of_store
from tests.chaos.answers import Acknowledged, Answers

Kind: TypeAlias = Literal[
    "lost",  # An acknowledged event, or the memory of its request, is not there.
    "duplicated",  # A position, a version of a stream or a request is there twice.
    "changed",  # An acknowledged event has other bytes, another place, or its request points elsewhere.
    "gap",  # Positions or versions are not 1..n.
    "head",  # The head row does not agree with the events.
    "strayed",  # A stream lies in a lane that is not its own.
    "unasked",  # There is something that nobody asked for, or events that belong to no request.
    "contradicted",  # The same request was answered in two ways.
    "broken",  # The load itself saw a promise broken.
    "unanswered",  # A request never got an answer.
]


class Fault(Struct, frozen=True):
    """A broken promise."""

    kind: Kind
    sentence: str


class _Event(Struct, frozen=True):
    stream: str
    version: int
    position: int
    digest: str


class _Lane(Struct, frozen=True):
    """What is stored in one lane."""

    name: str
    head: int
    events: list[_Event]
    requests: list[tuple[str, int, int]]


async def check(url: str, answers: Answers) -> list[Fault]:
    """Every fault of the store behind a URL; the load must be at rest."""
    connection = await asyncpg.connect(url)
    try:
        return await check_on(connection, answers)
    finally:
        await connection.close()


async def check_on(connection: Connection, answers: Answers) -> list[Fault]:
    """Every fault of the store that a connection sees, its own open transaction included."""
    count = await lanes_of_store(connection)
    lanes = [await _read(connection, lane_name(number)) for number in range(count)]
    faults: list[Fault] = []
    for number, lane in enumerate(lanes):
        faults += _positions(lane) + _versions(lane) + _requests(lane, answers)
        streams = {event.stream for event in lane.events}
        faults += [
            Fault("strayed", f"{name} lies in {lane.name}") for name in streams if lane_of(name, count) != number
        ]
    faults += _across_lanes(lanes) + _answered(lanes, answers)
    faults += [Fault("broken", f"{line.request_id}: {line.problem}") for line in answers.broken]
    return faults


def unanswered(answers: Answers) -> list[Fault]:
    """What was sent and never answered, which is a fault once the load has left in peace."""
    return [Fault("unanswered", request) for request in answers.sent if request not in answers.acknowledged]


async def _read(connection: Connection, lane: str) -> _Lane:
    # Sequential scans, so that an index that has lost an entry hides nothing.
    await connection.execute("SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off")
    events = await connection.fetch(
        "SELECT originator_id, originator_version, notification_id, encode(sha256(state), 'hex')"  # noqa: S608 - ours
        f" FROM {lane}.stored_events ORDER BY notification_id"
    )
    requests = await connection.fetch(
        f"SELECT request_id, position_first, position_last FROM {lane}.requests ORDER BY position_first"  # noqa: S608
    )
    head = await connection.fetchval(f"SELECT position FROM {lane}.head")  # noqa: S608 - as above
    return _Lane(lane, head, [_Event(*row) for row in events], [(row[0], row[1], row[2]) for row in requests])


def _run_of(numbers: list[int], what: str) -> list[Fault]:
    """Faults of numbers that should be 1..n, in this order."""
    faults: list[Fault] = []
    seen: set[int] = set()
    before = 0
    for number in numbers:
        if number in seen:
            faults.append(Fault("duplicated", f"{what} {number} is there twice"))
        elif number != before + 1:
            faults.append(Fault("gap", f"{what} {before} is followed by {number}"))
        seen.add(number)
        before = number
    return faults


def _positions(lane: _Lane) -> list[Fault]:
    faults = _run_of([event.position for event in lane.events], f"{lane.name} position")
    last = lane.events[-1].position if lane.events else 0
    if lane.head != last:
        faults.append(Fault("head", f"the head of {lane.name} is {lane.head} and its last event {last}"))
    return faults


def _versions(lane: _Lane) -> list[Fault]:
    """Check the versions in the order of positions, which also finds versions of a stream in the wrong order."""
    streams: dict[str, list[int]] = {}
    for event in lane.events:
        streams.setdefault(event.stream, []).append(event.version)
    return [fault for stream, versions in streams.items() for fault in _run_of(versions, f"{stream} version")]


def _requests(lane: _Lane, answers: Answers) -> list[Fault]:
    """Check that the load sent every request, and that the requests together cover the events exactly."""
    faults = [
        Fault("unasked", f"{request} was never sent") for request, _, _ in lane.requests if request not in answers.sent
    ]
    covered = [position for _, first, last in lane.requests for position in range(first, last + 1)]
    if covered != [event.position for event in lane.events]:
        faults.append(Fault("unasked", f"the requests of {lane.name} do not cover its events"))
    return faults


def _across_lanes(lanes: list[_Lane]) -> list[Fault]:
    times = Counter(request for lane in lanes for request, _, _ in lane.requests)
    return [Fault("duplicated", f"{request} is there {count} times") for request, count in times.items() if count > 1]


def _answered(lanes: list[_Lane], answers: Answers) -> list[Fault]:
    events = {(event.stream, event.version): event for lane in lanes for event in lane.events}
    requests = {request: (first, last) for lane in lanes for request, first, last in lane.requests}
    faults: list[Fault] = []
    for answer in answers.acknowledged.values():
        faults += _kept(answer, events, requests.get(answer.request_id))
    for again in answers.repeated:
        first = answers.acknowledged[again.request_id]
        if again.outcome != "repeated" or _place(again) != _place(first):
            faults.append(
                Fault("contradicted", f"{again.request_id} was answered {_place(first)}, then {_place(again)}")
            )
    return faults


def _kept(answer: Acknowledged, events: dict[tuple[str, int], _Event], request: tuple[int, int] | None) -> list[Fault]:
    faults: list[Fault] = []
    for index, digest in enumerate(answer.digests):
        name = f"{answer.stream} version {answer.version_first + index}"
        event = events.get((answer.stream, answer.version_first + index))
        if event is None:
            faults.append(Fault("lost", f"{name} of {answer.request_id}"))
        elif event.digest != digest:
            faults.append(Fault("changed", f"{name} has other bytes"))
        elif event.position != answer.position_first + index:
            faults.append(Fault("changed", f"{name} lies at {event.position}, not {answer.position_first + index}"))
    if request is None:
        faults.append(Fault("lost", f"the memory of {answer.request_id}"))
    elif request != _place(answer):
        faults.append(Fault("changed", f"{answer.request_id} points at {request}, not {_place(answer)}"))
    return faults


def _place(answer: Acknowledged) -> tuple[int, int]:
    return answer.position_first, answer.position_last
