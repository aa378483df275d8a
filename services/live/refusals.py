"""Why a game could not be watched, or not any longer."""

from domain.refusals import Refusal


class VersionAhead(Refusal):
    """The game is at version {version}; there is nothing after version {after_version} yet."""


class WatcherTooSlow(Refusal):
    """You read too slowly and were let go; you can resume after the last version that you were told."""


class NotWatched(Refusal):
    """The game {game_id} is not watched on this call."""


class AlreadyWatched(Refusal):
    """The game {game_id} is watched on this call already."""


class TooMany(Refusal):
    """There are too many {what}; at most {limit} are allowed."""


class ServerDraining(Refusal):
    """The server is going down; connect again and resume after the last version that you were told."""
