"""Why an audit or a dispute was not possible."""

from domain.refusals import Refusal


class RoundNotOver(Refusal):
    """Round {round} of game {game_id} is not over, or there is no such round; nobody can audit what is still under the cups."""


class GameNotOverYet(Refusal):
    """Game {game_id} is not over; audit one of its ended rounds instead."""


class LogBehind(Refusal):
    """The log does not have the end of this round yet; ask again in a moment."""


class NoCheckpoint(Refusal):
    """There is no checkpoint of this size: only some sizes have one, and an empty log has none."""


class SizesNotInLog(Refusal):
    """The log has {size} leaves; there is no proof from {old_size} to {new_size}."""


class NothingPublished(Refusal):
    """Nothing of the log is published yet: it is empty, or less than an hour old."""


class NoSuchTile(Refusal):
    """The published log has no such tile; its checkpoint says how many leaves it has."""


class EntriesNotPublished(Refusal):
    """These entries are older than entries without names of games, so only their hashes are published."""


class NothingToDispute(Refusal):
    """Round {round} of game {game_id} ended without a challenge, so there is no result to dispute."""


class AlreadyDisputed(Refusal):
    """Seat {seat} has disputed round {round} already."""


class NoSuchDispute(Refusal):
    """Seat {seat} has not disputed round {round} of game {game_id}."""


class ExaminationImpossible(Refusal):
    """The log can't prove this round now, so there is no ruling ({check}): {finding}"""


class DisputeClosed(Refusal):
    """This dispute is closed."""


class PracticeGame(Refusal):
    """Game {game_id} is a practice game: its dice up to step {forked_version} are copies from game {forked_from}, so nobody can prove them here; ask for an audit of that game."""
