"""Which modules a module of JavaScript imports when it is loaded, without running it.

Only `import ... from "./x.js"`, `import "./x.js"` and `export ... from "./x.js"` count. An `import()` is for later.
"""

import posixpath
import re
from collections.abc import Iterable, Mapping

_NAMES = r"\*\s*as\s+[\w$]+|\{[^}]*\}"
_STATEMENT = (
    rf"(?P<head>(?<![\w$.])(?:import\s*(?:(?:[\w$]+\s*,?\s*)?(?:{_NAMES})?\s*from\s*)?"
    rf"|export\s*(?:\*|{_NAMES})\s*from\s*))"
    r"(?P<quote>[\"'])(?P<module>[^\"'\n]+)(?P=quote)"
)
# Comments and strings are read too, so that an import in one of them is not taken for an import.
_COMMENT = r"/\*.*?\*/|//[^\n]*"
_STRING = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"
_PARTS = re.compile(f"{_COMMENT}|{_STATEMENT}|{_STRING}", re.DOTALL)


def imports_of(name: str, text: str) -> tuple[str, ...]:
    """The modules that a module imports: those of the tree by their paths, others as the text names them."""
    return tuple(_path(name, part["module"]) for part in _PARTS.finditer(text) if part["module"])


def graph_of(
    files: Mapping[str, bytes], entry: str, known: dict[str, tuple[str, ...]] | None = None
) -> tuple[str, ...]:
    """A module and all modules that are loaded with it, those that are imported first at the front.

    Who asks for several keeps in `known` what was read already.
    """
    read = {} if known is None else known
    found = [entry]
    for name in found:  # It grows meanwhile.
        if name not in read:
            read[name] = imports_of(name, files[name].decode())
        found += [one for one in dict.fromkeys(read[name]) if one in files and one not in found]
    return tuple(found)


def missing_from(files: Mapping[str, bytes], names: Iterable[str]) -> tuple[str, ...]:
    """What some modules import although it is not there."""
    imported = {one for name in names for one in imports_of(name, files[name].decode())}
    return tuple(sorted(imported - set(files)))


def with_paths(name: str, text: str) -> str:
    """The text of a module that imports other modules by their paths in the tree."""

    def renamed(part: "re.Match[str]") -> str:
        return f'{part["head"]}"{_path(name, part["module"])}"' if part["module"] else part[0]

    return _PARTS.sub(renamed, text)


def _path(importer: str, module: str) -> str:
    if not module.startswith("."):
        return module
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), module))
