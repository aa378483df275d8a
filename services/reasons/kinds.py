"""The kinds of reasons. Each kind tells a program what to do next, and has a status in gRPC and in HTTP."""

from enum import Enum, auto


class Kind(Enum):
    """Why a request was not carried out."""

    SENSELESS = auto()
    """The request makes no sense in any state of the game: fix the program."""
    NOT_THERE = auto()
    """The game, seat or other thing of the request does not exist: look at the list again."""
    ALREADY_THERE = auto()
    """It exists already: go on with it."""
    NOT_NOW = auto()
    """The game is not in the state that the request needs: look at the game and choose another move."""
    UNKNOWN_CALLER = auto()
    """The server does not know who calls: get a token."""
    NOT_ALLOWED = auto()
    """The caller may not do this: ask someone who may."""
    MOVED_ON = auto()
    """The game has moved on since the version that the request was made for: look at the game and decide again."""
    TOO_MUCH = auto()
    """Too much, or too fast: wait, then send the same request."""
    AWAY = auto()
    """The server or its database is away: send the same request again."""
    UNREADABLE = auto()
    """The stored data can't be opened, and no move of a player can repair that: report it."""
    FAULT = auto()
    """A fault of the program: send the same request once more, and report it."""
