"""The queries of the store, found by name in the `.sql` files of the folder `sql`, where each is described in a line."""

import re
from functools import cache
from importlib.resources import files

from infra.postgres.lanes import lane_name

_HEADING = re.compile(r"^-- (\w+): .+\n", re.MULTILINE)
"""A name and what the query does; further lines of comment belong to the query."""


@cache
def query(name: str, lane: str = "", schema: str = "") -> str:
    """The SQL of a query, for a lane or for the schema of a read model if it is about one."""
    return _queries()[name].replace("{lane}", lane).replace("{schema}", schema)


@cache
def query_with_heads(name: str, lanes: int) -> str:
    """The SQL of a query that compares with the last positions of all lanes."""
    heads = [query("head_of_lane", lane_name(lane)).replace("{number}", str(lane)) for lane in range(lanes)]
    return query(name).replace("{heads}", " UNION ALL ".join(heads))


@cache
def _queries() -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in (files("infra.postgres") / "sql").iterdir():
        if entry.name.endswith(".sql"):
            _, *parts = _HEADING.split(entry.read_text(encoding="utf-8"))
            named = {name: sql.strip() for name, sql in zip(parts[::2], parts[1::2], strict=True)}
            assert not found.keys() & named.keys(), "each query has a name of its own"
            found |= named
    return found
