/** A page that is still to be written. */

import { h } from "../core/render.js";

/** @import {Page} from "../core/page.js" */

/** @type {Page<{}>} */
export default {
  initial: {},
  title: () => "shell/about_page",
  enter: () => {},
  view: () => h("h1", null, "shell/about_page"),
};
