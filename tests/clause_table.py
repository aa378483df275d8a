"""The table of clauses in `docs/reference/rules.md`: each rule of the books, each ruling, and the tests that prove it.

`python -m tests.clause_table` writes it anew.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from domain.rulebooks import BOOKS
from domain.rulebooks.clauses import CLAUSES

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "docs" / "reference" / "rules.md"

INTRODUCTION = """\
# The rules, and the tests that prove them

This server plays five published books of Liar's Dice. The books have no numbers, so we give each rule a number and
say it in our own words. Where a book is silent, or can be read in two ways, a ruling of ours settles it; its number begins
with R. A refusal cites the numbers of the rules behind it.

Every rule is proven by at least one test, and the tables say by which. They are made from the tests themselves:
`python -m tests.clause_table` writes this page again, and a test fails when it is out of date.
"""

RULINGS = ("R", "Rulings")


class Proof(NamedTuple):
    """A test, and a clause it says it proves."""

    clause: str
    path: Path
    test: str


@cache
def proofs(tests: Path = ROOT / "tests") -> tuple[Proof, ...]:
    """What all tests say they prove, file by file and in the order they stand there."""
    return tuple(proof for path in sorted(tests.rglob("*.py")) for proof in _proofs_in(path))


def _proofs_in(path: Path) -> Iterator[Proof]:
    text = path.read_text(encoding="utf-8")
    if ".proves" not in text:
        return  # Parsing takes a hundred times as long.
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from (Proof(clause, path, node.name) for clause in _proven(node))


def _proven(test: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """The arguments of every `pytest.mark.proves` above a test, those on single parameters included."""
    for decorator in test.decorator_list:
        for node in ast.walk(decorator):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "proves":
                yield from (ast.literal_eval(argument) for argument in node.args)


def rendered() -> str:
    """The whole page."""
    tests: defaultdict[str, list[str]] = defaultdict(list)
    for proof in proofs():
        tests[proof.clause].append(_link(proof))
    return "\n".join([INTRODUCTION, *(_section(prefix, title, tests) for prefix, title in _sections())])


def _sections() -> Iterator[tuple[str, str]]:
    """The books by the letters that their clauses begin with, and the rulings at the end."""
    for book in BOOKS:
        yield book.cites.turn.partition("-")[0], f"{book.title} (`{book.id}`)"
    yield RULINGS


def _section(prefix: str, title: str, tests: Mapping[str, list[str]]) -> str:
    rows = [
        f"| {clause} | {sentence} | {'<br>'.join(tests.get(clause, []))} |"
        for clause, sentence in CLAUSES.items()
        if clause.rstrip("0123456789").rstrip("-") == prefix
    ]
    return "\n".join([f"## {title}", "", "| clause | rule | tests |", "|---|---|---|", *rows, ""])


def _link(proof: Proof) -> str:
    path = proof.path.relative_to(ROOT).as_posix()
    return f"[{proof.path.name}:{proof.test}](../../{path})"


if __name__ == "__main__":
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text(rendered(), encoding="utf-8")
