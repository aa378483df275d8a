"""Everything that heavy reads read from."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from domain.values import Value
from infra.postgres.event_reader import EventReader
from infra.postgres.log_reader import LogReader
from services.archive.archive import Archive
from services.archive.decision_exports import DecisionExports
from services.archive.decisions import Decisions
from services.archive.exports import Exports
from services.archive.statistics import Statistics
from services.audit.audits import Audits
from services.audit.dispute_reader import DisputeReader
from services.audit.rounds import Rounds
from services.clubs.club_exports import ClubExports
from services.clubs.club_reader import ClubReader

_CONNECTIONS_MAX = 2


class Sources(Value, frozen=True, eq=False):
    """The parts of a store that a job reads."""

    archive: Archive
    exports: Exports
    statistics: Statistics
    decisions: Decisions
    decision_exports: DecisionExports
    rounds: Rounds
    audits: Audits
    clubs: ClubReader
    club_exports: ClubExports


def sources_of(archive: Archive, store: EventReader, log: LogReader) -> Sources:
    """The sources that share the connections of a process."""
    return Sources(
        archive=archive,
        exports=Exports(archive.pool, archive.lanes),
        statistics=Statistics(archive.pool),
        decisions=Decisions(archive),
        decision_exports=DecisionExports(archive.pool, archive.lanes),
        rounds=Rounds(log, DisputeReader(store)),
        audits=Audits(store, log),
        clubs=ClubReader(store, archive.pool),
        club_exports=ClubExports(archive.pool, archive.lanes),
    )


@asynccontextmanager
async def open_sources(url: str) -> AsyncIterator[Sources]:
    """Sources with connections of their own, as a worker has them. A worker gets no key."""
    async with AsyncExitStack() as stack:
        store = await EventReader.open(url)
        stack.push_async_callback(store.close)
        archive = await Archive.open(url, store.lanes, readers_max=_CONNECTIONS_MAX)
        stack.push_async_callback(archive.close)
        log = await LogReader.open(url)
        stack.push_async_callback(log.close)
        yield sources_of(archive, store, log)
