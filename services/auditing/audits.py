"""Audits: what is stored of a round that is over, bundled with its proofs, and checked by the verifier before it is given out."""

from eventsourcing.persistence import StoredEvent

from domain.events import GameAbandoned, GameEnded, RoundEnded
from domain.refusals import NoSuchGame, Refusal
from infra.evidence import split_evidence
from infra.mapping import EventMapper
from services.application import GameApplication
from services.auditing.logbook import Logbook
from services.auditing.refusals import GameNotOverYet, LogBehind, PracticeGame, RoundNotOver
from services.bundles import BundledEvent, Inclusion, write_bundle
from services.hosting.tables import HostedTable

_SECONDS_MAX = 3.0


class Audits:
    """Makes bundles."""

    def __init__(self, games: GameApplication, mapper: EventMapper, logbook: Logbook) -> None:
        """The mapper has the keys: salts of ended rounds are given out."""
        self._games, self._mapper, self._logbook = games, mapper, logbook

    async def bundle(self, game_id: str, round_number: int | None, ended_by: int | None = None) -> bytes:
        """The bundle of a round, or of a whole game, that had ended by a time, if one is named."""
        log = self._logbook.log
        found = await log.find(game_id, round_number)
        if found is None:
            await self._logbook.caught_up(_SECONDS_MAX)
            found = await log.find(game_id, round_number)
        if found is None:
            raise await self._why_not(game_id, round_number)
        index, leaf = found
        latest = await log.checkpoint()
        assert latest is not None, "a leaf comes with a checkpoint"
        size, note = latest
        if index >= size:
            raise LogBehind
        proof = await log.inclusion(index, size)
        stored = (await self._games.stored(game_id))[: leaf.version]
        if ended_by is not None and self._mapper.to_domain_event(stored[-1]).event.at > ended_by:
            raise _not_over(game_id, round_number)
        inclusion = Inclusion(leaf=index, proof=proof, checkpoint=note.decode(), key=self._logbook.keys[0])
        return write_bundle(game_id, round_number, [self._bundled(event) for event in stored], inclusion)

    async def _why_not(self, game_id: str, round_number: int | None) -> Refusal:
        events = await self._games.events(game_id)
        if not events:
            return NoSuchGame()
        last = GameEnded | GameAbandoned
        ended = [event for event in events if isinstance(event, last if round_number is None else RoundEnded)]
        if round_number is not None:
            ended = [event for event in ended if isinstance(event, RoundEnded) and event.number == round_number]
        return LogBehind() if ended else _not_over(game_id, round_number)

    def _bundled(self, stored: StoredEvent) -> BundledEvent:
        public, evidence = split_evidence(stored.state)
        return BundledEvent(
            version=stored.originator_version,
            topic=stored.topic,
            public=public,
            commitment=evidence.commitment,
            opened=self._mapper.opening(stored),
            signed=evidence.signed,
            digest=evidence.digest,
        )


def check_provable(table: HostedTable) -> None:
    """Refuse a practice game: its dice were copied, so nothing that is stored of it proves them."""
    opened = table.opened
    if opened.forked_from is not None:
        fork = {"forked_from": opened.forked_from, "forked_version": opened.forked_version}
        raise PracticeGame(game_id=table.game_id, **fork)


def _not_over(game_id: str, round_number: int | None) -> Refusal:
    return (
        GameNotOverYet(game_id=game_id) if round_number is None else RoundNotOver(game_id=game_id, round=round_number)
    )
