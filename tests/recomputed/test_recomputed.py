"""Every field of every answer of statistics, computed once more from an export and the documents alone.

`python -m tests.recomputed` does it at length. `game.py`, `answers.py` and `comparison.py` use nothing of the program: they
read what HTTP gives a stranger and a player, and follow docs/reference/statistics.md, rules.md and record.md.
"""

import ast
from collections import Counter
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace

from tests.http.readers import HTTP_SETTINGS, Site, on_site
from tests.infra.postgres.databases import new_database
from tests.projector.models import on_models
from tests.recomputed.__main__ import told
from tests.recomputed.answers import Asked
from tests.recomputed.comparison import Comparison, Differences
from tests.recomputed.made_games import fill
from tests.recomputed.recount import KINDS, choices, missing, recounted

GAMES = 30
FOLDER = Path(__file__).parent
INDEPENDENT = ("game.py", "answers.py", "comparison.py")


@pytest.mark.parametrize("name", INDEPENDENT)
def test_the_recomputation_uses_nothing_of_the_program(name: str) -> None:
    for node in ast.walk(ast.parse((FOLDER / name).read_text())):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
        for imported in names:
            assert imported.partition(".")[0] not in {"domain", "infra", "services", "liarsdice"}, imported
            assert not imported.startswith("tests.") or f"{imported.rpartition('.')[2]}.py" in INDEPENDENT, imported


def test_every_field_of_every_answer_follows_from_the_export() -> None:
    url = new_database(2)
    on_models(url, lambda models: fill(models, GAMES))

    async def by_stranger(site: Site) -> Comparison:
        return await recounted(site.client, choices(GAMES), own=False, players=2)

    async def by_player(site: Site) -> Comparison:
        return await recounted(site.client, [Asked(), Asked(played="practice")], own=True)

    settings = replace(HTTP_SETTINGS, projects=False)
    comparisons = [on_site(story, settings, url=url) for story in (by_stranger, by_player)]
    differences = [difference for one in comparisons for difference in one.differences.found]
    fields = sum(one.differences.fields for one in comparisons)
    assert not differences, f"{len(differences)} of {fields} fields differ:\n" + "\n".join(differences[:40])
    assert fields > 50_000
    assert missing(comparisons[-1].contents()) == []


class Full(Comparison):
    """A comparison that has seen every kind of game."""

    def contents(self) -> Counter[str]:
        return Counter(KINDS)


def test_a_recount_fails_if_a_field_differs_or_a_kind_of_game_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    nobody = httpx.AsyncClient()
    full = Full(nobody)
    assert told([full], 1.0) == 0

    full.differences.compare("answer", 1, 2)
    assert told([full], 1.0) == 1
    assert "answer: expected 1, found 2" in capsys.readouterr().out
    assert told([Comparison(nobody)], 1.0) == 1
    assert "There are no games of pirates" in capsys.readouterr().out


def test_a_field_that_differs_or_is_missing_is_found() -> None:
    found = Differences()
    found.compare("answer", {"games": 3, "rate": 0.5}, {"games": 3, "rate": 0.500_000_1})
    assert (found.fields, found.found) == (2, [])
    found.compare("answer", {"games": 3, "rate": 0.5, "wins": [1]}, {"games": 4, "rate": 0.51})
    assert sorted(found.found) == [
        "answer.games: expected 3, found 4",
        "answer.rate: expected 0.5, found 0.51",
        "answer: fields ['wins']",
    ]
