"""The verifier as ONE file of HTML that works from a disk, without any network.

A browser loads no modules over `file://`. So each module becomes a `data:` URL, and an import map gives it the name under
which the others import it. The file carries a policy of its own: what is written in it runs, and nothing is ever fetched.
"""

import json
import posixpath
import re
from base64 import b64encode
from hashlib import sha256

from services.http.page.imports import graph_of, with_paths
from services.http.page.tree import Tree

TEMPLATE = "page/verifier/offline.html"
_NONE = "'none'"
_CHARSET = '<meta charset="utf-8">'
_STYLE = re.compile(r'<link rel="stylesheet" href="([^"]+)">')
_SCRIPT = re.compile(r'<script type="module" src="([^"]+)"></script>')


def offline_page(tree: Tree) -> bytes:
    """The template with all that it links inside of it. It has to begin with its charset."""
    template = tree.text(TEMPLATE)
    assert template.count(_CHARSET) == 1, "the policy follows the charset, before everything that it is about"
    found = _SCRIPT.search(template)
    assert found is not None, "the template has one module to begin with"
    entry = _path(found[1])
    scripts = (_import_map(tree, entry), f'import "{entry}";')
    styles = [tree.text(_path(href)) for href in _STYLE.findall(template)]
    inlined = f'<script type="importmap">{scripts[0]}</script>\n<script type="module">{scripts[1]}</script>'
    # A function as the replacement, because backslashes mean nothing special in what we put in.
    filled = _SCRIPT.sub(lambda _: inlined, template)
    filled = _STYLE.sub(lambda link: f"<style>{tree.text(_path(link[1]))}</style>", filled)
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_policy(scripts, styles)}">'
    return filled.replace(_CHARSET, f"{_CHARSET}\n{policy}").encode()


def _path(href: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(TEMPLATE), href))


def _import_map(tree: Tree, entry: str) -> str:
    return json.dumps({"imports": {name: _data_url(tree, name) for name in graph_of(tree.files, entry)}}, indent=1)


def _data_url(tree: Tree, name: str) -> str:
    # The name at the end is what consoles show. And two modules with the same text stay two.
    text = f"{with_paths(name, tree.text(name))}\n//# sourceURL={name}\n"
    return f"data:text/javascript;base64,{b64encode(text.encode()).decode()}"


def _policy(scripts: tuple[str, ...], styles: list[str]) -> str:
    return (
        f"default-src 'none'; script-src {' '.join(map(_hash, scripts))} data:; "
        f"style-src {' '.join(map(_hash, styles)) or _NONE}; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
