"""The rulebooks that this server plays, found by id and version."""

from functools import lru_cache

from domain.options import Options
from domain.rulebooks.books import BOOKS
from domain.rulebooks.rulebook import Rulebook, Rules, settle

__all__ = ["BOOKS", "Rulebook", "Rules", "clauses_on", "latest", "rules_of"]

_BY_ID_AND_VERSION = {(book.id, book.version): book for book in BOOKS}
_LATEST = {book.id: book for book in sorted(BOOKS, key=lambda book: book.version)}


def latest(rulebook: str) -> Rulebook | None:
    """The newest version of a book, which new games play; None if there is no such book."""
    return _LATEST.get(rulebook)


def clauses_on(subject: str) -> tuple[str, ...]:
    """The clauses on a subject that only some books have, such as `chips`, from all of those books."""
    return tuple(clause for book in BOOKS if (clause := getattr(book.cites, subject)) is not None)


@lru_cache(maxsize=1024)
def rules_of(rulebook: str, version: int, options: Options) -> Rules:
    """The rules of a game, in the version of the book that it was created with."""
    return settle(_BY_ID_AND_VERSION[rulebook, version], options)
