"""The payer of a call. Each limit holds for a player, and a larger one for all callers of an address together."""

from typing import NamedTuple

_ADDRESS = "@"
"""Marks addresses. No id of a player contains it."""


class Payer(NamedTuple):
    """The caller of a call, and the address that it came from."""

    caller: str
    """The id of the player; for a caller without a token, the address."""
    address: str

    @property
    def is_stranger(self) -> bool:
        """Whether only the address of the caller is known."""
        return self.caller.startswith(_ADDRESS)


def payer_of(player_id: str, address: str) -> Payer:
    """The payer of a call."""
    # A stranger and the address itself are two: players who share the address must not spend what the stranger has.
    return Payer(player_id or f"{_ADDRESS}{address}", f"{_ADDRESS}{_ADDRESS}{address}")
