/** A page that is still to be written. */

import { h } from "../core/render.js";

/** @import {Page} from "../core/page.js" */

/** @type {Page<{}>} */
export default {
  initial: {},
  title: () => "rules/rules_page",
  enter: () => {},
  view: () => h("h1", null, "rules/rules_page"),
};
