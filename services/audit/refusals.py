"""Why an audit or a dispute was not possible."""

from domain.refusals import Refusal


class RoundNotOver(Refusal):
    """Round {round} of game {game_id} is not over, or there is none; what is under the cups can't be audited yet."""


class GameNotOverYet(Refusal):
    """Game {game_id} is not over; audit one of its rounds that are."""


class LogBehind(Refusal):
    """The log has not taken in the end of this round yet; ask again in a moment."""


class NoCheckpoint(Refusal):
    """There is no such checkpoint: a size between two of them has none, and an empty log has none at all."""


class SizesNotInLog(Refusal):
    """The log has {size} leaves; there is no proof from {old_size} to {new_size}."""


class NothingToDispute(Refusal):
    """Round {round} of game {game_id} ended without a challenge, so there is no result to dispute."""


class AlreadyDisputed(Refusal):
    """Seat {seat} has disputed round {round} already."""


class NoSuchDispute(Refusal):
    """Seat {seat} has not disputed round {round} of game {game_id}."""


class ExaminationImpossible(Refusal):
    """The log can't prove this round now, so nothing is ruled ({check}): {finding}"""


class DisputeClosed(Refusal):
    """This dispute is closed."""


class PracticeGame(Refusal):
    """Game {game_id} is a practice game: up to step {forked_version} its dice are copied from game {forked_from}, so nothing about them can be proven here; ask for an audit of that game."""
