"""Envelopes: how Connect's streams and gRPC-Web put messages one after the other, and how messages are packed."""

import struct
import zlib
from collections.abc import Iterable, Iterator
from itertools import islice

from domain.refusals import Malformed
from services.access.refusals import EncodingUnknown, MessageTooLarge
from services.rpc.server import MESSAGE_BYTES_MAX

PACKED, END, TRAILERS = 0x01, 0x02, 0x80
"""Flags of an envelope: its content is compressed; it ends a stream of Connect; it holds the trailers of gRPC-Web."""
STREAM_BYTES_MAX = 16 * MESSAGE_BYTES_MAX
"""All requests of a stream together, also once they are unpacked: over HTTP they come before the first answer."""
STREAM_MESSAGES_MAX = 1_000
HEAD_BYTES = 5
"""So many bytes come before the content of an envelope."""
GZIP = "gzip"
_NOT_PACKED = ("", "identity")
_HEAD = struct.Struct("!BI")
_GZIP_WINDOW = 31
"""The number by which zlib knows the format gzip."""


def enveloped(content: bytes, flags: int = 0) -> bytes:
    """An envelope with this content."""
    return _HEAD.pack(flags, len(content)) + content


def contents(raw: bytes, encoding: str) -> Iterator[bytes]:
    """The messages in the envelopes of a request, one after the other.

    Refused if one is broken, too large or packed in an unknown way, and if all together are too many or too large.
    """
    if raw[:1] in (b"{", b"["):
        raise _broken("a stream takes envelopes: a byte of flags, the length in four bytes, and then the message")
    place = count = size = 0
    while place < len(raw):
        count += 1
        if count > STREAM_MESSAGES_MAX:
            raise _broken(f"it has more than {STREAM_MESSAGES_MAX} messages")
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
        content = unpacked(content, encoding or GZIP) if flags & PACKED else content
        size += len(content)
        if size > STREAM_BYTES_MAX:
            raise MessageTooLarge(limit=STREAM_BYTES_MAX)
        yield content
        place += length


def only(messages: Iterable[bytes]) -> Iterator[bytes]:
    """The one message of a request; refused if there is none, or another one."""
    found = list(islice(messages, 2))
    if len(found) != 1:
        raise _broken(f"this method takes one message, and there {'are more' if found else 'is none'}")
    yield found[0]


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
