/**
 * `<liars-dice-replay game="..." step="12" seat="everything">`: a replay on any page.
 *
 * `server` is the server's origin; if it is not set, the one that this module came from. The element stands in the light of the page but
 * keeps to itself: its styles hold only below its tag, and those of the page do not reach into it. It reads without a token, so the
 * server has to let the page's origin read (`--cors-origin`).
 */

import { Api } from "../core/api.js";
import { keptPreferences, LANGUAGES } from "../core/preferences.js";
import { problemOf } from "../core/problem.js";
import { h, patch } from "../core/render.js";
import { wordsIn } from "../words/words.js";
import { addressOf, eyesNamed } from "./address.js";
import { scopedStyles } from "./element_style.js";
import { recordingOf } from "./recording.js";
import { stage } from "./stage.js";
import { bookTitle } from "./telling.js";
import { Walk, walkByKey } from "./walk.js";

/** @import {Words} from "../words/words.js" */

export const TAG = "liars-dice-replay";

export class LiarsDiceReplay extends HTMLElement {
  static observedAttributes = ["game", "server", "step", "seat", "lang"];
  /** @type {AbortController | null} */
  #leaving = null;
  /** @type {Walk | null} */
  #walk = null;
  #drawing = false;

  connectedCallback() {
    this.addEventListener("keydown", this.#key);
    this.#begin();
  }

  disconnectedCallback() {
    this.removeEventListener("keydown", this.#key);
    this.#end();
  }

  /** @param {string} name @param {string | null} before @param {string | null} value */
  attributeChangedCallback(name, before, value) {
    if (!this.isConnected || before === value) return;
    if (this.#walk === null || (name !== "step" && name !== "seat")) this.#begin();
    else if (name === "step") this.#walk.to(Number(value));
    else this.#walk.see(eyesNamed(value, this.#walk.recording, null));
  }

  /** The step that is shown, and through whose eyes; null while it is loaded. */
  get position() {
    return this.#walk?.position ?? null;
  }

  get #server() {
    return new URL(this.getAttribute("server") ?? import.meta.url).origin;
  }

  #end() {
    this.#leaving?.abort();
    this.#walk?.end();
    this.#walk = null;
  }

  async #begin() {
    this.#end();
    const { signal } = (this.#leaving = new AbortController());
    const [words] = await Promise.all([wordsIn(languageOf(this)), this.#dress().catch(() => null)]); // Without styles it can still be read.
    if (signal.aborted) return;
    this.#show(words, h("p", { role: "status", class: "waiting" }, words.messages.shell.loading));
    try {
      const recording = await recordingOf(new Api({ origin: this.#server }), this.getAttribute("game") ?? "", signal);
      const step = this.getAttribute("step");
      const where = { step: step === null ? null : Number(step), eyes: eyesNamed(this.getAttribute("seat"), recording, null) };
      const walk = new Walk(recording, where, () => this.#changed(words));
      this.#walk = walk;
      this.#draw(words);
    } catch (error) {
      if (!signal.aborted) this.#show(words, h("p", { role: "alert", class: "empty" }, words.problem(problemOf(error))));
    }
  }

  /** Draw once a frame, however often the reader moves. @param {Words} words */
  #changed(words) {
    this.dispatchEvent(new CustomEvent("step", { detail: this.position, bubbles: true }));
    if (this.#drawing) return;
    this.#drawing = true;
    requestAnimationFrame(() => {
      this.#drawing = false;
      this.#draw(words);
    });
  }

  /** @param {Words} words */
  #draw(words) {
    const walk = this.#walk;
    if (walk === null) return;
    const { recording, position } = walk;
    const link = new URL(addressOf(recording.listing.game_id, position), this.#server).href;
    this.#show(words, [
      h("header", { class: "replay-embed-head" }, h("strong", null, bookTitle(recording.book, words)), h("span", { class: "soft small" }, words.list(recording.players.map((player) => player.name)))),
      stage(walk, words, h("a", { href: link, target: "_blank", rel: "noopener" }, words.messages.replay.embedOpen)),
    ]);
  }

  /** @param {Words} words @param {import("../core/render.js").Children} content */
  #show(words, content) {
    patch(this, h("div", { class: "replay-embed", lang: words.language }, content));
  }

  async #dress() {
    const sheet = await scopedStyles(TAG);
    const root = /** @type {Document | ShadowRoot} */ (this.getRootNode());
    if (this.isConnected && !root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  }

  /** @param {KeyboardEvent} event */
  #key = (event) => {
    if (this.#walk === null || event.defaultPrevented || (event.target instanceof HTMLSelectElement)) return;
    walkByKey(event, this.#walk);
  };
}

/** The language of the element, of the page around it, or of the reader. @param {HTMLElement} element */
function languageOf(element) {
  const named = element.closest("[lang]:not(.replay-embed)")?.getAttribute("lang")?.slice(0, 2);
  return LANGUAGES.find((one) => one === named) ?? keptPreferences().language;
}

if (!customElements.get(TAG)) customElements.define(TAG, LiarsDiceReplay);
