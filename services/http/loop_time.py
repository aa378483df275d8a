"""Measures how long the loop works on a request, step by step.

Between two steps a request waits, for the database, a worker or the reader, and costs the loop nothing.
"""

import time
from collections.abc import Callable, Coroutine, Generator
from types import coroutine
from typing import Any


@coroutine
def measured(work: Coroutine[Any, Any, None], add: Callable[[float], None]) -> Generator[Any, Any, None]:
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
