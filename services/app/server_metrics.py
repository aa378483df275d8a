"""The metrics of a game server: what its parts count anyway, with names. No label names a game, a player or an address."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache

import asyncpg
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from domain.refusals import Refusal
from domain.values import Value
from infra.postgres.connections import PASSING
from infra.postgres.duties import Duties
from infra.postgres.failures import StoreFailed
from infra.postgres.feed import Feed
from infra.postgres.follower import Follower
from infra.postgres.store import EventStore
from infra.tally import Spread
from services.audit.logbook import Logbook
from services.live.pulse import Pulse
from services.live.refusals import WatcherTooSlow
from services.projector.status import LOOK_SECONDS_MAX
from services.reasons.problem import FAULT, reason_of
from services.rpc.gate import Gate
from services.tables.command_tally import CommandTally
from services.tables.steward import WAITERS, Steward


class ServerMetrics(Value, frozen=True, kw_only=True, eq=False):
    """What a game server counts, for the registry of its process."""

    store: EventStore
    gate: Gate
    pulse: Pulse
    commands: CommandTally
    duties: Duties
    followers: Mapping[str, Follower]
    logbook: Logbook
    steward: Steward
    heads: dict[int, int]
    """The last position of each lane, as far as the database was asked."""

    async def look(self) -> bool:
        """Ask the database how far each lane is; returns whether it answered."""
        # A lane that has not answered has no position: an old one would look as if nothing were behind.
        self.heads.clear()
        with suppress(asyncpg.PostgresError, StoreFailed, *PASSING):
            async with asyncio.timeout(LOOK_SECONDS_MAX):
                for lane in range(self.store.lanes):
                    self.heads[lane] = await self.store.position(lane)
                return True
        return False

    def collect(self) -> Iterator[Metric]:
        """All of these metrics, as they are now."""
        yield from self._calls()
        yield from self._commits()
        yield from self._lanes()
        yield from self._work()

    def _calls(self) -> Iterator[Metric]:
        yield _counter(
            "rpc_calls",
            "Calls over all protocols, and commands on Play calls, since the process started.",
            self.gate.calls,
        )
        yield _gauge(
            "rpc_streams_open",
            "Streams over all protocols on which somebody plays, watches or replays a game now.",
            self.pulse.streams_open,
        )
        refused = CounterMetricFamily(
            "liarsdice_refusals",
            "Calls and commands that were refused or failed, over all protocols.",
            labels=["reason"],
        )
        counts = Counter(dict.fromkeys(_reasons(), 0))
        for kind, count in self.gate.refused.items():
            counts[reason_of(kind)] += count
        for reason, count in sorted(counts.items()):
            refused.add_metric([reason], count)
        yield refused
        dropped = counts[WatcherTooSlow.code()]
        yield _counter("rpc_streams_dropped", "Streams that ended because their reader was too slow.", dropped)
        commands = CounterMetricFamily(
            "liarsdice_commands",
            "Commands of players and of the server, by how they ended.",
            labels=["kind", "outcome"],
        )
        for labels, count in self.commands.ended.items():
            commands.add_metric(labels, count)
        yield commands
        yield _spread(
            "command_seconds", "How long a command took, from its admission to its end.", self.commands.seconds
        )

    def _commits(self) -> Iterator[Metric]:
        traffic = self.store.traffic
        yield _spread(
            "commit_seconds", "How long the database took to commit a batch of appends.", traffic.commit_seconds
        )
        yield _spread("commit_appends", "How many appends were written together in one commit.", traffic.commit_appends)
        yield _counter("commit_events", "Events that this process has stored.", traffic.commit_events)
        yield _counter("commit_breaks", "Commits without an answer, which were tried again.", traffic.breaks)
        yield _gauge("appends_waiting", "Appends that are being written or wait for their turn.", traffic.appends)

    def _lanes(self) -> Iterator[Metric]:
        position = GaugeMetricFamily("liarsdice_lane_position", "The last position of a lane.", labels=["lane"])
        for lane, head in self.heads.items():
            position.add_metric([str(lane)], head)
        yield position
        kept, lanes = self.duties.lanes, range(self.store.lanes)
        keeping = GaugeMetricFamily(
            "liarsdice_lane_kept", "Whether this server keeps a lane (1) or another one should (0).", labels=["lane"]
        )
        for lane in lanes:
            keeping.add_metric([str(lane)], lane in kept)
        yield keeping
        lag = GaugeMetricFamily(
            "liarsdice_follower_lag_events",
            "How many events of a lane a follower has not taken in yet, at the server that keeps the lane.",
            labels=["follower", "lane"],
        )
        for name, follower in self.followers.items():
            for lane, taken in follower.taken.items():
                if lane in self.heads:
                    lag.add_metric([name, str(lane)], max(0, self.heads[lane] - taken))
        yield lag

    def _work(self) -> Iterator[Metric]:
        games = GaugeMetricFamily(
            "liarsdice_steward_games",
            "Games in which a move of the server is due, by who waits for it.",
            labels=["waiter"],
        )
        seconds = GaugeMetricFamily(
            "liarsdice_steward_wait_seconds", "How long the longest of them has waited.", labels=["waiter"]
        )
        for waiter in WAITERS:
            backlog = self.steward.backlog(waiter)
            games.add_metric([waiter], backlog.games)
            seconds.add_metric([waiter], backlog.seconds_max)
        yield games
        yield seconds
        yield _gauge(
            "log_signing_stopped",
            "Whether nothing is signed, because the log in the database is not the signed one (1), or all is well (0).",
            self.logbook.problem is not None,
        )
        yield _gauge(
            "log_witnesses_away",
            "How many witnesses of the policy have not cosigned when they were asked last.",
            len(self.logbook.witnessing.away),
        )


class SeenEvents(Value, frozen=True, eq=False):
    """How far a feed has come."""

    feed: Feed

    async def look(self) -> bool:
        """Nothing to ask for."""
        return True

    def collect(self) -> Iterator[Metric]:
        """The metric, as it is now."""
        meaning = "Events in the store that this process knows of, including those from before it started."
        yield _counter("events_seen", meaning, sum(self.feed.positions))


@cache
def _reasons() -> frozenset[str]:
    """All reasons there can be, so that each is counted from zero: Prometheus does not see a step from nothing to one."""
    kinds: list[type[Exception]] = [*Refusal.kinds(), *StoreFailed.__subclasses__()]
    return frozenset({FAULT.reason, *map(reason_of, kinds)})


def _counter(name: str, meaning: str, value: float) -> Metric:
    return CounterMetricFamily(f"liarsdice_{name}", meaning, value)


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(f"liarsdice_{name}", meaning, value)


def _spread(name: str, meaning: str, spread: Spread) -> Metric:
    return HistogramMetricFamily(f"liarsdice_{name}", meaning, spread.buckets, spread.total)
