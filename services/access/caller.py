"""The caller of the server."""

from domain.values import Value

PLAYER = "player"
"""The scope that lets a caller play."""


class Caller(Value, frozen=True):
    """A player, an auditor or an operator who calls the server."""

    player_id: str
    name: str
    scopes: tuple[str, ...] = (PLAYER,)


NOBODY = Caller("", "", ())
"""A caller without a token."""
