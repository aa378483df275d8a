"""Compression: chooses the encoding that a reader accepts, and compresses answers whole or piece by piece."""

import gzip
import zlib
from collections.abc import Callable
from typing import Protocol

import zstandard

_GZIP_LEVEL = 6
_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_ZSTD_LEVEL = 3


class Compressor(Protocol):
    """Compresses a stream, in memory that does not grow."""

    def compress(self, data: bytes, /) -> bytes:
        """Take more data, and return the bytes that can be sent now; often none."""

    def flush(self) -> bytes:
        """The bytes that are left at the end."""


WHOLE: dict[str, Callable[[bytes], bytes]] = {
    "zstd": lambda body: zstandard.ZstdCompressor(level=_ZSTD_LEVEL).compress(body),
    "gzip": lambda body: gzip.compress(body, _GZIP_LEVEL, mtime=0),
}
"""The encodings, the one that we prefer first."""

STREAMED: dict[str, Callable[[], Compressor]] = {
    "zstd": lambda: zstandard.ZstdCompressor(level=_ZSTD_LEVEL).compressobj(),
    "gzip": lambda: zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, _GZIP_WINDOW),
}


def chosen(accepted: str) -> str | None:
    """The best encoding for this `Accept-Encoding` header; None for no compression."""
    weights = dict(_weighed(part) for part in accepted.split(",") if part.strip())
    liked = {name: weights.get(name, weights.get("*", 0.0)) for name in WHOLE}
    best = max(liked, key=lambda name: liked[name])
    return best if liked[best] > 0 else None


def _weighed(part: str) -> tuple[str, float]:
    name, _, parameter = part.partition(";")
    key, _, weight = parameter.partition("=")
    try:
        return name.strip().lower(), float(weight) if key.strip().lower() == "q" else 1.0
    except ValueError:
        return name.strip().lower(), 0.0
