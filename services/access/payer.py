"""Who pays for a call: limits count for a player, for an address, and for both together."""

from typing import NamedTuple


class Payer(NamedTuple):
    """The caller of a call, and the address that it came from."""

    caller: str
    """The id of the player; for a caller without a token, the address."""
    address: str


def payer_of(player_id: str, address: str) -> Payer:
    """The payer of a call. No id of a player contains the sign that marks an address here."""
    return Payer(player_id or f"@{address}", f"@{address}")
