/** The page for addresses that lead nowhere. */

import { h } from "../core/render.js";

/** @import {Page} from "../core/page.js" */

/** @type {Page<{}>} */
export default {
  initial: {},
  title: ({ words }) => words.messages.shell.missing,
  enter: () => {},
  view: ({ words }) => [
    h("h1", null, words.messages.shell.missing),
    h("p", null, words.messages.shell.missingHint),
    h("p", null, h("a", { class: "button", href: "/" }, words.messages.shell.home)),
  ],
};
