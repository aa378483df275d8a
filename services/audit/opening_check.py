"""Checks the stored openings: they open every commitment of the ended rounds, and none of a round that goes on.

A leaf without openings is no difference, because the process that writes the log completes it.
"""

from collections.abc import Callable

from infra.events.evidence import SALT_LENGTH, committed
from infra.postgres.log_reader import Leaf, LogReader, Openings

_AT_ONCE = 500

Commitments = dict[int, bytes]
"""The commitments of a game's events, by version."""


class OpeningCheck:
    """One check of all openings. The caller passes all events of the store, each game's in order."""

    def __init__(self, log: LogReader, report: Callable[[str], None]) -> None:
        self._log, self._report = log, report
        self._open: dict[str, Commitments] = {}
        """The commitments of each game since its last ended round."""
        self._ended: dict[int, tuple[str, Commitments]] = {}

    def met(self, game_id: str, version: int, commitment: bytes) -> None:
        """Note the commitment of an event."""
        self._open.setdefault(game_id, {})[version] = commitment

    def ended(self, leaf: Leaf, index: int | None) -> None:
        """Note the end of a round or a game, with the index of its leaf if it is in the log."""
        commitments = self._open.pop(leaf.game_id, {})
        if index is not None:
            self._ended[index] = leaf.game_id, commitments

    async def check(self, *, rest: bool = False) -> None:
        """Check the ended rounds once there are enough of them; with `rest`, check all that are left."""
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
                self._report(f"A leaf that does not cover {event} has an opening for it.")
            elif opening is None:
                self._report(f"The opening of {event} is missing.")
            elif committed(opening[:SALT_LENGTH], opening[SALT_LENGTH:]) != commitment:
                self._report(f"The stored opening of {event} does not open it.")
