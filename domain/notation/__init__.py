"""A whole game as text that a player can read, write by hand and hand on; `docs/reference/notation.md` describes it line by line.

Writing and reading are each other's inverse: what is written reads back as the same record, and a written text, read
and written again, is the same to the byte. A text holds what a record holds, but what follows from other lines is
either left out or checked, so that no text can contradict itself.
"""

from domain.notation.reading import read_game, read_games
from domain.notation.writing import write_game, write_games, write_round, write_unchecked

__all__ = ["read_game", "read_games", "write_game", "write_games", "write_round", "write_unchecked"]
