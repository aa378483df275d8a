"""What a reader may see of a game. This is the one place that decides it.

Only its players, its owner, auditors and admins may read a private game. Where a table has a delay for spectators, every
reader who does not play sees the game with that delay. No reader looks under cups that are not lifted: a reader sees what
was revealed so far, and of the current round what a viewer at the table sees.

Only its members may read a club. They also read the records of the games that count in it, private ones too, once everybody
may know how a game ended (`infra/postgres/sql/clubs.sql`).
"""

from collections.abc import Collection

from domain.values import Value
from domain.views import Viewer
from services.access.caller import Caller
from services.access.refusals import GamePrivate
from services.access.spectator_delay import is_shown

READ_ALL_SCOPES = frozenset(("auditor", "admin"))


class Protection(Value, frozen=True):
    """The facts about a game that decide who may read it."""

    game_id: str
    private: bool
    owner_id: str | None
    player_ids: tuple[str, ...]
    shown_at: int | None
    """The time from which on readers who do not play see its end; None while the game goes on."""

    def is_public(self, now: int) -> bool:
        """Whether everybody may read all of it."""
        return not self.private and is_shown(self.shown_at, now)


class Sight(Value, frozen=True):
    """What one caller sees at one moment."""

    caller: Caller
    now: int

    @property
    def reads_all(self) -> bool:
        """Whether the caller may read private games of others."""
        return bool(READ_ALL_SCOPES.intersection(self.caller.scopes))

    def check(self, game: Protection) -> None:
        """Refuse a private game that the caller may not read."""
        part = self.caller.player_id in (*game.player_ids, game.owner_id)
        if game.private and not (part or self.reads_all):
            raise GamePrivate(game_id=game.game_id)

    def sees_club(self, member_ids: Collection[str]) -> bool:
        """Whether the caller may read a club and the games that count in it: its members may, and nobody else."""
        return self.caller.player_id in member_ids

    def seat_in(self, game: Protection) -> Viewer:
        """The seat of the caller, if there is one."""
        ids = game.player_ids
        return ids.index(self.caller.player_id) if self.caller.player_id in ids else None

    def sees_end(self, game: Protection) -> bool:
        """Whether a game is over and the caller may know it."""
        return is_shown(game.shown_at, self.now) or (game.shown_at is not None and self.seat_in(game) is not None)
