"""How many streams may be open at once: for one caller, for one address, and in the whole process."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from services.access.payer import Payer
from services.access.refusals import StreamsTooMany

_ADDRESS_SHARES = 10
_PROCESS_SHARES = 200


class OpenStreams:
    """Counts open streams, and refuses one too many."""

    def __init__(self, of_caller: int, *, by_address: bool = True) -> None:
        """A caller may have so many, an address ten times, the process two hundred times as many; 0 for no limit.

        Without `by_address` only players and the process have limits: behind a proxy all callers have the same address.
        """
        self._by_address = by_address
        self._limits = {"caller": of_caller, "address": of_caller * _ADDRESS_SHARES, "": of_caller * _PROCESS_SHARES}
        self._open: Counter[tuple[str, str]] = Counter()

    @property
    def count(self) -> int:
        """How many streams are open."""
        return self._open["", ""]

    def check(self, payer: Payer) -> None:
        """Refuse one more stream if there are too many."""
        for key in self._keys(payer):
            limit = self._limits[key[0]]
            if limit and self._open[key] >= limit:
                raise StreamsTooMany(limit=limit)

    @contextmanager
    def opened(self, payer: Payer) -> Iterator[None]:
        """Count a stream while the block runs; refuse it if there are too many."""
        self.check(payer)
        self._open.update(self._keys(payer))
        try:
            yield
        finally:
            self._open.subtract(self._keys(payer))
            for key in self._keys(payer):
                if not self._open[key]:
                    del self._open[key]

    def _keys(self, payer: Payer) -> list[tuple[str, str]]:
        keys = [("", "")]
        if self._by_address or not payer.is_stranger:
            keys.append(("caller", payer.caller))
        if self._by_address:
            keys.append(("address", payer.address))
        return keys
