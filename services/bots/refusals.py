"""Why there is no such bot."""

from domain.refusals import Refusal


class NoSuchStrategy(Refusal):
    """There is no bot that plays {strategy}; there are {strategies}."""
