"""Killing projectors: the short form of what `make chaos` does thousands of times."""

from tests.chaos.projecting import ProjectingReport, kill_projectors
from tests.infra.postgres.databases import new_database
from tests.projector.models import Models, on_models


def test_projectors_killed_at_random_moments_leave_what_a_rebuild_makes() -> None:
    async def work(models: Models) -> ProjectingReport:
        return await kill_projectors(models, 15, seed=5)

    report = on_models(new_database(2), work)
    assert not report.faults
    assert report.kills >= 15
    assert report.games
    assert report.batches
