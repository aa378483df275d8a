"""What the bots of the server are called."""

from domain.state import Table

_NAMES = (
    "Ada",
    "Blaise",
    "Carl",
    "Daniel",
    "Emmy",
    "Fermat",
    "Gosset",
    "Huygens",
    "Isaac",
    "Jakob",
    "Karl",
    "Laplace",
)


def free_name(table: Table) -> str:
    """A name that nobody at the table has."""
    taken = {player.name for player in table.players}
    return next((name for name in _NAMES if name not in taken), f"Bot {len(taken)}")
