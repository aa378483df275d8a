"""The long form of the crash, ordering, audit, projector and export tests: `make chaos`, or with `CHAOS="--kills 500 --seconds 3600"`."""

import argparse
import asyncio
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

import asyncpg
from rich.console import Console
from rich.table import Table

from infra.embedded.postgres import EmbeddedPostgres
from infra.postgres.migrating import migrate
from tests.chaos.auditing import AuditReport, audit
from tests.chaos.crashing import KILLS, CrashReport, crash, crash_careless
from tests.chaos.exporting import KIB_MORE_MAX, export
from tests.chaos.ordering import OrderReport, order
from tests.chaos.projecting import kill_projectors
from tests.infra.postgres.databases import new_database
from tests.projector.models import on_models

CONSOLE = Console(highlight=False)
FAULTS_SHOWN_MAX = 20


def main() -> int:
    """Run the tests; the exit status says whether they found anything."""
    arguments = _arguments()
    CONSOLE.print(f"seed {arguments.seed}")
    fine = True
    if "crashes" in arguments.parts:
        fine &= _crashes(arguments.kills, arguments.seconds, arguments.seed)
    if "control" in arguments.parts:
        fine &= _control(arguments.seed)
    if "ordering" in arguments.parts:
        fine &= _ordering(arguments.events, arguments.lanes, arguments.seed)
    if "audit" in arguments.parts:
        fine &= _audit(arguments.games, arguments.seed)
    if "projector" in arguments.parts:
        fine &= _projector(arguments.projector_kills, arguments.seed)
    if "export" in arguments.parts:
        fine &= _export(arguments.exported)
    return 0 if fine else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--kills", type=int, default=60, help="how often something is killed (default 60)")
    parser.add_argument("--seconds", type=float, default=180.0, help="no more kills after so long (default 180)")
    parser.add_argument("--events", type=int, default=1_000_000, help="events of the ordering test (default 1,000,000)")
    parser.add_argument("--lanes", type=int, default=4, help="lanes of the ordering test (default 4)")
    parser.add_argument("--games", type=int, default=3_000, help="games whose bundles are verified (default 3,000)")
    parser.add_argument(
        "--projector-kills", type=int, default=3_000, help="how often projectors are killed (default 3,000)"
    )
    parser.add_argument("--exported", type=int, default=100_000, help="games of the export (default 100,000)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="for the same kills again")
    parts = ["crashes", "control", "ordering", "audit", "projector", "export"]
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts, help="what to run (default all)")
    return parser.parse_args()


def _crashes(kills: int, seconds: float, seed: int) -> bool:
    chance = random.Random(seed)
    kinds = [KILLS[number % len(KILLS)] for number in range(kills)]
    chance.shuffle(kinds)
    report = crash(kinds, seed=seed, seconds_max=seconds, tell=_tell)
    _print_crashes("Crashes", report)
    return not report.faults


def _control(seed: int) -> bool:
    """The checker must find something here."""
    report = crash_careless(rounds_max=10, seed=seed)
    _print_crashes("Control: synchronous_commit=off must lose something", report)
    return any(fault.kind == "lost" for fault in report.faults)


def _ordering(events: int, lanes: int, seed: int) -> bool:
    with (
        tempfile.TemporaryDirectory(prefix="liarsdice-chaos-") as place,
        EmbeddedPostgres(Path(place) / "data") as server,
    ):
        asyncio.run(_make_store(server.url, lanes))
        report = order(server.url, events, seed=seed, tell=_tell)
    _print_ordering(report)
    return not report.troubles.total()


async def _make_store(url: str, lanes: int) -> None:
    connection = await asyncpg.connect(url)
    try:
        await migrate(connection, lanes)
    finally:
        await connection.close()


def _print_crashes(title: str, report: CrashReport) -> None:
    found = Counter(fault.kind for fault in report.faults)
    rows = {f"killed: {kind}": count for kind, count in report.kills.items()}
    rows |= {"kills": sum(report.kills.values())}
    rows |= {"appends acknowledged": report.acknowledged, "events acknowledged": report.events}
    rows |= {"appends unanswered": report.unanswered, "found after all": report.found_after_all}
    rows |= {"acknowledged ones sent again": report.asked_again, "torn lines in the log": report.torn}
    rows |= {
        "lost": found["lost"],
        "duplicated": found["duplicated"],
        "changed": found["changed"],
        "gaps": found["gap"],
    }
    rows |= {"other faults": len(report.faults) - sum(found[kind] for kind in ("lost", "duplicated", "changed", "gap"))}
    _print_table(title, rows, report.seconds)
    for fault in report.faults[:FAULTS_SHOWN_MAX]:
        CONSOLE.print(f"  {fault.kind}: {fault.sentence}")


def _print_ordering(report: OrderReport) -> None:
    rows = {"events": report.events, "appends": report.appends, "lanes": report.lanes, "polls": report.polls}
    rows |= {f"transactions {kind}": count for kind, count in report.disturbances.items()}
    troubles = report.troubles
    rows |= {"skipped": troubles.skipped, "reordered": troubles.reordered, "duplicated": troubles.duplicated}
    rows |= {"missing": troubles.missing, "seen though never committed": troubles.ghosts}
    _print_table("Ordering", rows, report.seconds)


def _audit(games: int, seed: int) -> bool:
    report = audit(games, seed=seed, tell=_tell)
    _print_audit(report)
    return not report.faults


def _print_audit(report: AuditReport) -> None:
    rows = {"games": report.games, "bundles verified": report.bundles, "tampered with": report.tampered}
    rows |= {"refused though honest, or taken though tampered with": len(report.faults)}
    _print_table("Audit", rows, report.seconds)
    for fault in report.faults[:FAULTS_SHOWN_MAX]:
        CONSOLE.print(f"  {fault}")


def _projector(kills: int, seed: int) -> bool:
    url = new_database(2)
    report = on_models(url, lambda models: kill_projectors(models, kills, seed=seed, tell=_tell), seconds_max=3_600)
    rows = {"projectors killed": report.kills, "games played": report.games, "batches committed": report.batches}
    rows |= {"models that differ from what a rebuild makes": len(report.faults)}
    _print_table("Projector", rows, report.seconds)
    for fault in report.faults[:FAULTS_SHOWN_MAX]:
        CONSOLE.print(f"  {fault}")
    return not report.faults


def _export(games: int) -> bool:
    report = export(games, tell=_tell)
    rows = {"games": report.games, "lines of NDJSON": report.lines}
    rows |= {f"bytes as {form}": size for form, size in report.sizes.items()}
    rows |= {"KiB that the server's memory grew by": report.grown_kib}
    _print_table("Export over HTTP", rows, report.seconds)
    return report.lines == games and report.grown_kib < KIB_MORE_MAX


def _print_table(title: str, rows: dict[str, int], seconds: float) -> None:
    table = Table(title=f"{title} ({seconds:.0f} s)", show_header=False, title_justify="left")
    table.add_column()
    table.add_column(justify="right")
    for name, value in rows.items():
        table.add_row(name, f"{value:,}")
    CONSOLE.print(table)


def _tell(sentence: str) -> None:
    CONSOLE.print(f"  {sentence}")


if __name__ == "__main__":
    sys.exit(main())
