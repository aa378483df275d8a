"""Why the archive can't answer."""

from domain.refusals import Refusal


class NoSuchStep(Refusal):
    """Game {game_id} has no step {step} that you may see; the last one is {last}."""


class ExportInterrupted(Refusal):
    """The server is shutting down; connect again and go on after the last resume token."""


class ExportNotReady(Refusal):
    """This server does not have all games of the earlier export yet; try again with the same token."""


class NoSuchPlayer(Refusal):
    """No player with the id {player_id} is known from a game that everybody may see."""


class PlayerNotKnownYet(Refusal):
    """No player with the id {player_id} is known yet, but the read models are behind and games may be missing; try again later."""
