"""Reading disputes. They have no secrets, so every process that may read the store can read them."""

from msgspec import Struct

from infra.events.mapping import EventMapper, EventTranscoder
from infra.postgres.event_reader import EventReader
from services.audit.dispute_events import (
    DISPUTE_TOPICS,
    AnyDisputeEvent,
    DisputeAnnotated,
    DisputeEnded,
    DisputeOpened,
    DisputeRuled,
    RoundExamined,
    dispute_stream,
)

MAPPER = EventMapper(EventTranscoder(topics=DISPUTE_TOPICS))
"""A mapper for the events of disputes only; its type says events of games, because the library's mapper has one type."""


class Dispute(Struct, eq=False):
    """A dispute with everything that has happened in it so far."""

    opened: DisputeOpened
    examined: RoundExamined | None = None
    ruled: DisputeRuled | None = None
    remarks: tuple[DisputeAnnotated, ...] = ()
    ended: DisputeEnded | None = None

    def then(self, event: AnyDisputeEvent) -> None:
        """Add the next event."""
        match event:
            case RoundExamined():
                self.examined = self.examined or event
            case DisputeRuled():
                self.ruled = self.ruled or event
            case DisputeAnnotated():
                self.remarks = (*self.remarks, event)
            case DisputeEnded():
                self.ended = self.ended or event
            case DisputeOpened():
                raise AssertionError("a seat disputes a round once")


class DisputeReader:
    """The disputes of a store, for reading."""

    def __init__(self, store: EventReader) -> None:
        self._store = store

    async def as_they_stand(self, game_id: str) -> list[Dispute]:
        """The disputes about a game, with or without a ruling; this examines nothing."""
        disputes, _ = await self.read(game_id)
        return list(disputes.values())

    async def read(self, game_id: str) -> tuple[dict[tuple[int, int], Dispute], int]:
        """The disputes about a game by round and seat, and the version of their stream."""
        stored = await self._store.read_stream(dispute_stream(game_id))
        disputes: dict[tuple[int, int], Dispute] = {}
        for one in stored:
            event: AnyDisputeEvent = MAPPER.to_domain_event(one).event  # type: ignore[assignment]  # see MAPPER
            if isinstance(event, DisputeOpened):
                disputes[event.round, event.seat] = Dispute(event)
            else:
                disputes[event.round, event.seat].then(event)
        return disputes, len(stored)
