"""A game that was played: its record, its replay step by step, the odds at each step, and what-if games from a step."""
