"""The kinds of reasons: each tells a program what to do next. gRPC and HTTP have a status for each."""

from enum import Enum, auto


class Kind(Enum):
    """What stands in the way, in words of our own."""

    SENSELESS = auto()
    """The request makes no sense, however the game stands: mend the program."""
    NOT_THERE = auto()
    """What it is about is not there: look at the list again."""
    ALREADY_THERE = auto()
    """It is there already: go on with what is there."""
    NOT_NOW = auto()
    """The game does not stand as it would have to: look at it and choose another move."""
    UNKNOWN_CALLER = auto()
    """The server does not know who calls: get a token."""
    NOT_ALLOWED = auto()
    """The caller may not do this: ask someone who may."""
    MOVED_ON = auto()
    """The game has moved on since the version that the request was made for: look again and decide anew."""
    TOO_MUCH = auto()
    """Too much, or too fast: wait, then send the same request."""
    AWAY = auto()
    """The server or its database is away: send the same request again."""
    UNREADABLE = auto()
    """What is stored can't be opened, and no move of a player can mend that: report it."""
    FAULT = auto()
    """A fault of the program: send the same request once more, and report it."""
