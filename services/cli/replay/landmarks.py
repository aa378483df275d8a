"""The places in a game to which a person may jump: where its rounds begin, and its challenges."""

from domain.events import BidChallenged
from domain.values import Value
from services.client import PastSteps


class Landmarks(Value, frozen=True):
    """The steps with which rounds begin, by the number of the round, and the steps of challenges."""

    rounds: dict[int, int]
    challenges: tuple[int, ...]

    def round_after(self, step: int) -> int | None:
        """The beginning of the next round; None in the last."""
        return next((begins for begins in self.rounds.values() if begins > step), None)

    def round_before(self, step: int) -> int | None:
        """The beginning of this round, or of the one before if the game stands at its beginning."""
        return next((begins for begins in reversed(self.rounds.values()) if begins < step), None)

    def challenge_after(self, step: int) -> int | None:
        """The next challenge."""
        return next((at for at in self.challenges if at > step), None)

    def challenge_before(self, step: int) -> int | None:
        """The challenge before."""
        return next((at for at in reversed(self.challenges) if at < step), None)


def landmarks_of(game: PastSteps) -> Landmarks:
    """The places in a game."""
    challenges = (step.version for step in game.steps if isinstance(step.event, BidChallenged))
    return Landmarks({played.number: played.first_version for played in game.rounds}, tuple(challenges))
