/** What a page is, and what it may use. */

/** @import {Children} from "./render.js" */
/** @import {Api} from "./api.js" */
/** @import {Route} from "./router.js" */
/** @import {Words} from "../words/words.js" */
/** @import {Preferences} from "./preferences.js" */
/** @import {Session} from "./session.js" */
/** @import {Problem} from "./problem.js" */

/**
 * What a page may use. `state` is the page's own state; `update` changes it, and the page is drawn again.
 * @template State
 * @typedef {object} App
 * @property {State} state
 * @property {(change: Partial<State>) => void} update
 * @property {Route} route
 * @property {Words} words the texts in the reader's language
 * @property {Preferences} preferences language, theme, sound, motion and whether odds are shown
 * @property {(change: Partial<Preferences>) => Promise<void>} prefer keeps what the reader prefers from now on
 * @property {Api} api what the server tells over HTTP
 * @property {Session} session the player: `await session.client()` plays
 * @property {(path: string, options?: {replace?: boolean}) => void} go leads to another address of this page
 * @property {(text: string) => void} announce says something to screen readers
 * @property {(text: string, kind?: "info" | "good" | "bad") => void} notify shows a short message
 * @property {(error: unknown) => Problem} failed notes that something went wrong and shows it in the reader's language
 * @property {AbortSignal} signal ends when the reader goes to another page
 */

/**
 * A page is a function of its state. It is drawn with its initial state at once. `enter` is called once for an address, as soon
 * as it is known who is here; what it starts has to end with `app.signal`.
 * `moved` is called instead of `enter` when only the query of the address has changed.
 * @template State
 * @typedef {object} Page
 * @property {State} initial the state before anything was loaded
 * @property {(app: App<State>) => string} title
 * @property {(app: App<State>) => void | Promise<void>} enter
 * @property {(app: App<State>) => void} [moved]
 * @property {(app: App<State>) => Children} view
 * @property {(event: KeyboardEvent, app: App<State>) => void} [key] called for keys that no field has taken
 * @property {"wide" | "full"} [width] how much of the window it uses; a column of text if not set
 */

export {};
