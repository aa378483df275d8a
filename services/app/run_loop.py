"""How a command that needs an event loop is run: to its end, also when it is told to stop."""

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
    """Run the work; SIGTERM, like Ctrl-C, cancels it, so that what it opened is closed before the program ends."""
    _collect_rarely()
    before = signal.getsignal(signal.SIGTERM)
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            return runner.run(_until_terminated(work))
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


def _collect_rarely() -> None:
    """Let the collector of cycles pass over what is loaded, which stays, and look less often at the rest.

    Neither serving nor projecting makes many cycles, and both hold many objects that it looks at in vain: it took a
    tenth of a busy server's time, and more of a projector's.
    """
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """What makes the event loop: uvloop, which takes less of a server's time, where there is one for the system."""
    if sys.platform == "win32":
        return None
    import uvloop  # noqa: PLC0415 - it is not there on every system

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
