"""A recount of statistics at length: `python -m tests.recomputed --games 1000`.

It stores games of all books in a new database, starts a server on it, reads the exports over HTTP as a stranger and as a
player, computes every answer of statistics once more from them, and compares all fields. It prints what the games contain.
The exit status is 1 if any field differs, or if a kind of game is missing.
"""

import argparse
import asyncio
import sys
import time

import httpx
from rich.console import Console

from tests.infra.postgres.databases import folder_for_a_server, new_database
from tests.projector.models import on_models
from tests.recomputed.comparison import Comparison
from tests.recomputed.made_games import fill
from tests.recomputed.recount import KINDS, choices, missing, recounted
from tests.servers import ServerProcess

GAMES = 1_000
SHOWN_MAX = 40
_SECONDS_MAX = 600
_UNLIMITED = ("--read-rate", "0", "--address-rate", "0", "--player-rate", "0")
_CONSOLE = Console(highlight=False, width=160)


def main() -> int:
    """Store games, compare everything, and say what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.recomputed", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=GAMES, help="how many games are compared (default: %(default)s)")
    games = parser.parse_args().games
    began, url = time.monotonic(), new_database(2)
    on_models(url, lambda models: fill(models, games), seconds_max=_SECONDS_MAX)
    _CONSOLE.print(
        f"{games:,} games, and some with a hidden end, are stored and taken in after {time.monotonic() - began:.0f} s."
    )
    with folder_for_a_server() as folder:
        server = ServerProcess(url, folder, 0.0, *_UNLIMITED)
        try:
            comparisons = asyncio.run(_compared(f"http://{server.http}", games))
        finally:
            server.end()
    return told(comparisons, time.monotonic() - began)


async def _compared(url: str, games: int) -> list[Comparison]:
    async with httpx.AsyncClient(base_url=url, timeout=_SECONDS_MAX) as client:
        while (await client.get("/api/v1/leaderboards")).headers["Liarsdice-Complete"] != "true":  # noqa: ASYNC110 - nobody tells when
            await asyncio.sleep(0.5)
        return [await recounted(client, choices(games), own=own) for own in (False, True)]


def told(comparisons: list[Comparison], seconds: float) -> int:
    """Print the result; the exit status."""
    contents = comparisons[-1].contents()  # The reader's export has everything that a stranger's has.
    for kind in ("games", *KINDS):
        _CONSOLE.print(f"{contents[kind]:>10,}  {kind}")
    fields = sum(one.differences.fields for one in comparisons)
    differences = [difference for one in comparisons for difference in one.differences.found]
    _CONSOLE.print(f"{fields:>10,}  fields compared in {seconds:.0f} s")
    _CONSOLE.print(f"{len(differences):>10,}  fields differ")
    for difference in differences[:SHOWN_MAX]:
        _CONSOLE.print(difference, soft_wrap=True)
    absent = missing(contents)
    for kind in absent:
        _CONSOLE.print(f"There are no {kind}, so this recount proves too little.")
    return 1 if differences or absent else 0


if __name__ == "__main__":
    sys.exit(main())
