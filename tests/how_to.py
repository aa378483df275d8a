"""Follows a how-to: makes the changes that a page asks for in a copy of the repository.

A change is a sentence in its own line, in one of these forms. All but the last form also need the block below the line:

- Create `FILE`:
- Add to the end of `FILE`:
- Add to `FILE`, above `LINE`: or below `LINE`:
- In `FILE`, replace `TEXT` with `TEXT`.

The named line or text must occur exactly once, so a page that no longer fits the code fails.
"""

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "understand" / "how-to"

_CODE = r"`([^`\n]+)`"
_BLOCK = r":\n\n```(?!sh\n)\w+\n(.*?)^```$"
_FLAGS = re.MULTILINE | re.DOTALL
_CREATED = re.compile(rf"^Create {_CODE}{_BLOCK}", _FLAGS)
_APPENDED = re.compile(rf"^Add to the end of {_CODE}{_BLOCK}", _FLAGS)
_INSERTED = re.compile(rf"^Add to {_CODE}, (above|below) {_CODE}{_BLOCK}", _FLAGS)
_REPLACED = re.compile(rf"^In {_CODE}, replace {_CODE} with {_CODE}\.$", re.MULTILINE)


def copy_of_the_repository(folder: Path) -> Path:
    """A copy of the sources and tests. The virtual environment is shared, not copied."""
    hidden = shutil.ignore_patterns(".*", "node_modules", "build", "dist")
    return Path(shutil.copytree(ROOT, folder, ignore=hidden, symlinks=True))


def follow(page: Path, copy: Path) -> None:
    """Make all changes of a page."""
    text = page.read_text(encoding="utf-8")
    created, appended, inserted = (list(form.findall(text)) for form in (_CREATED, _APPENDED, _INSERTED))
    blocks = re.findall(r"^```(?!sh$)\w+$", text, re.MULTILINE)
    assert len(created) + len(appended) + len(inserted) == len(blocks), f"{page.name} has a block that says not where"
    for name, block in created:
        assert not (copy / name).exists(), f"{name} is there already"
        (copy / name).write_text(block, encoding="utf-8")
    for name, block in appended:
        path = copy / name
        path.write_text(path.read_text(encoding="utf-8") + block, encoding="utf-8")
    for name, side, line, block in inserted:
        path = copy / name
        path.write_text(_with_block(path.read_text(encoding="utf-8"), side, line, block), encoding="utf-8")
    for name, old, new in _REPLACED.findall(text):
        path = copy / name
        there = path.read_text(encoding="utf-8")
        assert there.count(old) == 1, f"{name} has {there.count(old)} times {old}"
        path.write_text(there.replace(old, new), encoding="utf-8")


def _with_block(text: str, side: str, line: str, block: str) -> str:
    lines = text.splitlines(keepends=True)
    found = [number for number, there in enumerate(lines) if there.strip() == line]
    assert len(found) == 1, f"the line {line} is there {len(found)} times"
    place = found[0] + (side == "below")
    return "".join([*lines[:place], block, *lines[place:]])
