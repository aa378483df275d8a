"""Games between bots, played in memory, and put into a store if somebody wants them there."""
