"""Messages between the server and its workers: a length, then a pickled value.

Both ends are this program, connected by a pair of sockets that nobody else can open. So pickling is safe here, and
functions travel by their names.
"""

import asyncio
import pickle
from typing import Any

_LENGTH_BYTES = 8


async def send(writer: asyncio.StreamWriter, value: Any) -> None:
    """Send a value, and wait while the other end is slow to take it."""
    frame = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    writer.write(len(frame).to_bytes(_LENGTH_BYTES))
    writer.write(frame)
    await writer.drain()


async def receive(reader: asyncio.StreamReader) -> Any:
    """The next value; raises `EOFError` if the other end is gone."""
    try:
        length = int.from_bytes(await reader.readexactly(_LENGTH_BYTES))
        return pickle.loads(await reader.readexactly(length))  # noqa: S301 - only this program writes here
    except (asyncio.IncompleteReadError, ConnectionError):
        raise EOFError from None
