"""What the writers of a process do, in all lanes together."""

import time
from collections.abc import Sequence

from infra.spans import Place, past
from infra.tally import NUMBERS, SECONDS, Spread


class Traffic:
    """The appends that a process is writing now, and the commits that it has made."""

    __slots__ = ("appends", "breaks", "commit_appends", "commit_events", "commit_seconds")

    def __init__(self) -> None:
        self.appends = 0
        """How many are being written now, or wait for their turn."""
        self.breaks = 0
        """How often a commit got no answer, or no connection, and had to be tried again."""
        self.commit_seconds, self.commit_appends, self.commit_events = Spread(SECONDS), Spread(NUMBERS), 0

    def committed(self, began: float, events: int, places: Sequence[Place | None]) -> None:
        """Count a commit that began at a monotonic time, and note it in the trace of each append that it stored."""
        seconds = time.monotonic() - began
        self.commit_seconds.add(seconds)
        self.commit_appends.add(len(places))
        self.commit_events += events
        past("commit", places, seconds, appends=len(places), events=events)
