"""Small trees of files for a page, in folders of their own."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

INDEX = (
    '<!doctype html><link rel="stylesheet" href="{{assets}}/page/styles/page.css">\n'
    '{{preloads}}\n<script type="module" src="{{assets}}/page/main.js"></script>'
)
FILES = {
    "client/index.js": 'export { connect } from "./connection.js";\n',
    "client/connection.js": "export const connect = () => {};\n",
    "page/index.html": INDEX,
    "page/main.js": 'import { connect } from "../client/index.js";\nconnect();\n',
    "page/styles/page.css": "body { color: #222; }\n",
}


def made_tree(root: Path, more: Mapping[str, str] = MappingProxyType({})) -> Path:
    """A folder with the files of a page, and more of them by their paths."""
    for name, text in {**FILES, **more}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root
