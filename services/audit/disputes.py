"""Disputes about results: a player opens one, the server examines the round again and rules at once, auditors close it.

The examination gives a bundle of the stored events to the verifier, which shares no code with the module that resolved
the challenge. If the server stops between the opening and the ruling, the next call that reads the dispute makes the
ruling.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from eventsourcing.persistence import StoredEvent

from domain.events import AnyEvent, ChallengeResolved, RoundEnded, RoundStarted
from domain.naming import is_reason
from domain.refusals import ReasonInvalid, RequestIdReused
from infra.events.mapping import GameEvent
from infra.postgres.failures import VersionConflict
from infra.postgres.store import EventStore
from services.audit.audits import check_provable
from services.audit.dispute_events import (
    AnyDisputeEvent,
    DisputeAnnotated,
    DisputeEnded,
    DisputeOpened,
    DisputeRuled,
    RoundExamined,
    dispute_stream,
)
from services.audit.dispute_reader import MAPPER, Dispute, DisputeReader
from services.audit.examination import Examination
from services.audit.refusals import (
    AlreadyDisputed,
    DisputeClosed,
    ExaminationImpossible,
    NoSuchDispute,
    NothingToDispute,
    RoundNotOver,
)
from services.tables.host import GameHost
from services.tables.requests import Asked
from services.tables.seats import seat_of

_TRIES_MAX = 8
_OF_THE_LOG = frozenset(("leaf", "inclusion", "checkpoint"))
_NOTHING_FOUND = "Everything that was checked holds; the result stands."


Decide = Callable[["dict[tuple[int, int], Dispute]"], AnyDisputeEvent]
Examine = Callable[[str, int, str], Awaitable[Examination]]
"""Examines a round of a game, for the player who disputes it."""


class Disputes:
    """The disputes of a store."""

    def __init__(self, store: EventStore, examine: Examine, host: GameHost) -> None:
        self._store, self._examine_round, self._host = store, examine, host
        self._reader = DisputeReader(store)

    async def open(self, asked: Asked, round_number: int, reason: str) -> Dispute:
        """Dispute the result of a round, for the caller's seat."""
        _check_text(reason)
        state, _ = await self._host.games.load(asked.game_id)
        seat = seat_of(state, asked.game_id, asked.caller.player_id)
        check_provable(asked.game_id, (await self._host.tables.load(asked.game_id)).opened)
        _check_resolved(asked.game_id, round_number, await self._host.games.events(asked.game_id))

        def opening(disputes: dict[tuple[int, int], Dispute]) -> AnyDisputeEvent:
            if (round_number, seat) in disputes:
                raise AlreadyDisputed(round=round_number, seat=seat)
            return DisputeOpened(
                at=self._host.now(), round=round_number, seat=seat, player_id=asked.caller.player_id, reason=reason
            )

        await self._append(asked, opening)
        return await self.find(asked.game_id, round_number, seat)

    async def annotate(self, asked: Asked, round_number: int, seat: int, text: str) -> Dispute:
        """Add an auditor's remark."""
        return await self._remark(asked, round_number, seat, text, DisputeAnnotated)

    async def close(self, asked: Asked, round_number: int, seat: int, text: str) -> Dispute:
        """Close a dispute with an auditor's last remark."""
        return await self._remark(asked, round_number, seat, text, DisputeEnded)

    async def find(self, game_id: str, round_number: int, seat: int) -> Dispute:
        """A dispute, with its ruling."""
        for dispute in await self.of_game(game_id):
            if (dispute.opened.round, dispute.opened.seat) == (round_number, seat):
                return dispute
        raise NoSuchDispute(game_id=game_id, round=round_number, seat=seat)

    async def of_game(self, game_id: str) -> list[Dispute]:
        """The disputes about a game, each with its ruling."""
        disputes, _ = await self._reader.read(game_id)
        if any(dispute.ruled is None for dispute in disputes.values()):
            for dispute in disputes.values():
                if dispute.ruled is None:
                    await self._examine(game_id, dispute)
            disputes, _ = await self._reader.read(game_id)
        return list(disputes.values())

    async def _remark(
        self, asked: Asked, round_number: int, seat: int, text: str, kind: type[DisputeAnnotated | DisputeEnded]
    ) -> Dispute:
        _check_text(text)
        await self.find(asked.game_id, round_number, seat)  # It makes the ruling, if there is none yet.

        def remarking(disputes: dict[tuple[int, int], Dispute]) -> AnyDisputeEvent:
            if disputes[round_number, seat].ended is not None:
                raise DisputeClosed
            return kind(
                at=self._host.now(), round=round_number, seat=seat, auditor_id=asked.caller.player_id, text=text
            )

        await self._append(asked, remarking)
        return await self.find(asked.game_id, round_number, seat)

    async def _examine(self, game_id: str, dispute: Dispute) -> None:
        """Examine a round again and rule on it, unless another process has ruled meanwhile."""
        round_number, seat = dispute.opened.round, dispute.opened.seat
        found = await self._examine_round(game_id, round_number, dispute.opened.player_id)
        if found.check in _OF_THE_LOG:
            # A fault of the log says nothing about the round, so there is no ruling.
            raise ExaminationImpossible(check=found.check, finding=found.finding)
        examined = RoundExamined(
            at=self._host.now(),
            round=round_number,
            seat=seat,
            failed=found.check or None,
            finding=found.finding or _NOTHING_FOUND,
            proven=() if found.report is None else tuple(found.report.proven),
            not_proven=() if found.report is None else tuple(found.report.not_proven),
        )
        ruled = DisputeRuled(at=self._host.now(), round=round_number, seat=seat, stands=found.report is not None)
        for _ in range(_TRIES_MAX):
            disputes, version = await self._reader.read(game_id)
            if disputes[round_number, seat].ruled is not None:
                return
            with suppress(VersionConflict):
                await self._store.append(
                    self._stored(game_id, version, (examined, ruled)),
                    f"{dispute_stream(game_id)}:ruling:{round_number}:{seat}",
                    at_once=False,
                )
                return
        raise VersionConflict(streams=dispute_stream(game_id))

    async def _append(self, asked: Asked, decide: Decide) -> None:
        stream = dispute_stream(asked.game_id)
        request = f"{stream}/{asked.caller.player_id}:{asked.request_id}"
        known = await self._store.find_request(stream, request)
        if known is not None:
            if known.fingerprint != asked.fingerprint:
                raise RequestIdReused(request_id=asked.request_id)
            return
        for _ in range(_TRIES_MAX):
            disputes, version = await self._reader.read(asked.game_id)
            stored = self._stored(asked.game_id, version, (decide(disputes),))
            with suppress(VersionConflict):
                await self._store.append(stored, request, asked.fingerprint, at_once=False)
                return
        raise VersionConflict(streams=stream)

    def _stored(self, game_id: str, version: int, events: Sequence[AnyDisputeEvent]) -> list[StoredEvent]:
        stream = dispute_stream(game_id)
        return [
            MAPPER.to_stored_event(GameEvent(stream, number, event))  # type: ignore[arg-type]  # see MAPPER
            for number, event in enumerate(events, version + 1)
        ]


def _check_text(text: str) -> None:
    if not is_reason(text):
        raise ReasonInvalid(reason=text)


def _check_resolved(game_id: str, round_number: int, events: Sequence[AnyEvent]) -> None:
    """Refuse a round without a challenge: it has no result to dispute."""
    current, resolved = 0, False
    for event in events:
        match event:
            case RoundStarted(number=number):
                current, resolved = number, False
            case ChallengeResolved():
                resolved = True
            case RoundEnded(number=number) if number == round_number == current:
                if not resolved:
                    raise NothingToDispute(game_id=game_id, round=round_number)
                return
    raise RoundNotOver(game_id=game_id, round=round_number)
