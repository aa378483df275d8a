"""Refusals of requests to a table that break no rule of the game."""

from domain.refusals import Refusal


class NotSeated(Refusal):
    """You have no seat at the table of game {game_id}."""


class NotTheOwner(Refusal):
    """Only the player who set up the table, or a player who has a seat there, may do this."""


class InvitationWrong(Refusal):
    """The table of game {game_id} is private, and this is not its invitation code."""


class VersionMoved(Refusal):
    """The game is at version {version}, but the command was made for version {expected_version}."""


class VersionAhead(Refusal):
    """The game is at version {version}, so there is nothing after version {after_version} yet; see the field {field}."""


class SignatureMissing(Refusal):
    """Seat {seat} joined with a signing key, so it must sign every move with that key; this move has no signature."""


class SignatureUnexpected(Refusal):
    """Seat {seat} joined without a signing key, so nobody could check this signature; send the move without it."""


class SignatureWrong(Refusal):
    """This is no signature of seat {seat} for this move: with the private key of {signing_key} (base64), sign exactly the text {text}."""

    WHOLE = ("text",)


class SignatureStale(Refusal):
    """You signed this move after version {after_version}, but the game has moved on and is at version {version}; look at it and sign again."""


class LinkUnexpected(Refusal):
    """The server keeps the chain of seat {seat} and takes the links from it; send the move without a link."""


class NotABot(Refusal):
    """There is no bot on seat {seat}."""


class GameNotOver(Refusal):
    """The game is not over; a rematch is possible once it is."""


class GameStillRunning(Refusal):
    """Game {game_id} is not over; only a game that is over can go on as a practice game."""


class NothingGoesOn(Refusal):
    """From step {version} on, no player of game {game_id} had to move, so there is nothing to go on with."""


class TooManyCameAndWent(Refusal):
    """At this table players came and went more than {limit} times, so nobody may join any more; start the game, or set up another table."""


class PastTooLong(Refusal):
    """A practice game may begin with {limit} events at this table, and this step is beyond that."""


class TooManyTables(Refusal):
    """A player may have {limit} tables that are not over, and the owner of this one would have more; end a game first, or leave a table that nobody starts to expire."""


class TooManyPracticeGames(Refusal):
    """A player may have {limit} practice games that are not over; play one of yours to its end first, or forfeit it."""


class TooManyBotGames(Refusal):
    """A player may have {limit} running games with bots, and the owner of this table would have more; end one of them first, or forfeit it."""
