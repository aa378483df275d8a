"""Check a bundle on the command line: `python -I path/to/verifier FILE`, wherever the folder was copied to.

If all checks hold, it prints the report as JSON and exits with 0. Otherwise it prints the first check that fails and
exits with 1. If the file can't be read or the arguments make no sense, it exits with 2.
"""

import argparse
import json
import sys
from dataclasses import asdict
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import NoReturn

NOT_PROVEN = 1


class _Parser(argparse.ArgumentParser):
    """A parser that quotes what it does not understand in a printable form."""

    def error(self, message: str) -> NoReturn:
        """Print why the arguments make no sense, and exit."""
        super().error("".join(one if one.isprintable() else ascii(one)[1:-1] for one in message))


def main(verifier: ModuleType) -> int:
    """Check the bundle that the arguments name; the exit code says whether everything in it holds."""
    parser = _parser()
    arguments = parser.parse_args()
    limit = verifier.BUNDLE_BYTES_MAX + 1  # One byte more shows that the file is too large.
    data = _content(parser, arguments.file, limit)
    receipts = None if arguments.receipts is None else _content(parser, arguments.receipts, limit)
    try:
        report = verifier.verify(
            data, arguments.public_key, arguments.witness_key, receipts=receipts, receipt_keys=arguments.receipt_key
        )
    except verifier.Failed as failed:
        print(_printable({"failed": failed.check, "sentence": failed.sentence}))
        return NOT_PROVEN
    print(_printable(asdict(report)))
    return 0


def _content(parser: argparse.ArgumentParser, path: Path, limit: int) -> bytes:
    """What a file begins with."""
    try:
        with path.open("rb") as file:
            return file.read(limit)
    except (OSError, ValueError) as error:
        parser.error(f"can't read {path}: {getattr(error, 'strerror', None) or error}")


def _printable(value: object) -> str:
    """The value as JSON in printable ASCII, so that nothing in a bundle can draw on a terminal."""
    return json.dumps(value).replace("\x7f", "\\u007f")


def _parser() -> argparse.ArgumentParser:
    """The arguments of the command line."""
    parser = _Parser(prog="verifier", description="Checks a bundle and prints what it proves, as JSON.")
    parser.add_argument("file", metavar="FILE", type=Path, help="the bundle")
    parser.add_argument("--public-key", metavar="KEY", help="the server's key; the bundle's own if none is given")
    parser.add_argument(
        "--witness-key", metavar="KEY", action="append", default=[], help="a witness that must have seen the checkpoint"
    )
    parser.add_argument("--receipts", metavar="FILE", type=Path, help="the receipts of a player for the same game")
    parser.add_argument(
        "--receipt-key", metavar="KEY", action="append", default=[], help="an older key of the log that signed receipts"
    )
    return parser


def _package() -> ModuleType:
    """The package that this file belongs to.

    `python -m` has imported it already. `python FOLDER` has not: it has put the folder itself on the path. Then we load
    the package from the folder, and take the folder off the path again.
    """
    if __package__:
        return import_module(__package__)
    sys.path.pop(0)
    folder = Path(__file__).parent
    spec = spec_from_file_location("verifier", folder / "__init__.py", submodule_search_locations=[str(folder)])
    assert spec is not None
    assert spec.loader is not None
    package = module_from_spec(spec)
    sys.modules["verifier"] = package
    spec.loader.exec_module(package)
    return package


if __name__ == "__main__":
    sys.exit(main(_package()))
