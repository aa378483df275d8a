"""Strange requests for every route: paths, parameters, headers and methods, with and without tokens, and damaged bytes."""

import asyncio
import re
from random import Random
from typing import Any
from urllib.parse import quote

from tests.rpc.strange_requests import NUMBERS, TEXTS, damaged

METHODS = (*["GET"] * 60, "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH", "TRACE", "XYZ")
HEADERS = (
    *("Accept", "Accept-Encoding", "If-None-Match", "If-Modified-Since", "Last-Event-ID", "Origin", "Range", "Cookie"),
    *("Access-Control-Request-Method", "Expect", "Transfer-Encoding", "Upgrade", "X-Forwarded-For", "Content-Type"),
)
VALUES = (
    *("*", "*/*", "text/plain", "application/json;q=0.1", "gzip", "zstd, gzip;q=0", '"a"', 'W/"a"', "0", "-1", "99999"),
    *("bytes=0-1", "https://a.example", "GET", "100-continue", "chunked", "websocket", "a" * 3_000, "Wed, 21 Oct 2026"),
)
_HEAD_BYTES_MAX = 65_536
_SECONDS_MAX = 60.0
_IN_PATH = re.compile(r"\{[^}]*\}")
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})")
_UNENDED = re.compile(rb"(?i)continue|chunked|upgrade|content-length")
_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")


class FuzzedPaths:
    """Makes one strange request after the other over one connection, or over a new one where the server closed it."""

    def __init__(
        self, address: str, chance: Random, schema: dict[str, Any], tokens: tuple[str, ...], games: tuple[str, ...]
    ) -> None:
        self._address, self._chance, self._tokens, self._games = address, chance, tokens, games
        self._routes = [
            (path, [one["name"] for one in operation["get"].get("parameters", []) if one["in"] == "query"])
            for path, operation in schema["paths"].items()
        ]
        self.sentence = ""
        """The words of the last failure, of which HTTP has none that matter here."""
        self._open: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def one(self) -> tuple[str, str, bytes]:
        """Make a request; returns its route, its status and its bytes."""
        route, parameters = self._chance.choice(self._routes)
        raw = self._raw(self._path(route, parameters))
        # A request that may look like half of one says that nothing more comes, so that the server does not wait for it.
        plain = raw.startswith(b"GET ") and raw.endswith(b"\r\n\r\n") and not _UNENDED.search(raw)
        return route, await self._answer_to(raw, is_whole=plain), raw

    async def _answer_to(self, raw: bytes, *, is_whole: bool = True) -> str:
        """The status of the answer to a request; after one that is not whole the connection ends."""
        try:
            async with asyncio.timeout(_SECONDS_MAX):
                return await self._asked(raw, is_whole=is_whole)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            self._close()
            return "CLOSED"
        except TimeoutError:
            self._close()
            return "NO ANSWER"

    async def _asked(self, raw: bytes, *, is_whole: bool) -> str:
        if self._open is None:
            host, _, port = self._address.rpartition(":")
            self._open = await asyncio.open_connection(host, int(port), limit=_HEAD_BYTES_MAX)
        reader, writer = self._open
        writer.write(raw)
        if not is_whole:
            writer.write_eof()
        await writer.drain()
        head = await reader.readuntil(b"\r\n\r\n")
        status, length = _STATUS.match(head), _LENGTH.search(head)
        if is_whole and length is not None and b"\r\nconnection: close" not in head and not raw.startswith(b"HEAD"):
            await reader.readexactly(int(length[1]))
        else:
            self._close()
        return status[1].decode() if status is not None else "NO STATUS"

    def _close(self) -> None:
        if self._open is not None:
            self._open[1].close()
            self._open = None

    def _path(self, route: str, parameters: list[str]) -> str:
        path = _IN_PATH.sub(lambda _: self._in_path(), route)
        if self._chance.random() < 0.05:
            path = self._chance.choice(
                (path + "/", path + "/a", "/" + path, path.upper(), path.replace("/", "/./", 1), "/%00")
            )
        names = [name for name in parameters if self._chance.random() < 0.5]
        if self._chance.random() < 0.1:
            names.append(self._chance.choice(("a", "", "%00", "page_size", "page_size")))
        query = "&".join(f"{name}={quote(self._value(name), safe='')}" for name in names)
        return f"{path}?{query}" if query else path

    def _in_path(self) -> str:
        if self._chance.random() < 0.8:
            return self._chance.choice((*self._games, "sim.cautious", "1", "2", "7"))
        return quote(self._value(""), safe="")[:4_000]

    def _value(self, name: str) -> str:
        sensible = {
            "format": ("ndjson", "csv", "notation", "json"),
            "rulebook": ("single-hand", "pirates"),
            "result": ("ended", "running"),
            "since": ("2026-01-01", "2026-01-01T00:00:00Z"),
            "until": ("2027-01-01", "0001-01-01", "9999-12-31T23:59:59Z"),
            "player": ("sim.cautious", "sim.calculating"),
            "other": ("sim.cautious", "sim.bluffing"),
            "measure": ("rating", "bids", "wins"),
            "speed": ("1000", "nan", "inf", "1e308"),
            "wait_seconds_max": ("0", "-0", "nan"),
        }
        if self._chance.random() < 0.5:
            return str(self._chance.choice(sensible.get(name, ("true", "1", "0", "10"))))
        return str(self._chance.choice((*TEXTS, *NUMBERS, 2**63, 2**200, "1.5", "true", "null", "[]", "😀" * 50)))

    def _raw(self, path: str) -> bytes:
        """The bytes of a request; now and then they are damaged, or there are some that no request has."""
        lines = [f"{self._chance.choice(METHODS)} {path} HTTP/1.1", "Host: a"]
        token = self._chance.choice((*self._tokens, "", "", "", "ldt_nobody"))
        lines += [f"Authorization: Bearer {token}"] if token else []
        for _ in range(self._chance.choice((0, 0, 0, 1, 3))):
            lines.append(f"{self._chance.choice(HEADERS)}: {self._chance.choice(VALUES)}")
        raw = "\r\n".join((*lines, "", "")).encode()
        return damaged(raw, self._chance) if self._chance.random() < 0.05 else raw
