/** The shapes of the messages that say how fresh answers are; docs/reference/freshness.md defines them. */

/** @import {Freshness, ModelFreshness, ServerFreshness} from "./types.js" */
import { flag, many, message, text, time, whole } from "./decode.js";

/** How fresh an answer is, from its field `freshness`: what a server does not say is not complete. @type {(raw: unknown) => Freshness} */
export const freshnessOf = message({ complete: flag, caughtUpTo: time });

/** @type {(raw: unknown) => ModelFreshness} */
export const modelFreshnessOf = message({ model: text, freshness: freshnessOf, percent: whole, stopped: flag });

/** @type {(raw: unknown) => ServerFreshness} */
export const serverFreshnessOf = message({ now: time, models: many(modelFreshnessOf) });
