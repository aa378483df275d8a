"""Games that are being played: their tables, the moves of players, bots and clocks, and the list of all tables."""
