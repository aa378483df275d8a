"""A bound on memory for a part of a test, so that what would take too much fails here and hurts nobody else."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_MEBIBYTE = 1024 * 1024


@contextmanager
def memory_growth_max(mebibytes: int) -> Iterator[None]:
    """Let the process take at most so much more memory; beyond that comes a MemoryError."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + mebibytes * _MEBIBYTE, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
