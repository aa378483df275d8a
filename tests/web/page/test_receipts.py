"""Receipts in a real browser: the page keeps what the server has signed, and holds it against the bundle later."""

from base64 import b64decode, b64encode

from playwright.async_api import Page, expect

from services.verifier import verify
from tests.http.readers import Site, on_site
from tests.web.browsers import needs_browser
from tests.web.page.pages import opened_page
from tests.web.page.seated_pages import new_table, signed_in
from tests.web.page.test_audit import checks_of
from tests.web.page.test_table import begun, moved_by_keys, played

pytestmark = needs_browser
_KEPT = """
async ([game, changed]) => {
  const opened = indexedDB.open("liarsdice-client");
  await new Promise((done) => (opened.onsuccess = done));
  const store = opened.result.transaction("receipts", "readwrite").objectStore("receipts");
  const result = (asked) => new Promise((done) => (asked.onsuccess = () => done(asked.result)));
  const name = (await result(store.getAllKeys())).find((one) => one.endsWith(`\\n${game}`));
  if (changed !== null) await result(store.put(changed, name));
  const kept = await result(store.get(name));
  opened.result.close();
  return kept;
}
"""


async def kept(page: Page, game_id: str, changed: list[str] | None = None) -> list[str]:
    """The receipts that the browser keeps for a game, after a change if one is given."""
    return [str(line) for line in await page.evaluate(_KEPT, [game_id, changed])]


async def checked(page: Page) -> dict[str, str]:
    """The checks of the bundle that the page shows, made now."""
    await page.locator(".audit-verify .row button").first.click()
    return await checks_of(page)


def test_receipts_survive_a_reload_agree_with_the_bundle_and_convict_a_server_that_changes_its_mind() -> None:
    async def story(site: Site) -> None:
        async with opened_page(site.url, "/about", height=900) as page:
            await signed_in(page, site.url)
            game_id = await new_table(page, "pirates", diceEach=1)
            await begun(page, site.url, game_id)
            await played(page, moved_by_keys)
            before = await kept(page, game_id)
            assert len(before) > 2, "the table, its start and at least one move"
            await page.reload()
            assert await kept(page, game_id) == before

            await page.goto(f"{site.url}/games/{game_id}/rounds/1")
            checks = await checked(page)
            assert list(checks.values())[:12] == ["proven"] * 12
            said = page.locator("[data-check=receipts]")
            await expect(said).to_contain_text(f"{len(before)} receipts are signed by")
            async with page.expect_download() as download:
                await page.get_by_role("button", name="Save my receipts").click()
            saved = (await (await download.value).path()).read_bytes()
            data = (await site.get(f"/api/v1/games/{game_id}/audit")).content
            verify(data, None, [], receipts=saved)

            # The file and the bundle are enough for anybody, in either order.
            async with opened_page(site.url, "/verify") as other:
                field = other.locator("input[type=file]")
                await field.set_input_files({"name": "r.txt", "mimeType": "", "buffer": saved})
                await expect(other.locator(".notice")).to_contain_text("Your receipts are here")
                await field.set_input_files({"name": "b.json", "mimeType": "", "buffer": data})
                assert (await checks_of(other))["receipts"] == "proven"

            content = bytearray(b64decode(before[-1]))
            content[45] ^= 1  # A bit of the salt.
            await kept(page, game_id, [*before[:-1], b64encode(bytes(content)).decode()])
            checks = await checked(page)
            assert [name for name, status in checks.items() if status == "failed"] == ["receipts"]
            await expect(page.locator(".audit-verdict strong")).to_have_text("Not verified")
            await expect(said).to_contain_text("is not signed by the key that it names")

    on_site(story)
