"""Why a tool did nothing: a reason and a sentence, never a traceback."""

from domain.refusals import Refusal
from services.client import FalseServer, Game, Refused, Unreachable
from services.mcp.answers import Problem
from services.mcp.foreign_text import text_shown
from services.mcp.observation import is_my_turn, lowest_bids


class NotDone(Exception):  # noqa: N818 - it reads as a sentence
    """A tool did nothing, and says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.sentence)
        self.problem = problem


def not_done(reason: str, sentence: str, **fields: str | int | None) -> NotDone:
    """A refusal by this program, before it asks the server."""
    return NotDone(Problem(reason=reason, sentence=sentence, **fields))  # type: ignore[arg-type]  # fields of the struct


def problem_of(error: Exception, game: Game | None = None, game_id: str | None = None) -> Problem | None:
    """What an error means to a model, with the bids that it could make now; None for an error that is a bug."""
    match error:
        case NotDone(problem=problem):
            return problem
        case Refused():
            return _refused(error, game, game_id)
        case Unreachable():
            return Problem(reason="SERVER_UNREACHABLE", sentence=f"{text_shown(str(error))}. Try again in a moment.")
        case FalseServer():
            return Problem(reason="SERVER_FALSE", sentence=text_shown(str(error)), game_id=error.game_id)
        case Refusal():
            return Problem(reason=error.code(), sentence=text_shown(str(error)))
        case OSError():
            return Problem(
                reason="FILE_UNUSABLE", sentence=text_shown(f"A file of this program can't be used: {error}.")
            )
        case _:
            return None


def _refused(refusal: Refused, game: Game | None, game_id: str | None) -> Problem:
    return Problem(
        reason=refusal.reason or refusal.code.name,
        sentence=text_shown(refusal.message),
        clauses=refusal.clauses,
        game_id=game_id if game is None else game.view.game_id,
        version=None if game is None else game.version,
        my_turn=None if game is None else is_my_turn(game.view),
        lowest_bids=() if game is None else lowest_bids(game.view),
        retry_seconds=refusal.retry_seconds,
    )
