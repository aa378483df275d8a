"""Packages from npm that only tests use. They are fetched once, and kept outside of the repository."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

_OFFLINE = re.compile(r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH")


class Missing(Exception):  # noqa: N818 - it reads as a sentence
    """Something is not here that a test needs."""


def node_modules(*packages: str) -> Path:
    """The folder `node_modules` with these packages, each with its version; raises Missing where they can't be had."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise Missing("Node.js is not installed")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "liarsdice"
    folder = cache / re.sub(r"[^\w.]+", "-", "-".join(packages)).strip("-")
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        _fetch(npm, packages, folder)
    return folder / "node_modules"


def _fetch(npm: str, packages: tuple[str, ...], folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent) as unfinished:
        install = [npm, "install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", *packages]
        installed = subprocess.run(install, cwd=unfinished, capture_output=True, text=True, check=False)
        if installed.returncode and _OFFLINE.search(installed.stderr):
            raise Missing("packages have to be fetched, and there is no network here")
        assert installed.returncode == 0, installed.stderr
        made = folder.with_name(f"{folder.name}.{os.getpid()}")
        shutil.copytree(unfinished, made, symlinks=True)
    try:
        made.rename(folder)
    except OSError:  # Somebody else has fetched them meanwhile.
        shutil.rmtree(made)
