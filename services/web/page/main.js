/** The beginning of the page. */

import { start } from "./shell/shell.js";

await start(document.querySelector("#app") ?? document.body);
