"""Checks the types of the JavaScript client: `python -m tests.web.type_check`, which needs Node and, once, a network."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CONFIG = Path(__file__).parent / "tsconfig.json"
PACKAGES = ("typescript@5.9.3", "@types/node@20.19.43")
_OFFLINE = re.compile(r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH")


class Missing(Exception):  # noqa: N818 - it reads as a sentence
    """Something is not here that the check needs."""


def type_check() -> subprocess.CompletedProcess[str]:
    """What the compiler says; raises Missing where it can't be had."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise Missing("Node.js is not installed")
    modules = _compiler(npm) / "node_modules"
    types = ("--typeRoots", str(modules / "@types"))
    command = [node, str(modules / "typescript" / "bin" / "tsc"), "-p", str(CONFIG), *types]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _compiler(npm: str) -> Path:
    """The folder with the compiler, outside of the repository; it is fetched the first time."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "liarsdice"
    folder = cache / re.sub(r"[^\w.]+", "-", "-".join(PACKAGES)).strip("-")
    if folder.exists():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as unfinished:
        install = [npm, "install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", *PACKAGES]
        installed = subprocess.run(install, cwd=unfinished, capture_output=True, text=True, check=False)
        if installed.returncode and _OFFLINE.search(installed.stderr):
            raise Missing("the compiler has to be fetched, and there is no network here")
        assert installed.returncode == 0, installed.stderr
        made = folder.with_name(f"{folder.name}.{os.getpid()}")
        shutil.copytree(unfinished, made, symlinks=True)
    try:
        made.rename(folder)
    except OSError:  # Somebody else has fetched it meanwhile.
        shutil.rmtree(made)
    return folder


def main() -> int:
    """Print what is wrong; 0 if nothing is, or if the check is not possible here."""
    try:
        checked = type_check()
    except Missing as missing:
        print(f"The types of the JavaScript client were not checked: {missing}.")  # noqa: T201 - it is run by hand and by make
        return 0
    print(checked.stdout, end="")  # noqa: T201 - as above
    return checked.returncode


if __name__ == "__main__":
    sys.exit(main())
