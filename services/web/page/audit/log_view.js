/** Where a round stands in the server's log. */

import { h } from "../core/render.js";

/** @import {App} from "../core/page.js" */
/** @import {Report} from "../verifier/report.js" */
/** @import {RoundState} from "./round_page.js" */

/** @param {App<RoundState>} app @param {Report} report */
export function logView({ api, words }, { key, log }) {
  const texts = words.messages.audit;
  if (log === null) return null;
  return h(
    "section",
    { class: "card", "aria-labelledby": "audit-log" },
    h("h2", { id: "audit-log" }, texts.log),
    h("p", { class: "soft" }, texts.logHint),
    h(
      "dl",
      { class: "audit-facts" },
      h("dt", null, texts.leaf), h("dd", null, texts.leafOf({ leaf: words.number(log.leaf), size: words.number(Number(log.size)) })),
      h("dt", null, texts.logName), h("dd", null, log.origin),
      h("dt", null, texts.keyId), h("dd", null, h("code", null, key?.id ?? "")),
    ),
    h("p", { class: "row small" }, h("a", { href: api.address(`/checkpoints/${log.size}`) }, texts.checkpoint), h("a", { href: api.address("/checkpoints/keys") }, texts.keys)),
  );
}
