"""Why something asked of a table was not done, where no rule of the game stands behind it."""

from domain.refusals import Refusal


class NotSeated(Refusal):
    """You have no seat at the table of game {game_id}."""


class NotTheOwner(Refusal):
    """Only the player who set up the table, or one who sits there, may do this."""


class InvitationWrong(Refusal):
    """The table of game {game_id} is private: its invitation code is needed, and this is not it."""


class VersionMoved(Refusal):
    """The game is at version {version}, and the command was made for version {expected_version}."""


class SignatureMissing(Refusal):
    """Seat {seat} joined with a signing key, so every move of it must be signed with that key, and this one is not."""


class SignatureUnexpected(Refusal):
    """Seat {seat} joined without a signing key, so nobody could check this signature; send the move without it."""


class SignatureWrong(Refusal):
    """This is not the signature of seat {seat} under this move, made after version {after_version}."""


class SignatureStale(Refusal):
    """The game is at version {version} and has moved on since version {after_version}, which this move was signed on; look again and sign anew."""


class NotABot(Refusal):
    """On seat {seat} there is no bot of the server."""


class GameNotOver(Refusal):
    """A rematch can be set up once the game is over."""


class GameStillRunning(Refusal):
    """Game {game_id} is not over; only a game that is over can go on as a practice game."""


class NothingGoesOn(Refusal):
    """From step {version} on, game {game_id} waits for nobody's move any more, so there is nothing to go on with."""
