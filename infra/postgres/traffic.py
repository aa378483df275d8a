"""What the writers of a process do, in all lanes together."""

import time

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

    def committed(self, began: float, appends: int, events: int) -> None:
        """Count a commit that began at a monotonic time."""
        self.commit_seconds.add(time.monotonic() - began)
        self.commit_appends.add(appends)
        self.commit_events += events
