/** The frame around every page: the way to other pages, settings, messages, and what happens when an address changes. */

import { Api } from "../core/api.js";
import { keep, keptPreferences, prefersStillness } from "../core/preferences.js";
import { problemOf } from "../core/problem.js";
import { patch } from "../core/render.js";
import { routeOf } from "../core/router.js";
import { Session } from "../core/session.js";
import { Store } from "../core/store.js";
import { wordsIn } from "../words/words.js";
import { frame } from "./frame.js";

/** @import {App, Page} from "../core/page.js" */
/** @import {Preferences} from "../core/preferences.js" */
/** @import {Route} from "../core/router.js" */
/** @import {Words} from "../words/words.js" */

/** @typedef {{id: number, text: string, kind: "info" | "good" | "bad"}} Notice */

/**
 * @typedef {object} State everything that the document is a function of
 * @property {Route} route
 * @property {Page<any> | null} page null while its module is loaded
 * @property {any} ofPage
 * @property {Words} words
 * @property {Preferences} preferences
 * @property {Notice[]} notices
 * @property {boolean} online
 * @property {boolean} stale whether the server has a newer version of this page
 */

const NOTICE_MILLISECONDS = 6_000;

/** Start the page in an element. @param {Element} root */
export async function start(root) {
  const preferences = keptPreferences();
  await new Shell(root, preferences, await wordsIn(preferences.language)).begin();
}

class Shell {
  #root;
  #store;
  #session = new Session();
  #api = new Api({ token: () => this.#session.token });
  #leaving = new AbortController();
  #notices = 0;

  /** @param {Element} root @param {Preferences} preferences @param {Words} words */
  constructor(root, preferences, words) {
    this.#root = root;
    /** @type {State} */
    const state = { route: routeOf(new URL(location.href)), page: null, ofPage: null, words, preferences, notices: [], online: true, stale: false };
    this.#store = new Store(state);
    this.#store.subscribe(() => this.#draw());
  }

