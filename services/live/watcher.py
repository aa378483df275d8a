"""A watcher: somebody who follows a game on a stream."""

from collections.abc import Callable
from typing import Protocol

from domain.values import Value
from services.live.mailbox import Mailbox


class Wrapping(Protocol):
    """Puts content that many watchers share into a message of one kind of stream."""

    def snapshot(self, content: bytes) -> bytes:
        """A message with the whole game."""

    def update(self, content: bytes) -> bytes:
        """A message with new events."""

    def connection(self, content: bytes) -> bytes:
        """A message that a player has connected or disconnected."""

    def rematch(self, content: bytes) -> bytes:
        """A message that there is a rematch."""


class Watcher(Value, frozen=True, eq=False):
    """Somebody who follows a game, and the mailbox for the messages."""

    player_id: str
    mailbox: Mailbox
    include_game: bool
    wrapping: Wrapping
    unseated: Callable[[int], None]
    """Called when the watcher gives the seat back and now sees the game late, with the last version that was sent."""
    until_end: bool = False
    """Whether the stream ends when the game is over; otherwise it waits for the rematch."""
