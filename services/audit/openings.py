"""Opening the commitments of ended rounds: with the keys, and only up to the end of a round or a game."""

import logging
from collections.abc import Sequence

from domain.events import GameAbandoned, GameEnded, RoundEnded
from domain.refusals import Refusal
from infra.events.mapping import EventMapper
from infra.events.upcasting import TOPICS
from infra.portions import in_portions
from infra.postgres.event_reader import EventReader
from infra.postgres.lanes import lane_of
from infra.postgres.log_reader import Openings

LEAF_TOPICS = frozenset((RoundEnded.TOPIC, GameEnded.TOPIC, GameAbandoned.TOPIC))
"""The events that end a round or a game; by then the cups are lifted, however it ended (R10, R17)."""

_LOG = logging.getLogger(__name__)

End = tuple[str, int]
"""The game and the version of an event that ends a round or a game."""


class Opener:
    """Opens sealed secrets."""

    def __init__(self, store: EventReader, mapper: EventMapper) -> None:
        """The mapper must have the keys."""
        self._store, self._mapper = store, mapper

    async def opened(self, ends: Sequence[End]) -> dict[End, Openings]:
        """The openings of the commitments between each end and the one before it.

        An end with a seal that does not open is left out, because it must not stop the log of all other games. The check
        of the store reports it.
        """
        lanes: dict[int, list[End]] = {}
        for end in ends:
            lanes.setdefault(lane_of(end[0], self._store.lanes), []).append(end)
        found: dict[End, Openings] = {end: {} for end in ends}
        for lane, theirs in lanes.items():
            covered = await self._store.read_covered(lane, theirs, LEAF_TOPICS, TOPICS.with_secrets)
            async for version, event in in_portions(covered):
                end = (str(event.originator_id), version)
                try:
                    opening = self._mapper.opening(event)
                except (Refusal, ValueError) as error:
                    _LOG.error(
                        "event %d of game %s does not open: %s", event.originator_version, end[0], type(error).__name__
                    )
                    found.pop(end, None)
                    continue
                if opening is not None and end in found:
                    found[end][event.originator_version] = opening
        return found
