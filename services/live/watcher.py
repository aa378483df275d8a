"""Somebody who follows a game."""

from collections.abc import Callable
from typing import Protocol

from domain.values import Value
from services.live.mailbox import Mailbox


class Wrapping(Protocol):
    """Puts contents that many watchers share into the messages of one kind of stream."""

    def snapshot(self, content: bytes) -> bytes:
        """How a game stands."""

    def update(self, content: bytes) -> bytes:
        """What has happened."""

    def connection(self, content: bytes) -> bytes:
        """Who has come or gone."""

    def rematch(self, content: bytes) -> bytes:
        """That there is a rematch."""


class Watcher(Value, frozen=True, eq=False):
    """Somebody who follows a game, and where its messages go."""

    player_id: str
    mailbox: Mailbox
    include_game: bool
    wrapping: Wrapping
    unseated: Callable[[int], None]
    """Called where spectators see the game later, with the version up to which the watcher got everything."""
    until_end: bool = False
    """Whether nothing more is to come once the game is over."""
