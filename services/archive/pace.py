"""When each step of a replay is shown."""

from collections.abc import Callable, Sequence


class Pace:
    """Shows the steps of a game in their original rhythm, faster or slower, with long waits cut short.

    It keeps the rest of the wait for the next step as a share of that wait. So a pause or a new speed in the middle of a
    wait neither loses nor repeats any of it.
    """

    def __init__(
        self, times: Sequence[int], first: int, *, speed: float, wait_seconds_max: float, clock: Callable[[], float]
    ) -> None:
        """`times` are those of all steps, in milliseconds; the step `first` is due at once."""
        self._times, self._wait_max, self._clock = times, wait_seconds_max, clock
        self.speed, self.paused = speed, False
        self.next = first
        self._at_once = True
        self._left, self._since = 0.0, clock()

    @property
    def last(self) -> int:
        """The last step."""
        return len(self._times)

    @property
    def is_over(self) -> bool:
        """Whether all steps were shown."""
        return self.next > self.last

    @property
    def version(self) -> int:
        """The step at which the replay stands: the last one shown, or the one that `seek` named."""
        return self.next if self._at_once else self.next - 1

    @property
    def due(self) -> float | None:
        """The time of the clock at which to show the next step; None if there is none or the replay is paused."""
        if self.is_over or (self.paused and not self._at_once):
            return None
        return self._since if self._at_once else self._since + self._left * self._wait_seconds()

    def shown(self) -> None:
        """Note that the next step was shown."""
        self.next += 1
        self._at_once = False
        self._left, self._since = 1.0, self._clock()

    def pause(self) -> None:
        """Stop the time of the replay."""
        self._settle()
        self.paused = True

    def resume(self) -> None:
        """Go on after a pause."""
        self._settle()
        self.paused = False

    def change_speed(self, speed: float) -> None:
        """Go on at another speed."""
        self._settle()
        self.speed = speed

    def seek(self, version: int) -> None:
        """Show another step next, at once."""
        self.next, self._at_once = version, True
        self._since = self._clock()

    def _settle(self) -> None:
        """Subtract the time waited so far from the rest of the wait."""
        now, whole = self._clock(), self._wait_seconds()
        if not self.paused:
            self._left = max(0.0, self._left - (now - self._since) / whole) if whole else 0.0
        self._since = now

    def _wait_seconds(self) -> float:
        if self.is_over or self.next == 1:
            return 0.0
        # The clock of a server may have been set back; the time of a replay never goes back.
        apart = max(0, self._times[self.next - 1] - self._times[self.next - 2]) / 1_000
        return min(apart / self.speed, self._wait_max)
