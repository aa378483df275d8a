"""Why something can't be read from the archive."""

from domain.refusals import Refusal


class NoSuchStep(Refusal):
    """Game {game_id} has no step {step} that you may see; the last one is {last}."""


class ExportInterrupted(Refusal):
    """The server is going down; connect again and go on after the last resume token."""


class NoSuchPlayer(Refusal):
    """No player with the id {player_id} has sat at a public table."""
