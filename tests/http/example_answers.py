"""The examples of answers in the schema: what a real server answers after some games, shortened.

`python -m tests.http.example_answers` writes them anew, for all operations of the schema. Run it after a change of answers.
"""

from typing import Any
from urllib.parse import urlencode

import msgspec

from services.audit.published_tiles import PublishedTiles
from services.http.schema.example_answers import FILE
from tests.clubs.evenings import club_evening
from tests.http.readers import API, Site, on_site
from tests.infra.postgres.databases import new_database
from tests.rpc.servers import Player

LIST_LENGTH_MAX = 2
TEXT_LENGTH_MAX = 160
LINES_MAX = 24
SMALL = {"page_size": "2", "wait_seconds_max": "0", "measure": "games"}
"""Parameters with which answers are short, and come at once."""


async def examples(site: Site) -> dict[str, dict[str, Any]]:
    """An example for every operation and media type."""
    club = await club_evening(site.server, "Ann", "Bob", "Cid")
    await club.play(*club.members)
    game_id, clients = await site.played("bidding-track", 3, options={"dice_each": 2})
    await site.played("bidding-track", 3, options={"dice_each": 2})
    players = [clients[number].player.player_id for number in (0, 1)]
    await site.eventually(f"/games/{game_id}/rounds", lambda told: told["rounds"][0]["leaf_index"] is not None)
    await site.get(f"{API}/games/{game_id}/audit")
    size = (await site.read("/checkpoint")).splitlines()[1]
    known = {"game_id": game_id, "player_id": players[0], "player": players[0], "other": players[1]}
    known["players"] = ",".join(players)
    known |= {"version": "12", "number": "1", "size": size, "old_size": "1", "new_size": size}
    known["club_id"] = club.club_id
    known["tile"] = "entries/000.p/2"
    paths = (await site.get("/schema/openapi.json")).json()["paths"]
    return {
        methods["get"]["operationId"]: {
            kind: await example(site, path, methods["get"], kind, known, club.organiser if "/clubs" in path else None)
            for kind in methods["get"]["responses"]["200"]["content"]
        }
        for path, methods in paths.items()
    }


async def example(  # noqa: PLR0917 - an example needs all of this
    site: Site, path: str, operation: dict[str, Any], kind: str, known: dict[str, str], reader: Player | None
) -> Any:
    """The answer of an operation in one of its media types."""
    parameters = {one["name"]: one for one in operation.get("parameters", [])}
    asked = {name: known.get(name, str(one["example"])) for name, one in parameters.items() if one.get("required")}
    chosen = {name: value for name, value in SMALL.items() if name in parameters} | asked
    if "format" in parameters:
        names = {
            "text/plain": "notation",
            "text/csv": "csv",
            "application/x-ndjson": "ndjson",
            "application/vnd.apache.parquet": "parquet",
            "application/json": "json",
        }
        chosen["format"] = names[kind]
    query = urlencode({name: value for name, value in chosen.items() if parameters[name]["in"] == "query"})
    answer = await site.get(f"{path.format(**asked)}?{query}", reader)
    assert answer.status_code == 200, (path, answer.text)
    assert answer.headers["content-type"].startswith(kind), (path, answer.headers)
    if kind.endswith("parquet"):
        return f"{answer.content[:4].decode()}..."
    return shortened(answer.json()) if kind == "application/json" else shortened_text(answer.text)


def shortened(value: Any) -> Any:
    """JSON with the first entries of its lists of objects, and the beginnings of its long texts."""
    match value:
        case dict():
            return {name: shortened(one) for name, one in value.items()}
        case [dict(), *_]:
            return [shortened(one) for one in value[:LIST_LENGTH_MAX]]
        case list():
            return [shortened(one) for one in value]
        case str() if len(value) > TEXT_LENGTH_MAX:
            return f"{value[:TEXT_LENGTH_MAX]}..."
        case _:
            return value


def shortened_text(text: str) -> str:
    """The first lines of a text, none of them long."""
    lines = text.splitlines()
    short = [line if len(line) <= TEXT_LENGTH_MAX else f"{line[:TEXT_LENGTH_MAX]}..." for line in lines[:LINES_MAX]]
    return "\n".join([*short, *(["..."] if len(lines) > LINES_MAX else [])])


def main() -> None:
    """Write the file."""
    PublishedTiles.AGE_SECONDS = 0
    found = on_site(examples, url=new_database())
    FILE.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")


if __name__ == "__main__":
    main()
