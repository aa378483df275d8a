"""What a browser fetches at once with the document, so that it finds out about nothing step by step.

A module is known only once the one that imports it is there, and so is a style sheet. The links name all of them: the styles,
the modules of the frame, and those of the page at the address, which the router imports when it is needed.
"""

import posixpath
import re

from services.http.page.imports import graph_of
from services.http.page.tree import Tree

ENTRY = "page/main.js"
_ROUTER, _STYLES = "page/core/router.js", "page/styles/page.css"
_ROUTE = re.compile(r'\["(/[^"]*)", \(\) => import\("([^"]+)"\)\]')
_PARAMETER = re.compile(r":\w+")
_IMPORTED = re.compile(r'@import url\("([^"]+)"\)')


def styles_of(tree: Tree) -> tuple[str, ...]:
    """The style sheets that the one of the page imports."""
    return tuple(_beside(_STYLES, name) for name in _IMPORTED.findall(tree.text(_STYLES)))


def modules_of(tree: Tree) -> dict[str | None, tuple[str, ...]]:
    """The modules of each address of the page, such as `/games/{}`; None stands for any other address."""
    read: dict[str, tuple[str, ...]] = {}
    frame = graph_of(tree.files, ENTRY, read)
    known: dict[str | None, tuple[str, ...]] = {None: frame}
    routes = _ROUTE.findall(tree.text(_ROUTER)) if _ROUTER in tree.files else ()
    for address, module in routes:
        own = graph_of(tree.files, _beside(_ROUTER, module), read)
        known[_PARAMETER.sub("{}", address)] = tuple(dict.fromkeys((*frame, *own)))
    return known


def links(folder: str, styles: tuple[str, ...], modules: tuple[str, ...]) -> str:
    """The links of a document. What is drawn first stands first, because browsers fetch in this order."""
    named = [f'<link rel="preload" as="style" href="{folder}/{name}">' for name in styles]
    return "\n".join((*named, *(f'<link rel="modulepreload" href="{folder}/{name}">' for name in modules)))


def _beside(name: str, other: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), other))
