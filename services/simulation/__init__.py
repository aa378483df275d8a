"""Games between bots, played in memory, and stored if they are wanted in a store."""
