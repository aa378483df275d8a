"""The files that browsers get, as they are under `services/web`, and the version of all of them together."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from domain.values import Value
from services.http.page.imports import imports_of

ROOT = Path(__file__).parents[2] / "web"
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
"""The kinds of files that browsers get. Others, such as a README, stay here."""
_FOLDERS = ("client", "page")
_VERSION_DIGITS = 20
_OF_NODE = "node:"


class Tree(Value, frozen=True):
    """Files by their path under the root, such as `page/main.js`."""

    files: Mapping[str, bytes]
    version: str
    """Changes with the name or the content of any file: a page never mixes modules of two versions."""

    def text(self, name: str) -> str:
        """The content of a file of text."""
        return self.files[name].decode()


def read_tree(root: Path = ROOT) -> Tree:
    """Read all files that browsers get."""
    paths = sorted(path for folder in _FOLDERS for path in (root / folder).rglob("*"))
    files = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in paths
        if path.suffix in MEDIA_TYPES and path.is_file()
    }
    return Tree(files := _without_node(files), _version(files))


def media_type(name: str) -> str:
    """The media type of a file."""
    return MEDIA_TYPES[Path(name).suffix]


def _without_node(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files without the modules that only Node can load, by themselves or by what they import."""
    imports = {name: imports_of(name, body.decode()) for name, body in files.items() if name.endswith(".js")}
    foreign = {name for name, found in imports.items() if any(one.startswith(_OF_NODE) for one in found)}
    while more := {name for name, found in imports.items() if foreign.intersection(found)} - foreign:
        foreign |= more
    return {name: body for name, body in files.items() if name not in foreign}


def _version(files: Mapping[str, bytes]) -> str:
    digest = sha256()
    for name, body in sorted(files.items()):
        digest.update(sha256(name.encode()).digest() + sha256(body).digest())
    return digest.hexdigest()[:_VERSION_DIGITS]
