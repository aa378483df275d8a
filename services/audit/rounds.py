"""The rounds of a replayed game: their steps, their leaves in the log, and the disputes about them."""

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
    """None while the round goes on."""
    leaf_index: int | None = None
    """None while the log does not have it."""
    disputes: tuple[Dispute, ...] = ()


class Rounds:
    """Finds what is proven and what is disputed about the rounds of a game."""

    def __init__(self, log: LogReader, disputes: DisputeReader) -> None:
        self._log, self._disputes = log, disputes

    async def of(self, game_id: str, steps: Iterable[Step], known_until: int | None) -> list[PlayedRound]:
        """The rounds within some steps, with the disputes opened by the time `known_until`, or all if it is None."""
        leaves = {leaf.round: index for index, leaf in await self._log.of_game(game_id) if leaf.round is not None}
        disputed: dict[int, list[Dispute]] = {}
        for dispute in await self._disputes.as_they_stand(game_id):
            if known_until is None or dispute.opened.at <= known_until:
                disputed.setdefault(dispute.opened.round, []).append(dispute)
        return [
            # The reader has not seen the end of such a round, so its proof and its disputes must stay hidden too.
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
