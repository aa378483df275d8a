/** How fresh an answer of a read model is. While the server catches up, the page says so and looks again by itself. */

import { h } from "../core/render.js";

/** @import {App} from "../core/page.js" */
/** @import {Children} from "../core/render.js" */

/** @typedef {{complete: boolean, caught_up_to: number | null}} Freshness as docs/reference/freshness.md defines it */
/** @typedef {"games" | "statistics" | "clubs"} Model */
/** @typedef {{percent: number, stopped: boolean}} Progress */

const LOOK_MILLISECONDS = 1_500;

/** A line below a list. `reload` reads it again. @param {App<any>} app @param {Model} model @param {Freshness | null | undefined} freshness @param {() => unknown} reload @returns {Children} */
export function freshnessNote(app, model, freshness, reload) {
  if (!freshness) return null;
  const texts = app.words.messages.shell.freshness;
  const { complete, caught_up_to: upTo } = freshness;
  if (complete) return h("p", { class: "freshness soft small", key: "fresh" }, upTo === null ? texts.complete : texts.completeTo({ time: app.words.clock(upTo) }));
  /** @type {Progress | undefined} */
  const progress = app.state.progress;
  return h(
    "p",
    { class: "banner freshness is-behind", role: "status", key: "behind", created: (/** @type {Element} */ element) => untilComplete(app, model, element, reload) },
    upTo === null ? texts.behind : texts.behindSince({ time: app.words.time(upTo) }),
    " ",
    progress?.stopped ? texts.stopped : [progress && `${texts.done({ percent: app.words.percent(progress.percent / 100) })} `, texts.renews],
  );
}

/** How fresh a model is now; null if nobody tells. @param {App<any>} app @param {Model} model @param {AbortSignal} [signal] @returns {Promise<(Progress & {freshness: Freshness}) | null>} */
export async function freshnessOf(app, model, signal = app.signal) {
  const told = await app.api.get("/freshness", {}, signal).catch(() => null);
  return told?.models.find((/** @type {{model: string}} */ one) => one.model === model) ?? null;
}

/** Look again and again, as long as the note stands there. @param {App<any>} app @param {Model} model @param {Element} note @param {() => unknown} reload */
async function untilComplete(app, model, note, reload) {
  const { signal } = app;
  do {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
    if (signal.aborted || !note.isConnected) return;
    const found = await freshnessOf(app, model, signal);
    if (signal.aborted) return;
    if (found !== null) app.update({ progress: { percent: found.percent, stopped: found.stopped } });
    if (found?.freshness.complete) await reload();
  } while (note.isConnected);
}
