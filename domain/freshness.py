"""How fresh an answer is. Lists and statistics come from read models, which follow the events a moment later."""

from domain.values import Value


class Freshness(Value, frozen=True):
    """How fresh an answer is; docs/reference/freshness.md defines it."""

    complete: bool
    """Whether nothing is missing that was committed until two seconds before the answer."""
    caught_up_to: int | None = None
    """Everything that was committed before this time is in the answer.

    It is None in a complete answer that was read from the events themselves. In an answer that is not complete, None
    means that the read model has never caught up.
    """


CURRENT = Freshness(complete=True)
"""That of an answer about a single game: it is read from the events, or from what can't change any more."""


class ModelFreshness(Value, frozen=True):
    """How fresh a read model is."""

    model: str
    freshness: Freshness
    percent: int = 100
    """How much it has done of what it had to do when it was first found to be behind."""
    stopped: bool = False
    """Whether it has stopped before an event that it can't process."""
