"""Audits: the stored events of an ended round, bundled with their proofs. This needs no key.

The process that writes the log has stored the openings of ended rounds in the clear; nothing here reads any other secret.
"""

from typing import Protocol

from eventsourcing.persistence import StoredEvent

from domain.events import GameAbandoned, GameEnded, RoundEnded
from domain.refusals import NoSuchGame, Refusal
from infra.events.evidence import split_evidence
from infra.events.mapping import read_without_keys
from infra.postgres.event_reader import EventReader
from infra.postgres.log_reader import Leaf, LogReader, Openings
from services.audit.bundle import BundledEvent, Inclusion, write_bundle
from services.audit.logbook import Logbook
from services.audit.published_log import PublishedLog
from services.audit.refusals import GameNotOverYet, LogBehind, PracticeGame, RoundNotOver

_SECONDS_MAX = 3.0


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

    def __init__(self, store: EventReader, log: LogReader, logbook: Logbook | None = None) -> None:
        """The process that writes the log passes its logbook, and waits for it; others refuse with `LogBehind`."""
        self._store, self._log, self._logbook = store, log, logbook
        self._published = PublishedLog(log)

    async def bundle(self, game_id: str, round_number: int | None, ended_by: int | None = None) -> bytes:
        """The bundle of a round or of a whole game; it must have ended by the time `ended_by`, if that is given."""
        index, leaf = await self._found(game_id, round_number)
        latest = await self._published.latest()
        if index >= latest.size or not latest.keys:
            raise LogBehind
        # By version and not by count: if the store has lost events, a count would include events after the end.
        stored = [event for event in await self._store.read_stream(game_id) if event.originator_version <= leaf.version]
        if ended_by is not None and _at(stored) > ended_by:
            raise _not_over(game_id, round_number)
        openings = await self._openings(leaf)
        proof = await self._log.inclusion(index, latest.size)
        inclusion = Inclusion(leaf=index, proof=proof, checkpoint=latest.note.decode(), key=latest.keys[0])
        return write_bundle(game_id, round_number, [_bundled(event, openings) for event in stored], inclusion)

    async def _found(self, game_id: str, round_number: int | None) -> tuple[int, Leaf]:
        found = await self._log.find(game_id, round_number)
        if found is None and self._logbook is not None:
            await self._logbook.caught_up(_SECONDS_MAX)
            found = await self._log.find(game_id, round_number)
        if found is None:
            raise await self._why_not(game_id, round_number)
        return found

    async def _openings(self, leaf: Leaf) -> Openings:
        openings = await self._log.openings(leaf.game_id, leaf.version)
        if openings is None and self._logbook is not None:
            await self._logbook.complete(leaf.game_id)
            openings = await self._log.openings(leaf.game_id, leaf.version)
        if openings is None:
            raise LogBehind
        return openings

    async def _why_not(self, game_id: str, round_number: int | None) -> Refusal:
        events = [read_without_keys(one.topic, one.state)[0] for one in await self._store.read_stream(game_id)]
        if not events:
            return NoSuchGame()
        last = GameEnded | GameAbandoned
        ended = [event for event in events if isinstance(event, last if round_number is None else RoundEnded)]
        if round_number is not None:
            ended = [event for event in ended if isinstance(event, RoundEnded) and event.number == round_number]
        return LogBehind() if ended else _not_over(game_id, round_number)


def check_provable(game_id: str, game: Forked) -> None:
    """Refuse a practice game: its dice were copied from another game, so its own events can't prove them."""
    if game.forked_from is not None:
        raise PracticeGame(game_id=game_id, forked_from=game.forked_from, forked_version=game.forked_version)


def _bundled(stored: StoredEvent, openings: Openings) -> BundledEvent:
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
