"""Refusals to watch a game, or to let somebody go on watching."""

from domain.refusals import Refusal


class WatcherTooSlow(Refusal):
    """You read too slowly, so the server ended this stream; you can resume after the last version that you received."""


class NotWatched(Refusal):
    """You do not watch the game {game_id} on this call."""


class AlreadyWatched(Refusal):
    """You watch the game {game_id} on this call already."""


class TooMany(Refusal):
    """There are too many {what}; at most {limit} are allowed."""


class ServerDraining(Refusal):
    """The server is going down; connect again and resume after the last version that you received."""
