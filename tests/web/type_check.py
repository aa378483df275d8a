"""Checks the types of the page and of its client: `python -m tests.web.type_check`, which needs Node and, once, a network."""

import subprocess
import sys
from pathlib import Path

from tests.npm_packages import Missing, node_modules

CONFIG = Path(__file__).parent / "tsconfig.json"
PACKAGES = ("typescript@5.9.3", "@types/node@20.19.43")


def type_check() -> subprocess.CompletedProcess[str]:
    """What the compiler says; raises Missing where it can't be had."""
    modules = node_modules(*PACKAGES)
    types = ("--typeRoots", str(modules / "@types"))
    command = ["node", str(modules / "typescript" / "bin" / "tsc"), "-p", str(CONFIG), *types]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main() -> int:
    """Print what is wrong; 0 if nothing is, or if the check is not possible here."""
    try:
        checked = type_check()
    except Missing as missing:
        print(f"The types of the JavaScript were not checked: {missing}.")  # noqa: T201 - it is run by hand and by make
        return 0
    print(checked.stdout, end="")  # noqa: T201 - as above
    return checked.returncode


if __name__ == "__main__":
    sys.exit(main())
