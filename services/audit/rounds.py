"""The rounds of a replayed game: which steps they have, where they stand in the log, and who disputes them."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.events import RoundEnded, RoundStarted
from domain.history.replaying import Step
from domain.values import Value
from infra.postgres.log_reader import LogReader
from services.audit.dispute_reader import Dispute, DisputeReader


class PlayedRound(Value, frozen=True, kw_only=True):
    """A round between its first and its last step."""

    number: int
    first_version: int
    last_version: int | None = None
    """None while it goes on."""
    leaf_index: int | None = None
    """None while it is not in the log."""
    disputes: tuple[Dispute, ...] = ()


class Rounds:
    """Tells what is proven and what is disputed of the rounds of a game."""

    def __init__(self, log: LogReader, disputes: DisputeReader) -> None:
        self._log, self._disputes = log, disputes

    async def of(self, game_id: str, steps: Iterable[Step], known_until: int | None) -> list[PlayedRound]:
        """The rounds within some steps, with the disputes that were opened up to a time, if one is named."""
        leaves = {leaf.round: index for index, leaf in await self._log.of_game(game_id) if leaf.round is not None}
        disputed: dict[int, list[Dispute]] = {}
        for dispute in await self._disputes.as_they_stand(game_id):
            if known_until is None or dispute.opened.at <= known_until:
                disputed.setdefault(dispute.opened.round, []).append(dispute)
        return [
            # Of a round whose end is not among the steps, nothing may be told that comes after it.
            one
            if one.last_version is None
            else replace(one, leaf_index=leaves.get(one.number), disputes=tuple(disputed.get(one.number, ())))
            for one in rounds_of(steps)
        ]


def rounds_of(steps: Iterable[Step]) -> list[PlayedRound]:
    """The rounds within some steps."""
    rounds: list[PlayedRound] = []
    for step in steps:
        match step.event:
            case RoundStarted(number=number):
                rounds.append(PlayedRound(number=number, first_version=step.version))
            case RoundEnded():
                rounds[-1] = replace(rounds[-1], last_version=step.version)
            case _:
                pass
    return rounds
