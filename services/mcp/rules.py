"""The rules of the books, in the words of their clauses; they are the same for everybody, so no server is asked."""

from domain.rulebooks import BOOKS, Rulebook, latest
from domain.rulebooks.clauses import CLAUSES

_RULINGS = "R"


def rules_of_book(rulebook: str) -> tuple[str, ...]:
    """All rules of a book, and the rulings that it shares with others; nothing for a book that is not known here."""
    book = latest(rulebook)
    if book is None:
        return ()
    prefix = book.cites.turn.partition("-")[0]
    return tuple(
        f"{clause}: {sentence}"
        for clause, sentence in CLAUSES.items()
        if _letters(clause) == prefix or (_letters(clause) == _RULINGS and _concerns(sentence, book))
    )


def page_of_book(book: Rulebook) -> str:
    """The rules of a book as a page to read."""
    players = f"{book.players_min} to {book.players_max} players. Face 1 is called {book.wild_name}."
    return "\n".join([f"# {book.title}", "", players, "", *(f"- {rule}" for rule in rules_of_book(book.id)), ""])


def _letters(clause: str) -> str:
    return clause.rstrip("0123456789").rstrip("-")


def _concerns(ruling: str, book: Rulebook) -> bool:
    """Whether a ruling is about all books, or names this one."""
    named = [other for other in BOOKS if f"`{other.id}`" in ruling]
    return not named or book in named
