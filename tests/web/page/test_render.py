"""The render helper, in a real browser: it changes what differs and nothing else, and reads nothing as markup."""

from typing import Any

from tests.http.readers import Site, on_site
from tests.web.browsers import needs_browser
from tests.web.page.pages import opened_page

pytestmark = needs_browser

STORIES = {
    "children with keys keep their elements when they move": """
        const item = (key) => h("li", { key }, key);
        patch(root, h("ul", null, ["a", "b", "c"].map(item)));
        const [a, b, c] = root.querySelectorAll("li");
        patch(root, h("ul", null, ["c", "x", "a"].map(item)));
        const now = [...root.querySelectorAll("li")];
        return now.map((one) => one.textContent).join("") === "cxa" && now[0] === c && now[2] === a && !b.isConnected;
    """,
    "children without keys beside those with keys stay in their places": """
        patch(root, [h("h1", null, "first"), h("p", { key: 1 }, "one"), "text", h("p", { key: 2 }, "two"), h("b", null, "last")]);
        patch(root, [h("h1", null, "first"), h("p", { key: 2 }, "two"), "other", h("b", null, "last")]);
        return root.innerHTML === "<h1>first</h1><p>two</p>other<b>last</b>";
    """,
    "focus and what was typed stay where they are": """
        const field = (hint) => [h("p", null, hint), h("input", { "aria-label": hint })];
        patch(root, field("one"));
        const input = root.querySelector("input");
        input.focus();
        input.value = "typed";
        patch(root, field("two"));
        return document.activeElement === input && input.value === "typed" && input.getAttribute("aria-label") === "two";
    """,
    "a name is a text, whatever it says": """
        const name = '<img src=x onerror="window.broken = true"><b>';
        patch(root, h("p", { title: name }, name));
        const [p] = root.children;
        return p.textContent === name && p.title === name && root.querySelectorAll("img, b").length === 0 && !window.broken;
    """,
    "a listener is called once, and the newest one": """
        const calls = [];
        const button = (number) => h("button", { onclick: () => calls.push(number) }, "press");
        patch(root, button(1));
        patch(root, button(2));
        root.querySelector("button").click();
        patch(root, h("button", null, "press"));
        root.querySelector("button").click();
        return calls.join() === "2";
    """,
    "pictures are made as pictures": """
        patch(root, h("svg", { viewBox: "0 0 1 1" }, h("circle", { r: 1 }), h("foreignObject", null, h("p", null, "text"))));
        const svg = "http://www.w3.org/2000/svg";
        return root.querySelector("circle").namespaceURI === svg && root.querySelector("p").namespaceURI !== svg;
    """,
    "attributes come and go, and properties are set": """
        const field = (on) => h("input", { type: "checkbox", ".checked": on, disabled: on, class: ["a", on && "b"], style: on ? { "--x": 3 } : {} });
        patch(root, field(true));
        const [input] = root.children;
        const first = input.checked && input.disabled && input.className === "a b" && input.style.getPropertyValue("--x") === "3";
        patch(root, field(false));
        return first && !input.checked && !input.disabled && input.className === "a" && input.style.length === 0;
    """,
    "a select has its value when its options are new": """
        patch(root, h("select", { ".value": "b" }, h("option", { value: "a" }, "A"), h("option", { value: "b" }, "B")));
        return root.querySelector("select").value === "b";
    """,
    "elements are told when they come and when they go": """
        const told = [];
        const part = h("p", { created: () => told.push("came"), removed: () => told.push("went") }, "here");
        patch(root, h("div", null, part));
        patch(root, h("div", null, part));
        patch(root, null);
        return told.join() === "came,went" && root.childNodes.length === 0;
    """,
}
PREPARE = """async () => {
    const main = document.querySelector("script[type=module]").src;
    window.tried = await import(new URL("core/render.js", main).href);
}"""
BEGIN = "const { h, patch } = window.tried; const root = document.body.appendChild(document.createElement('div'));"


def test_the_helper_changes_what_differs_and_nothing_else() -> None:
    async def story(site: Site) -> dict[str, Any]:
        async with opened_page(site.url, "/about") as page:
            await page.evaluate(PREPARE)
            return {name: await page.evaluate(f"() => {{ {BEGIN} {code} }}") for name, code in STORIES.items()}

    assert on_site(story) == dict.fromkeys(STORIES, True)
