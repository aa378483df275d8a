"""Who may read what of a game, in one place.

A private game is for those who sit there, its owner, auditors and admins. A table that spectators see late is shown that
late to everybody who does not sit there. What lies under cups that were not lifted is not for readers: they get what the
reveals have told so far, and of the round that goes on what they may see as a viewer of the table.
"""

from domain.values import Value
from domain.views import Viewer
from services.access.caller import Caller
from services.access.refusals import GamePrivate

READ_ALL_SCOPES = frozenset(("auditor", "admin"))


class Protection(Value, frozen=True):
    """What of a game decides who may read it."""

    game_id: str
    private: bool
    owner_id: str | None
    player_ids: tuple[str, ...]
    shown_at: int | None
    """From when on those who do not sit there see its end; None while it goes on."""

    def is_public(self, now: int) -> bool:
        """Whether everybody may read all of it."""
        return not self.private and self.shown_at is not None and self.shown_at <= now


class Sight(Value, frozen=True):
    """What one caller sees at one moment."""

    caller: Caller
    now: int

    @property
    def reads_all(self) -> bool:
        """Whether the caller may read private games of others."""
        return bool(READ_ALL_SCOPES.intersection(self.caller.scopes))

    def check(self, game: Protection) -> None:
        """Refuse a game that is none of the caller's business."""
        part = self.caller.player_id in (*game.player_ids, game.owner_id)
        if game.private and not (part or self.reads_all):
            raise GamePrivate(game_id=game.game_id)

    def seat_in(self, game: Protection) -> Viewer:
        """The seat of the caller, if there is one."""
        ids = game.player_ids
        return ids.index(self.caller.player_id) if self.caller.player_id in ids else None

    def sees_end(self, game: Protection) -> bool:
        """Whether a game is over as far as the caller may know."""
        return game.shown_at is not None and (self.seat_in(game) is not None or game.shown_at <= self.now)
