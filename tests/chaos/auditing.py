"""The audit test: every bundle of many games verifies, and no bundle does after a byte has changed."""

import random
import time
from collections.abc import Callable

from msgspec import Struct, field

from domain.history.recording import record_of
from services.simulation.simulation import Setup, setups_of_all
from services.verifier import Failed, verify
from tests.verifier.agreeing import agrees
from tests.verifier.games import bundle, played, rounds_of, stored
from tests.verifier.log import SERVER

ROUNDS_A_GAME = 2
CHANGES_A_BUNDLE = 20
QUITS = (0.0, 0.01, 0.05, 0.2)


class AuditReport(Struct):
    """What a run of the audit test did and found."""

    games: int = 0
    bundles: int = 0
    tampered: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)


def audit(games: int, *, seed: int, tell: Callable[[str], None] = lambda _: None) -> AuditReport:
    """Play so many games, of every kind, and verify all their bundles, honest and not."""
    report, start, chance, setups = AuditReport(), time.monotonic(), random.Random(seed), setups_of_all()
    for number in range(games):
        _audit_game(report, chance, f"audit-{seed}-{number}", setups[chance.randrange(len(setups))])
        report.games += 1
        if report.games % 500 == 0:
            tell(f"{report.games:,} of {games:,} games, {report.bundles:,} bundles")
    report.seconds = time.monotonic() - start
    return report


def _audit_game(report: AuditReport, chance: random.Random, name: str, setup: Setup) -> None:
    play = played(setup, name, chance.choice(QUITS))
    game = stored(play)
    rounds = rounds_of(game)
    for number in {None, *chance.choices(rounds, k=ROUNDS_A_GAME)}:
        data = bundle(game, number, others=chance.randrange(20))
        report.bundles += 1
        try:
            told = verify(data, SERVER.key)
            if number is None:
                agrees(told, record_of(play.events))
        except (Failed, AssertionError) as fault:
            report.faults.append(f"{name}, round {number} by {setup.rulebook}: {fault!r}")
        for _ in range(CHANGES_A_BUNDLE if number is None else 1):
            report.tampered += 1
            place = chance.randrange(len(data))
            changed = data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]
            try:
                verify(changed, SERVER.key)
                report.faults.append(f"{name}, round {number} by {setup.rulebook}: byte {place} may be another one")
            except Failed:
                pass
