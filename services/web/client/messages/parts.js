/** Shapes that tables and events share. */

import { flag, maybe, message, named, whole } from "./decode.js";

export const OPTIONS = message({
  chips: flag,
  wildAces: flag,
  raiseRule: named("RAISE_RULE"),
  diceEach: maybe(whole),
  opener: maybe(whole),
  turnSeconds: maybe(whole),
  onTimeout: named("ON_TIMEOUT"),
});

export const PLACED_BID = message({ seat: whole, quantity: whole, face: whole });