  async begin() {
    addEventListener("popstate", () => this.#enter(new URL(location.href)));
    addEventListener("online", () => this.#store.update({ online: true }));
    addEventListener("offline", () => this.#store.update({ online: false }));
    document.addEventListener("click", (event) => this.#follow(event));
    document.addEventListener("keydown", (event) => this.#key(event));
    this.#applyPreferences();
    this.#draw();
    this.#resumed = this.#resume();
    await this.#enter(new URL(location.href));
  }

  /** Whoever was here before is here again; until then pages show what needs nobody. @type {Promise<void>} */
  #resumed = Promise.resolve();

  async #resume() {
    const player = await this.#session.resume().catch(() => null); // Then a page that needs the player says what is wrong.
    if (player !== null) this.#store.update({}); // The frame shows the name.
  }

  get #state() {
    return this.#store.state;
  }

  /** What the page that is shown may use. @returns {App<any>} */
  #app() {
    const { route, ofPage, words, preferences } = this.#state;
    const signal = this.#leaving.signal;
    return {
      route,
      words,
      preferences,
      state: ofPage,
      api: this.#api,
      session: this.#session,
      signal,
      update: (change) => {
        // What a page has begun may end after the reader has left it.
        if (!signal.aborted) this.#store.update({ ofPage: { ...this.#state.ofPage, ...change } });
      },
      prefer: (change) => this.#prefer(change),
      go: (path, { replace = false } = {}) => this.#go(new URL(path, location.href), replace),
      announce: (text) => this.#announce(text),
      notify: (text, kind = "info") => this.#notify(text, kind),
      failed: (error) => this.#failed(error, signal),
    };
  }

  /** @param {URL} address @param {boolean} replace */
  #go(address, replace) {
    if (address.href !== location.href) history[replace ? "replaceState" : "pushState"](null, "", address);
    this.#enter(address);
  }

  /** Show the page of an address. @param {URL} address */
  async #enter(address) {
    const before = this.#state;
    const route = routeOf(address);
    if (before.page?.moved && before.route.path === route.path) {
      this.#store.update({ route });
      this.#moved(before.page);
      return;
    }
    this.#leaving.abort();
    this.#leaving = new AbortController();
    const { signal } = this.#leaving;
    this.#store.update({ route, page: null, ofPage: null });
    try {
      const page = (await route.page()).default;
      if (signal.aborted) return;
      await this.#show(page);
      await this.#resumed;
      if (signal.aborted) return;
      await page.enter(this.#live());
    } catch (error) {
      if (signal.aborted) return;
      // Modules of a version that is gone can't be loaded any more.
      if (this.#state.page === null && error instanceof TypeError) this.#store.update({ stale: true });
      else this.#failed(error, signal);
    }
  }

  /** Draw a page; its state is there when the answer is. @param {Page<any>} page */
  async #show(page) {
    const change = () => {
      this.#store.update({ page, ofPage: page.initial });
      this.#draw();
      const ways = /** @type {HTMLElement | null} */ (document.querySelector(".ways"));
      const here = /** @type {HTMLElement | null} */ (ways?.querySelector("[aria-current]") ?? null);
      // On a phone the way to the page that is shown may lie out of sight.
      if (ways && here) ways.scrollLeft = here.offsetLeft - ways.offsetLeft - ways.clientWidth / 2;
      const addressed = document.getElementById(location.hash.slice(1));
      if (addressed === null) scrollTo(0, 0);
      else addressed.scrollIntoView({ block: "center" });
      // A screen reader goes on with what the address leads to, or with the heading of the new page.
      if (this.#hasMoved || addressed !== null) (addressed ?? document.querySelector("main"))?.focus({ preventScroll: true });
      this.#hasMoved = true;
    };
    if (!document.startViewTransition || prefersStillness() || !this.#hasMoved) return change();
    const transition = document.startViewTransition(change);
    transition.ready.catch(() => null); // A browser may skip the motion; the change is made all the same.
    await transition.updateCallbackDone;
  }

  #hasMoved = false;

  /** @param {Page<any>} page */
  #moved(page) {
    page.moved?.(this.#live());
  }

  /** The app whose state is the one of the moment, not that of the moment at which a page began. @returns {App<any>} */
  #live() {
    const app = this.#app();
    const state = () => this.#state;
    return Object.defineProperties(app, {
      state: { get: () => state().ofPage },
      words: { get: () => state().words },
      preferences: { get: () => state().preferences },
      route: { get: () => state().route },
    });
  }

  #draw() {
    const { page, words } = this.#state;
    const app = this.#app();
    document.title = page === null ? words.messages.shell.name : `${page.title(app)} – ${words.messages.shell.name}`;
    const actions = { prefer: (/** @type {Partial<Preferences>} */ change) => this.#prefer(change), dismiss: (/** @type {number} */ id) => this.#dismiss(id) };
    patch(this.#root, frame(this.#state, this.#session.player, page === null ? null : page.view(this.#live()), actions));
  }

  /** Follow a link to another address of this page without loading everything again. @param {MouseEvent} event */
  #follow(event) {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute("download")) return;
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const address = new URL(link.href);
    if (address.origin !== location.origin || /^\/(api|schema|assets|health|verify\.html)/.test(address.pathname)) return;
    if (address.pathname === location.pathname && address.search === location.search && address.hash) return;
    event.preventDefault();
    this.#go(address, false);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
    const target = event.target;
    if (target instanceof HTMLElement && target.closest("input, select, textarea, dialog, [contenteditable]")) return;
    this.#state.page?.key?.(event, this.#live());
  }

  /** @param {string} text */
  #announce(text) {
    const region = document.querySelector("#announcements");
    if (region === null) return;
    const line = document.createElement("p");
    line.textContent = text;
    region.append(line);
    while (region.childElementCount > 20) region.firstElementChild?.remove();
  }

  /** @param {string} text @param {Notice["kind"]} kind */
  #notify(text, kind) {
    const notice = { id: (this.#notices += 1), text, kind };
    this.#store.update({ notices: [...this.#state.notices.filter((one) => one.text !== text), notice].slice(-3) });
    setTimeout(() => this.#dismiss(notice.id), NOTICE_MILLISECONDS);
  }

  /** @param {number} id */
  #dismiss(id) {
    this.#store.update({ notices: this.#state.notices.filter((one) => one.id !== id) });
  }

  /** @param {unknown} error @param {AbortSignal} signal */
  #failed(error, signal) {
    const problem = problemOf(error);
    if (!signal.aborted) this.#notify(this.#state.words.problem(problem), "bad");
    return problem;
  }

  /** @param {Partial<Preferences>} change */
  async #prefer(change) {
    const preferences = { ...this.#state.preferences, ...change };
    keep(preferences);
    this.#store.update({ preferences, words: change.language ? await wordsIn(change.language) : this.#state.words });
    this.#applyPreferences();
  }

  #applyPreferences() {
    const { theme, language } = this.#state.preferences;
    document.documentElement.lang = language;
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }
}
