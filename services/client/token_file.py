"""The file that remembers a person's tokens between games."""

from pathlib import Path

import msgspec

from domain.refusals import Malformed
from services.client.private_file import write_private_json

_Tokens = dict[str, dict[str, str]]


class TokenFile:
    """The tokens of a person: at each server one for each name, the one used last at the end."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def token(self, address: str, name: str | None = None) -> str | None:
        """The token for a server, as the player of that name or as the one played last; None if there is none."""
        named = self._read().get(address, {})
        return named.get(name) if name is not None else next(reversed(named.values()), None)

    def keep(self, address: str, name: str, token: str) -> None:
        """Remember a token, as the one used last."""
        tokens = self._read()
        named = tokens.setdefault(address, {})
        named.pop(name, None)
        named[name] = token
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private_json(self._path, tokens)

    def _read(self) -> _Tokens:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=_Tokens)
        except FileNotFoundError:
            return {}
        except msgspec.MsgspecError as error:
            raise Malformed(what=f"file of tokens ({self._path})", problem=str(error)) from None
