"""Who asks something of the server."""

from domain.values import Value

PLAYER = "player"
"""The scope of those who play."""


class Caller(Value, frozen=True):
    """Who asks."""

    player_id: str
    name: str
    scopes: tuple[str, ...] = (PLAYER,)


NOBODY = Caller("", "", ())
"""A caller without a token."""
