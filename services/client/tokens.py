"""Where a person's tokens are remembered between games: one file, for its owner's eyes only."""

import os
import tempfile
from pathlib import Path

import msgspec

from domain.refusals import Malformed

_Tokens = dict[str, dict[str, str]]


class TokenFile:
    """The tokens of a person: at each server one for each name, the one used last at the end."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def token(self, address: str, name: str | None = None) -> str | None:
        """The token for a server, as the player of that name or as whoever was played last; None if there is none."""
        named = self._read().get(address, {})
        return named.get(name) if name is not None else next(reversed(named.values()), None)

    def keep(self, address: str, name: str, token: str) -> None:
        """Remember a token, as the one used last."""
        tokens = self._read()
        named = tokens.setdefault(address, {})
        named.pop(name, None)
        named[name] = token
        self._write(tokens)

    def _read(self) -> _Tokens:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=_Tokens)
        except FileNotFoundError:
            return {}
        except msgspec.MsgspecError as error:
            raise Malformed(what=f"file of tokens ({self._path})", problem=str(error)) from None

    def _write(self, tokens: _Tokens) -> None:
        """The file appears whole, and was never readable for others."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, unfinished = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(tokens)) + b"\n")
            Path(unfinished).replace(self._path)
        finally:
            Path(unfinished).unlink(missing_ok=True)
