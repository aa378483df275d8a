"""Runs a command in an event loop, and lets it clean up when it has to stop."""

import asyncio
import gc
import signal
import sys
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from infra.failure import TERMINATED

Result = TypeVar("Result")
_OBJECTS_BETWEEN_COLLECTIONS = 20_000


def run_to_its_end(work: Coroutine[Any, Any, Result]) -> Result:
    """Run the work. SIGTERM cancels it, as Ctrl-C does, so that it can close what it has opened."""
    _collect_rarely()
    before = signal.getsignal(signal.SIGTERM)
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            return runner.run(_until_terminated(work))
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


def _collect_rarely() -> None:
    """Make the garbage collector run less often, and skip the modules that are loaded and stay.

    Neither a server nor a projector makes many cycles, and both hold many objects that the collector visits for
    nothing. It took a tenth of a busy server's time, and more of a projector's.
    """
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """The function that makes the event loop: uvloop's, which is faster, or None where there is no uvloop."""
    if sys.platform == "win32":
        return None
    import uvloop  # noqa: PLC0415 - not every system has it

    return uvloop.new_event_loop


async def _until_terminated(work: Coroutine[Any, Any, Result]) -> Result:
    working = asyncio.ensure_future(work)
    terminated = False

    def terminate() -> None:
        nonlocal terminated
        terminated = True
        working.cancel()

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminate)
    try:
        return await working
    except asyncio.CancelledError:
        if terminated:
            raise SystemExit(TERMINATED) from None
        raise
