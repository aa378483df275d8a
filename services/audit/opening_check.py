"""Checks what is stored to open commitments of ended rounds: it opens them, all of them, and nothing of a round that goes on.

Leaves without openings are no difference: the process that keeps the log completes them.
"""

from collections.abc import Callable

from infra.events.evidence import SALT_LENGTH, committed
from infra.postgres.log_reader import Leaf, LogReader, Openings

_AT_ONCE = 500

Commitments = dict[int, bytes]
"""Those of events of one game, by their versions."""


class OpeningCheck:
    """One check of all openings, while the events of a store pass by in the order of their games."""

    def __init__(self, log: LogReader, tell: Callable[[str], None]) -> None:
        self._log, self._tell = log, tell
        self._open: dict[str, Commitments] = {}
        """Those since the last end of each game."""
        self._ended: dict[int, tuple[str, Commitments]] = {}

    def met(self, game_id: str, version: int, commitment: bytes) -> None:
        """Take in the commitment of an event."""
        self._open.setdefault(game_id, {})[version] = commitment

    def ended(self, leaf: Leaf, index: int | None) -> None:
        """Take in the end of a round or a game, with the index of its leaf if it is in the log."""
        commitments = self._open.pop(leaf.game_id, {})
        if index is not None:
            self._ended[index] = leaf.game_id, commitments

    async def check(self, *, rest: bool = False) -> None:
        """Check those that have ended, once there are enough of them or when it is the rest."""
        if len(self._ended) < _AT_ONCE and not rest:
            return
        ended, self._ended = self._ended, {}
        for index, openings in (await self._log.openings_of(list(ended))).items():
            self._check(*ended[index], openings)

    def _check(self, game_id: str, commitments: Commitments, openings: Openings) -> None:
        for version in sorted(commitments.keys() | openings.keys()):
            event = f"event {version} of game {game_id}"
            opening, commitment = openings.get(version), commitments.get(version)
            if commitment is None:
                self._tell(f"Something is stored to open {event} with a leaf that does not cover it.")
            elif opening is None:
                self._tell(f"What opens {event} is missing.")
            elif committed(opening[:SALT_LENGTH], opening[SALT_LENGTH:]) != commitment:
                self._tell(f"What is stored to open {event} does not open it.")
