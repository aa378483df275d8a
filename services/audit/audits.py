"""Audits: the stored events of an ended round, bundled with their proofs. This needs no key.

The process that writes the log has stored the openings of ended rounds in the clear; nothing here reads any other secret.
"""

from functools import partial
from typing import Protocol

from eventsourcing.persistence import StoredEvent

from domain.events import GameAbandoned, GameEnded, RoundEnded
from domain.refusals import NoSuchGame, Refusal
from infra.events.evidence import split_evidence
from infra.events.mapping import read_without_keys
from infra.portions import collected
from infra.postgres.event_reader import EventReader
from infra.postgres.log_reader import LogReader, Openings
from infra.workers.meter import touched
from services.audit.bundle import BundledEvent, Inclusion, write_bundle
from services.audit.published_log import PublishedLog
from services.audit.refusals import GameNotOverYet, LogBehind, PracticeGame, RoundNotOver


class Forked(Protocol):
    """What says whether a game is a practice game: its table, or its listing."""

    @property
    def forked_from(self) -> str | None:
        """The game it was made from."""

    @property
    def forked_version(self) -> int | None:
        """The step it was made from."""


class Audits:
    """Makes bundles."""

    def __init__(self, store: EventReader, log: LogReader) -> None:
        self._store, self._log = store, log
        self._published = PublishedLog(log)

    async def bundle(self, game_id: str, round_number: int | None, ended_by: int | None = None) -> bytes:
        """The bundle of a round or of a whole game; it must have ended by the time `ended_by`, if that is given."""
        found = await self._log.find(game_id, round_number)
        if found is None:
            raise await self._why_not(game_id, round_number, ended_by)
        index, leaf = found
        # By version and not by count: if the store has lost events, a count would include events after the end.
        stored = [event for event in await self._store.read_stream(game_id) if event.originator_version <= leaf.version]
        touched(len(stored))
        # Before anything else is said of it: even that the log is behind would say that the round is over.
        if ended_by is not None and _at(stored) > ended_by:
            raise _not_over(game_id, round_number)
        known, openings = await self._published.best_for(index), await self._log.openings(leaf.game_id, leaf.version)
        if known is None or openings is None:
            raise LogBehind
        proof = await self._log.inclusion(index, known.size)
        inclusion = Inclusion(leaf=index, proof=proof, checkpoint=known.note.decode(), key=known.keys[0])
        bundled = await collected(map(partial(_bundled, openings), stored))
        return write_bundle(game_id, round_number, bundled, inclusion)

    async def _why_not(self, game_id: str, round_number: int | None, ended_by: int | None) -> Refusal:
        events = [read_without_keys(one.topic, one.state)[0] for one in await self._store.read_stream(game_id)]
        if not events:
            return NoSuchGame()
        last = GameEnded | GameAbandoned
        ended = [event for event in events if isinstance(event, last if round_number is None else RoundEnded)]
        if round_number is not None:
            ended = [event for event in ended if isinstance(event, RoundEnded) and event.number == round_number]
        known = [event for event in ended if ended_by is None or event.at <= ended_by]
        return LogBehind() if known else _not_over(game_id, round_number)


def check_provable(game_id: str, game: Forked) -> None:
    """Refuse a practice game: its dice were copied from another game, so its own events can't prove them."""
    if game.forked_from is not None:
        raise PracticeGame(game_id=game_id, forked_from=game.forked_from, forked_version=game.forked_version)


def _bundled(openings: Openings, stored: StoredEvent) -> BundledEvent:
    public, evidence = split_evidence(stored.state)
    return BundledEvent(
        version=stored.originator_version,
        topic=stored.topic,
        public=public,
        commitment=evidence.commitment,
        opened=openings.get(stored.originator_version),
        signed=evidence.signed,
        digest=evidence.digest,
    )


def _at(stored: list[StoredEvent]) -> int:
    """The time of the last of some events."""
    return read_without_keys(stored[-1].topic, stored[-1].state)[0].at


def _not_over(game_id: str, round_number: int | None) -> Refusal:
    return (
        GameNotOverYet(game_id=game_id) if round_number is None else RoundNotOver(game_id=game_id, round=round_number)
    )
