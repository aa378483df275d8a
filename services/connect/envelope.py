"""Envelopes: how Connect's streams and gRPC-Web put messages one after the other, and how messages are packed."""

import struct
import zlib
from collections.abc import Iterator

from domain.refusals import Malformed
from services.access.refusals import EncodingUnknown, MessageTooLarge
from services.rpc.server import MESSAGE_BYTES_MAX

PACKED, END, TRAILERS = 0x01, 0x02, 0x80
"""Flags of an envelope: its content is compressed; it ends a stream of Connect; it holds the trailers of gRPC-Web."""
GZIP = "gzip"
_NOT_PACKED = ("", "identity")
_HEAD = struct.Struct("!BI")
_GZIP_WINDOW = 31
"""The number by which zlib knows the format gzip."""


def enveloped(content: bytes, flags: int = 0) -> bytes:
    """An envelope with this content."""
    return _HEAD.pack(flags, len(content)) + content


def contents(raw: bytes, encoding: str) -> Iterator[bytes]:
    """The messages in the envelopes of a request; refused if one is broken, too large or packed in an unknown way."""
    place = 0
    while place < len(raw):
        if place + _HEAD.size > len(raw):
            raise _broken("it ends in the middle of an envelope")
        flags, length = _HEAD.unpack_from(raw, place)
        place += _HEAD.size
        if flags & ~PACKED:
            raise _broken(f"an envelope has the flags {flags}")
        if length > MESSAGE_BYTES_MAX:
            raise MessageTooLarge(limit=MESSAGE_BYTES_MAX)
        if place + length > len(raw):
            raise _broken("it ends in the middle of an envelope")
        content = raw[place : place + length]
        yield unpacked(content, encoding or GZIP) if flags & PACKED else content
        place += length


def unpacked(raw: bytes, encoding: str) -> bytes:
    """A message that may be compressed. However small a bomb is packed, no more than one message is unpacked."""
    if encoding in _NOT_PACKED:
        return raw
    if encoding != GZIP:
        raise EncodingUnknown(encoding=ascii(encoding[:32])[1:-1])
    unpacking = zlib.decompressobj(_GZIP_WINDOW)
    try:
        content = unpacking.decompress(raw, MESSAGE_BYTES_MAX + 1)
    except zlib.error:
        raise _broken("it is not packed with gzip, although it says so") from None
    if len(content) > MESSAGE_BYTES_MAX:
        raise MessageTooLarge(limit=MESSAGE_BYTES_MAX)
    if not unpacking.eof:
        raise _broken("it ends in the middle of what is packed")
    return content


def _broken(problem: str) -> Malformed:
    return Malformed(what="body", problem=problem)
