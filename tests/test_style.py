"""How the code reads, as far as a machine can tell."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LINES_MAX = 400
MODULES = sorted(path for folder in ("domain", "infra", "services") for path in (ROOT / folder).rglob("*.py"))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_says_what_it_is_for_and_is_not_long(path: Path) -> None:
    text = path.read_text()

    assert ast.get_docstring(ast.parse(text))
    assert len(text.splitlines()) <= LINES_MAX


def test_no_code_asks_which_rulebook_it_is() -> None:
    """A book differs by its data; a comparison of its id, or a match on it, would be a rule in the wrong place."""
    branch = re.compile(r"(rulebook|book\.id)\s*(==|!=|\bin\b|\bnot in\b)|match .*(rulebook|book\.id)")
    allowed = 'arguments.rulebook == "all"'  # The word for every book at once.
    found = [str(path) for path in MODULES if branch.search(path.read_text().replace(allowed, ""))]

    assert not found


def test_the_domain_imports_only_what_can_do_no_harm() -> None:
    """The import contract names what is forbidden; this names what is allowed, so that nothing slips between."""
    allowed = {
        "base64",
        "bisect",
        "collections",
        "contextlib",
        "domain",
        "fractions",
        "functools",
        "hashlib",
        "hmac",
        "itertools",
        "math",
    }
    allowed |= {"msgspec", "re", "typing", "unicodedata"}
    imported = {name.split(".")[0] for path in MODULES if "domain" in path.parts for name in _imports(path)}

    assert imported <= allowed


def _imports(path: Path) -> list[str]:
    nodes = list(ast.walk(tree_of(path)))
    named = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return named + [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]


def test_only_one_module_reckons_with_the_delay_of_spectators() -> None:
    """Everybody else hands the number on as it is, and asks `SpectatorDelay` what may be seen when."""
    owner = ROOT / "services" / "access" / "spectator_delay.py"
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in MODULES
        if path != owner
        for parent in ast.walk(tree_of(path))
        for node in ast.iter_child_nodes(parent)
        if isinstance(node, ast.expr)
        and _is_of_delay(node)
        and not isinstance(parent, ast.keyword | ast.Dict | ast.IfExp | ast.AnnAssign)
        and not _is_handed_on(parent)
    ]

    assert not found


def _is_handed_on(parent: ast.AST) -> bool:
    """Whether the number goes to the module that may compute with it."""
    return isinstance(parent, ast.Call) and ast.unparse(parent.func) in {"SpectatorDelay", "spectator_delay.is_allowed"}


def _is_of_delay(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(attr="seconds", value=ast.Attribute(attr="delay") | ast.Name(id="delay")):
            return True
        case ast.Attribute(attr="spectator_delay_seconds") | ast.Name(id="spectator_delay_seconds"):
            return True
        case _:
            return False


def test_what_only_one_book_says_stands_in_that_book() -> None:
    """Outside the books a clause is cited through the book, never by its number; rulings are everybody's."""
    cited = re.compile(r"[(,]\s*\"(BT|SH|PI|PT|PA)-\d+\"")
    deciding = [path for path in MODULES if "rulebooks" not in path.parts]
    found = [str(path.relative_to(ROOT)) for path in deciding if cited.search(path.read_text())]

    assert not found


def test_the_lock_files_pin_with_hashes_and_name_no_index() -> None:
    for lock in sorted((ROOT / "requirements").glob("*.lock")):
        text = lock.read_text()
        pins = re.findall(r"^[a-z0-9._-]+==", text, re.MULTILINE)
        assert pins
        assert text.count("--hash=sha256:") >= len(pins)
        assert "://" not in text
        assert "index" not in text
