"""Why the server has no such bot."""

from domain.refusals import Refusal


class NoSuchStrategy(Refusal):
    """There is no bot with the strategy {strategy}; the strategies are {strategies}."""
