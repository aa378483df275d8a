"""Everything that the page consists of, by the paths under which browsers find it."""

import re
from pathlib import Path

from services.http.page.offline import TEMPLATE, offline_page
from services.http.page.preloads import links, modules_of, styles_of
from services.http.page.prepared import Prepared
from services.http.page.tree import ROOT, Tree, media_type, read_tree
from services.http.security_headers import HEADERS, OF_APP, OF_ASSET, OF_WORKER

PAGES = (
    "/",
    "/play/{game}",
    "/watch/{game}",
    "/join/{game}",
    "/games",
    "/games/{game}",
    "/games/{game}/rounds/{number}",
    "/players",
    "/players/{player}",
    "/leaderboards",
    "/compare",
    "/clubs",
    "/clubs/{club}",
    "/rules",
    "/rules/{book}",
    "/verify",
    "/about",
)
"""The addresses of the page. Their answers differ only in what is fetched at once; what it shows is the page's own business."""
ASSETS = "/assets"
EMBED_PATH = "/embed/replay.js"
OFFLINE_PATH = "/verify.html"
_PART = re.compile(r"\{\w+\}")
_FILE = f"{ASSETS}/{{version}}/{{file}}"
_INDEX, _EMBEDDED = "page/index.html", "page/replay/element.js"
_OFFLINE = HEADERS | {"Content-Disposition": 'attachment; filename="liarsdice-verify.html"'}
_FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}
_ASK_AGAIN = {"Cache-Control": "no-cache"}


class Site:
    """The answers for a tree of files."""

    def __init__(self, tree: Tree) -> None:
        self.folder = f"{ASSETS}/{tree.version}"
        """Where the files are. The version is in it, so a browser that has a file never has to ask for it again."""
        self._tree = tree
        modules, styles = modules_of(tree), styles_of(tree)
        self.index = self._page(styles, modules[None])
        self._indexes = [self._page(styles, modules.get(_PART.sub("{}", page), modules[None])) for page in PAGES]
        self._files = {
            f"{self.folder}/{name}": Prepared(body, media_type(name), _headers(name) | _FOR_EVER)
            for name, body in tree.files.items()
            if not name.endswith(".html")  # These are templates, and no pages before they are filled.
        }
        self._fixed: dict[str, Prepared] = {}
        if _EMBEDDED in tree.files:
            exporting = f'export * from "{self.folder}/{_EMBEDDED}";\n'.encode()
            self._fixed[EMBED_PATH] = Prepared(exporting, media_type(_EMBEDDED), OF_ASSET | _ASK_AGAIN)
        if TEMPLATE in tree.files:
            self._fixed[OFFLINE_PATH] = Prepared(offline_page(tree), media_type(TEMPLATE), _OFFLINE | _ASK_AGAIN)
        self._pages = re.compile("|".join(f"({_PART.sub('[^/]+', page)})" for page in PAGES))

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path with an answer, as the metrics name it."""
        return (*PAGES, _FILE, *self._fixed)

    def find(self, path: str) -> tuple[str, Prepared] | None:
        """The answer at a path, and how the metrics name that path; None if there is nothing of the page."""
        if answer := self._files.get(path):
            return _FILE, answer
        if answer := self._fixed.get(path):
            return path, answer
        if page := self._pages.fullmatch(path):
            assert page.lastindex is not None, "each alternative is a group"
            return PAGES[page.lastindex - 1], self._indexes[page.lastindex - 1]
        return None

    def _page(self, styles: tuple[str, ...], modules: tuple[str, ...]) -> Prepared:
        filled = self._tree.text(_INDEX).replace("{{assets}}", self.folder)
        filled = filled.replace("{{preloads}}", links(self.folder, styles, modules))
        return Prepared(filled.encode(), media_type(_INDEX), OF_APP | _ASK_AGAIN)


def read_site(root: Path = ROOT) -> Site:
    """Read the files, and prepare all answers."""
    return Site(read_tree(root))


def _headers(name: str) -> dict[str, str]:
    return OF_WORKER if name.endswith("_worker.js") else OF_ASSET
