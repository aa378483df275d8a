"""Measures how long the loop works on a request, step by step, and puts it on the bill of its address.

Between two steps a request waits, for the database, a worker or the reader, and costs the loop nothing.
"""

import time
from collections.abc import Callable, Coroutine, Generator
from types import coroutine
from typing import Any

from services.access.loop_share import LoopShare
from services.http.delivery import App, Receive, Send


def billed(app: App, share: LoopShare, address: str) -> App:
    """An application whose work is charged to an address."""

    async def serve(scope: Any, receive: Receive, send: Send) -> None:
        bill = share.bill(address)
        try:
            await _measured(app(scope, receive, send), bill.add)  # type: ignore[arg-type]  # our applications are coroutines
        finally:
            bill.close()

    return serve


@coroutine
def _measured(work: Coroutine[Any, Any, None], add: Callable[[float], None]) -> Generator[Any, Any, None]:
    """Do some work, and add up the processor's time for each of its steps."""
    failure: BaseException | None = None
    while True:
        began = time.thread_time()
        try:
            awaited = work.send(None) if failure is None else work.throw(failure)
        except StopIteration:
            return
        finally:
            add(time.thread_time() - began)
        failure = None
        try:
            yield awaited
        except BaseException as error:  # noqa: BLE001 - also a cancellation is for the work
            failure = error
