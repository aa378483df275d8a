"""Statistics of players: read from the facts of their games, never from more than everybody may know by now."""
