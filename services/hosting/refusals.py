"""Why something asked of the server was not done, where no rule of the game stands behind it."""

from domain.refusals import Refusal


class FieldInvalid(Refusal):
    """The field {field} {problem}."""


class TokenMissing(Refusal):
    """This call needs a Bearer token: send the metadata `authorization: Bearer <token>`; Register gives one."""


class TokenInvalid(Refusal):
    """This token is not known, or it is revoked or has expired."""


class TokenOfIssuer(Refusal):
    """This token is one of your own issuer: it ends at its time `exp`, and this server can't exchange or revoke it."""


class ScopeMissing(Refusal):
    """This needs a token with the scope {scope}."""


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


class NoSuchStrategy(Refusal):
    """There is no bot that plays {strategy}; there are {strategies}."""


class NotABot(Refusal):
    """On seat {seat} there is no bot of the server."""


class GameNotOver(Refusal):
    """A rematch can be set up once the game is over."""


class GameStillRunning(Refusal):
    """Game {game_id} is not over; only a game that is over can go on as a practice game."""


class NothingGoesOn(Refusal):
    """From step {version} on, game {game_id} waits for nobody's move any more, so there is nothing to go on with."""


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


class TooFast(Refusal):
    """That is too fast: {what} are limited to {rate} a second; try again in {retry_seconds} seconds."""


class ServerDraining(Refusal):
    """The server is going down; connect again and resume after the last version that you were told."""
