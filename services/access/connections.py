"""Places for connections: so many in all, and so many for one address."""

from collections import Counter

from services.access.refusals import TooManyConnections

IN_ALL_MAX = 2_000
"""Each connection takes memory, so there are not more of them even if there are descriptors for more."""
PER_ADDRESS_MAX = 200
"""A school class behind one address fits in. One machine alone can't take all places."""
_KEPT_DESCRIPTORS = 256
"""For the database, for files, and for the listeners themselves."""
_IN_ALL_MIN = 16


class Connections:
    """The connections that are open now; they are counted by the keys of `services.access.address`."""

    def __init__(self, in_all_max: int = IN_ALL_MAX, per_address_max: int = PER_ADDRESS_MAX) -> None:
        """With 0 for `per_address_max` one address may have all places."""
        self._in_all_max, self._per_address_max = in_all_max, per_address_max or in_all_max
        self._of_address: Counter[str] = Counter()
        self.count = 0

    def enter(self, address: str) -> None:
        """Take a place; refused if there is none. Every place that was taken must be left again."""
        if self._of_address[address] >= self._per_address_max:
            raise TooManyConnections(limit=self._per_address_max, whose="from your address", retry_seconds=1)
        if self.count >= self._in_all_max:
            raise TooManyConnections(limit=self._in_all_max, whose="to this server", retry_seconds=1)
        self._of_address[address] += 1
        self.count += 1

    def leave(self, address: str) -> None:
        """Give a place back."""
        self.count -= 1
        self._of_address[address] -= 1
        if not self._of_address[address]:
            del self._of_address[address]


def in_all_max(descriptors: int, listeners: int) -> int:
    """How many connections each of some listeners may have, so that descriptors are left for everything else."""
    return max(_IN_ALL_MIN, min(IN_ALL_MAX, (descriptors - _KEPT_DESCRIPTORS) // listeners))
