"""The lists of games and of tables say whether some may be missing, as every other list does."""

import asyncio
from itertools import count

import pytest
from msgspec.structs import replace

from services.mcp import past
from services.projector import watermarks
from services.tables.lobby import Lobby
from tests.archive.stored import Made, store
from tests.http.readers import HTTP_SETTINGS, Site, on_site
from tests.infra.postgres.databases import new_database
from tests.mcp.sessions import in_process
from tests.projector.models import Models, on_models

GAMES = [Made(game_id=f"game-{number}", players=("ann", "bob"), ended_at=1_000_000 * number) for number in (1, 2)]
BEGAN, LATER = 1_900_000_000_000, 3_000


def test_a_list_says_that_games_may_be_missing_until_the_server_has_caught_up(monkeypatch: pytest.MonkeyPatch) -> None:
    url = new_database(lanes=1)
    on_models(url, lambda models: store(models, GAMES))

    async def story(site: Site) -> None:
        async with in_process(site.server.running.address) as model:
            monkeypatch.setattr(past, "CATCHING_UP_SECONDS_MAX", 0.0)
            assert await model.call("look_back", what="games", mine=False) == {"games_missing": True}
            monkeypatch.undo()

            await asyncio.to_thread(on_models, url, Models.caught_up)
            await asyncio.sleep(watermarks.LOOK_SECONDS)
            clock = count(BEGAN, LATER)  # A server never says that it has the last two seconds.
            site.server.running.host.now = lambda: next(clock)
            looked = await model.call("look_back", what="games", mine=False)
            assert [game["game_id"] for game in looked["games"]] == ["game-2", "game-1"]
            assert "games_missing" not in looked

    on_site(story, replace(HTTP_SETTINGS, projects=False), url)


async def behind(*_: object) -> bool:
    """A list of tables that does not get everything in time."""
    return False


def test_the_list_of_tables_says_that_some_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(site: Site) -> None:
        async with in_process(site.server.running.address) as model:
            assert "tables_missing" not in await model.call("list_tables")
            monkeypatch.setattr(Lobby, "caught_up", behind)
            assert (await model.call("list_tables"))["tables_missing"] is True

    on_site(story)
