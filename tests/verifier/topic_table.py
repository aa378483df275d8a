"""The table of all topics and their fields in the page about the format: `python -m tests.verifier.topic_table` writes it anew."""

from pathlib import Path

from services.verifier.kinds import HASH, ID, Kind, ListOf, ObjectOf, OrNull, Text, Truth, Whole, Word
from services.verifier.topics import BID, TOPICS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "audit-format.md"
HEAD = "| topic | fields of the public part | |\n|---|---|---|\n"
NOTES = {
    "player-joined.v1": "a seat without a signing key; both versions may stand in one game",
    "opening-dice-rolled.v1": "`rolls` in seat order; empty where the opener is drawn",
    "round-started.v1": "`dice_counts` of all seats; 0 for a seat that is out",
    "antes-paid.v1": "of all seats with dice, also of those that pay nothing",
    "dice-dealt.v1": "secret: `server_link` hash, `hands` list of list of number, of all seats; empty for a seat that is out",
    "dice-rerolled.v1": "secret: `server_link` hash, `hand` list of number",
    "cups-lifted.v1": "`hands` and `dice` of all seats, empty for one that is out; a reroll has one hand; in `dice` the shown dice come first",
    "challenge-resolved.v1": "`counts` of the seats with dice",
    "game-ended.v1": "`chips` of all seats; null at a table without chips",
}


def told(kind: Kind) -> str:
    """A kind of values in words."""
    if kind == BID:
        return "bid"
    match kind:
        case Whole():
            return "number"
        case Truth():
            return "true or false"
        case Text(length_max=length):
            return f"text of 1 to {length}"
        case Word(words=words):
            return " or ".join(f"`{word}`" for word in words)
        case OrNull(kind=inner):
            return f"{told(inner)} or null"
        case ListOf(kind=inner):
            return f"list of {told(inner)}"
        case ObjectOf(members=members):
            return f"({fields(members)})"
        case _:
            return {HASH: "hash", ID: "id"}[kind]


def fields(members: object) -> str:
    """The fields of an object, without the time, which all events have."""
    assert isinstance(members, dict)
    return ", ".join(f"`{name}` {told(kind)}" for name, kind in members.items() if name != "at") or "none"


def table() -> str:
    """The whole table."""
    rows = (f"| `{topic}` | {fields(kind.members)} | {NOTES.get(topic, '')} |\n" for topic, kind in TOPICS.items())
    return HEAD + "".join(rows)


def with_table(page: str) -> str:
    """The page with this table in place of its own."""
    before, _, rest = page.partition(HEAD)
    return before + table() + rest[rest.index("\n\n") + 1 :]


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text()))
