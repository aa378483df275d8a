/** How the frame looks: a header with the ways to other pages, the page itself, and messages. */

import { LANGUAGES } from "../core/preferences.js";
import { h } from "../core/render.js";

/** @import {Children} from "../core/render.js" */
/** @import {Preferences} from "../core/preferences.js" */
/** @import {Player} from "../../client/messages/types.js" */
/** @import {State} from "./shell.js" */

/** @typedef {{prefer: (change: Partial<Preferences>) => void, dismiss: (id: number) => void}} Actions */

/** Where the ways lead, and which text names them. @type {[string, "play" | "games" | "leaderboards" | "players" | "clubs" | "rules" | "verify"][]} */
const WAYS = [
  ["/", "play"],
  ["/games", "games"],
  ["/leaderboards", "leaderboards"],
  ["/players", "players"],
  ["/clubs", "clubs"],
  ["/rules", "rules"],
  ["/verify", "verify"],
];
const MARK = new URL("../icon.svg", import.meta.url).pathname;
const GEAR = "M10.3 2h3.4l.5 2.600 1.900.800 2.200-1.500 2.400 2.400-1.500 2.200.800 1.900 2.600.500v3.400l-2.600.500-.800 1.900 1.500 2.200-2.400 2.400-2.200-1.500-1.900.800-.500 2.600h-3.400l-.500-2.600-1.900-.800-2.200 1.500-2.400-2.400 1.500-2.200-.800-1.900L1.500 14.300v-3.400l2.600-.500.800-1.900-1.500-2.200 2.400-2.400 2.200 1.500 1.900-.800ZM12 9a3.600 3.600 0 1 0 0 7.200A3.600 3.600 0 0 0 12 9Z";
export const LANGUAGE_NAMES = { en: "English", de: "Deutsch", es: "Español" };

/** @param {State} state @param {Player | null} player @param {Children} content @param {Actions} actions @returns {Children} */
export function frame(state, player, content, actions) {
  const texts = state.words.messages.shell;
  return [
    h("a", { class: "skip", href: "#content" }, texts.skip),
    header(state, player, actions),
    !state.online && h("p", { class: "banner is-bad", role: "status" }, texts.offline),
    state.stale && h("p", { class: "banner", role: "status" }, texts.renewed, " ", h("a", { href: location.href, target: "_self" }, texts.reload)),
    h("main", { id: "content", tabindex: -1, class: ["content", state.page?.width && `is-${state.page.width}`] }, content ?? waiting(texts.loading)),
    footer(texts),
    h("div", { id: "announcements", class: "unseen", "aria-live": "polite" }),
    h("div", { class: "notices", role: "status" }, state.notices.map((notice) => h(
      "div",
      { class: ["notice", `is-${notice.kind}`], key: notice.id },
      h("span", null, notice.text),
      h("button", { class: "plain", "aria-label": texts.close, onclick: () => actions.dismiss(notice.id) }, "×"),
    ))),
  ];
}

/** What is shown while something is loaded. It keeps its place, so that nothing jumps. @param {string} text */
export function waiting(text) {
  return h("div", { class: "waiting", role: "status" }, h("span", { class: "waiting-die", "aria-hidden": "true" }), text);
}

/** @param {State} state @param {Player | null} player @param {Actions} actions */
function header(state, player, actions) {
  const texts = state.words.messages.shell;
  const here = `/${state.route.path.split("/")[1] ?? ""}`;
  return h(
    "header",
    { class: "top" },
    h("a", { class: "brand", href: "/" }, h("img", { src: MARK, alt: "", width: 30, height: 30 }), texts.name),
    h("nav", { "aria-label": texts.menu, class: "ways" }, WAYS.map(([path, name]) => h("a", { href: path, "aria-current": path === here ? "page" : null }, texts[name]))),
    player !== null && h("a", { class: "me", href: `/players/${encodeURIComponent(player.playerId)}` }, player.name),
    h("button", { class: "plain settings-button", popovertarget: "settings", "aria-label": texts.settings }, gear()),
    settings(state, actions),
  );
}

function gear() {
  return h("svg", { class: "gear", viewBox: "0 0 25 25", "aria-hidden": "true" }, h("path", { d: GEAR, "fill-rule": "evenodd" }));
}

/** @param {State} state @param {Actions} actions */
function settings({ preferences, words }, { prefer }) {
  const texts = words.messages.shell;
  const themes = /** @type {const} */ (["auto", "light", "dark"]);
  return h(
    "div",
    { id: "settings", popover: "auto", class: "settings", role: "group", "aria-label": texts.settings },
    h("label", null, texts.language, h(
      "select",
      { ".value": preferences.language, onchange: (/** @type {any} */ event) => prefer({ language: event.target.value }) },
      LANGUAGES.map((one) => h("option", { value: one, lang: one }, LANGUAGE_NAMES[one])),
    )),
    h("label", null, texts.theme, h(
      "select",
      { ".value": preferences.theme, onchange: (/** @type {any} */ event) => prefer({ theme: event.target.value }) },
      themes.map((one) => h("option", { value: one }, texts.themes[one])),
    )),
    toggle(texts.odds, preferences.odds, (odds) => prefer({ odds })),
    toggle(texts.sound, preferences.sound, (sound) => prefer({ sound })),
  );
}

/** @param {string} text @param {boolean} on @param {(on: boolean) => void} change */
function toggle(text, on, change) {
  return h("label", { class: "toggle" }, h("input", { type: "checkbox", ".checked": on, onchange: (/** @type {any} */ event) => change(event.target.checked) }), text);
}

/** @param {State["words"]["messages"]["shell"]} texts */
function footer(texts) {
  return h(
    "footer",
    { class: "bottom" },
    h("a", { href: "/about" }, texts.about),
    h("a", { href: "/schema" }, "API"),
  );
}
