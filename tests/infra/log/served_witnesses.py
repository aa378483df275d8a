"""A witness that really serves, in a thread of its own."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from infra.log.notes import Cosigner, Verifier
from infra.log.witness import Witness
from infra.log.witness_server import serving_witness


@contextmanager
def served_witness(state: Path, cosigner: Cosigner, *logs: Verifier, port: int = 0) -> Iterator[str]:
    """A witness on a port, until the block ends."""
    witness = Witness(state, [cosigner], logs)
    loop, found = asyncio.new_event_loop(), list[str]()
    begun, ended = threading.Event(), asyncio.Event()

    async def serve() -> None:
        async with serving_witness(witness, "127.0.0.1", port) as address:
            found.append(address)
            begun.set()
            await ended.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    assert begun.wait(10)
    try:
        yield found[0]
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
        loop.close()
