"""The table of clauses has no hole: each clause is proven, each proof and each citation is of a clause that exists."""

import re
from pathlib import Path

from domain.rulebooks.clauses import CLAUSES
from tests.clause_table import ROOT, TABLE, proofs, rendered

CITATION = re.compile(r"\b(?:BT|SH|PI|PT|PA)-\d+\b|\bR\d+\b")


def test_the_page_of_rules_is_what_the_tests_make_of_it() -> None:
    assert TABLE.read_text(encoding="utf-8") == rendered(), "run `python -m tests.clause_table`"


def test_every_clause_is_proven_by_a_test() -> None:
    proven = {proof.clause for proof in proofs()}

    assert not CLAUSES.keys() - proven


def test_every_clause_stands_in_the_page_once() -> None:
    rows = re.findall(r"^\| (\S+) \|", rendered(), re.MULTILINE)

    assert [row for row in rows if row != "clause"] == list(CLAUSES)


def test_no_test_proves_a_clause_that_does_not_exist() -> None:
    assert not [proof for proof in proofs() if proof.clause not in CLAUSES]


def test_only_what_is_run_as_a_test_proves_a_clause() -> None:
    assert not [
        proof for proof in proofs() if not (proof.test.startswith("test_") and proof.path.stem.startswith("test_"))
    ]


def test_every_link_of_the_page_leads_to_a_file() -> None:
    links = set(re.findall(r"\]\(([^)]+)\)", rendered()))

    assert links
    assert all((TABLE.parent / link).is_file() for link in links)


def test_the_program_cites_only_clauses_that_exist() -> None:
    cited = {
        (path.relative_to(ROOT), citation)
        for path in (ROOT / "domain").rglob("*.py")
        for citation in CITATION.findall(path.read_text(encoding="utf-8"))
    }

    assert {citation for _, citation in cited} >= {"BT-19", "R10"}
    assert not [(path, citation) for path, citation in cited if citation not in CLAUSES]


def test_a_clause_that_no_test_proves_would_be_found(tmp_path: Path) -> None:
    (tmp_path / "test_example.py").write_text(
        '@pytest.mark.proves("BT-1", "R99")\n'
        '@pytest.mark.parametrize("players", [pytest.param(2, marks=pytest.mark.proves("PI-1"))])\n'
        "async def test_example(players): ...\n"
        '# @pytest.mark.proves("SH-1")\n'
        "def test_other(): ...\n"
    )

    assert [(proof.clause, proof.test) for proof in proofs(tmp_path)] == [
        ("BT-1", "test_example"),
        ("R99", "test_example"),
        ("PI-1", "test_example"),
    ]
