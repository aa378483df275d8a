"""Pages of a player who sits at a table."""

from typing import Any

from playwright.async_api import Page

_SIGNED_IN = """
async (name) => {
  const folder = document.querySelector("script[type=module]").src.replace("/page/main.js", "");
  const { Client, IndexedDbSeatKeeper, IndexedDbTokenStore } = await import(`${folder}/client/index.js`);
  const client = new Client(location.origin, { seats: new IndexedDbSeatKeeper() });
  const { playerId } = await client.register(name);
  await new IndexedDbTokenStore().keep(location.origin, "this browser", client.token);
  return playerId;
}
"""
_AT_A_TABLE = """
async ({ act, rulebook, options, seats, bots, gameId }) => {
  const folder = document.querySelector("script[type=module]").src.replace("/page/main.js", "");
  const { Client, IndexedDbSeatKeeper, IndexedDbTokenStore } = await import(`${folder}/client/index.js`);
  const token = await new IndexedDbTokenStore().find(location.origin, "this browser");
  const client = new Client(location.origin, { token, seats: new IndexedDbSeatKeeper() });
  if (act === "join") return (await client.join(gameId)).gameId;
  const table = await client.create(rulebook, { options, seats: seats ?? undefined });
  for (const bot of bots) await table.addBot(bot);
  return table.gameId;
}
"""


async def signed_in(page: Page, url: str, name: str = "Ann") -> str:
    """Be a new player in this browser; the id of the player."""
    await page.goto(f"{url}/about")
    return str(await page.evaluate(_SIGNED_IN, name))


async def new_table(
    page: Page, rulebook: str, *, bots: tuple[str, ...] = ("cautious",), seats: int | None = None, **options: Any
) -> str:
    """The id of a new table at which the player of this browser sits, with bots."""
    asked = {"act": "create", "rulebook": rulebook, "options": options, "bots": list(bots), "seats": seats}
    return str(await page.evaluate(_AT_A_TABLE, asked))


async def joined(page: Page, game_id: str) -> None:
    """Sit down at a table."""
    await page.evaluate(_AT_A_TABLE, {"act": "join", "gameId": game_id})
