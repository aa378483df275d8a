/** The track that bids move along, as a board: numbers and wild spaces in order, with the standing bid as a die on its space. */

import { h } from "../core/render.js";
import { die, faceName } from "../dice/die.js";
import { lapOf, placeOf, spacesOf } from "./places.js";

/** @import {Bid} from "../../client/messages/types.js" */
/** @import {Words} from "../words/words.js" */
/** @import {Space} from "./places.js" */

/**
 * @typedef {object} TrackLook
 * @property {Words} words
 * @property {string} wildName
 * @property {Bid | null} standing
 * @property {Bid[]} lowest the lowest legal bids, if somebody can pick one
 * @property {{quantity: number, wild: number}} [picked]
 * @property {(space: Space) => void} [pick]
 * @property {number} [diceCount] spaces beyond it are drawn weaker
 */

const COLUMNS = 15;
const WILD = 1;

/** @param {TrackLook} look */
export function track(look) {
  const { words, standing, lowest } = look;
  const furthest = standing ?? lowest[0] ?? null;
  const lap = furthest === null ? 0 : lapOf(placeOf(furthest));
  const texts = words.messages.table.track;
  return h(
    "div",
    // On a phone the strip is moved with the keys too; for a player its spaces take the focus.
    { class: "track-scroll", tabindex: look.pick ? null : 0, role: look.pick ? null : "group", "aria-label": look.pick ? null : texts.label },
    h("ol", { class: "track", "aria-label": lap > 0 ? `${texts.label}, ${texts.lap({ number: lap + 1 })}` : texts.label }, spacesOf(lap).map((space) => spaceView(space, look))),
  );
}

/** @param {Space} space @param {TrackLook} look */
function spaceView(space, look) {
  const { words, wildName, standing, pick, picked, diceCount = Number.MAX_SAFE_INTEGER } = look;
  const here = standing !== null && placeOf(standing) === space.place;
  const legal = pick !== undefined && isLegal(space, look.lowest);
  const chosen = legal && (space.wild ? picked?.wild : picked?.quantity) === space.quantity;
  const content = here && standing
    ? die(standing.face, { wild: wildName, words, key: `standing ${standing.face}` })
    : [space.wild && h("span", { class: "space-wild", "aria-hidden": "true" }, die(WILD, { wild: wildName, words })), h("span", { class: "space-number" }, space.quantity)];
  return h(
    "li",
    {
      key: space.place,
      class: ["space", space.wild && "is-wild", here && "is-here", legal && "is-legal", chosen && "is-chosen", space.quantity > diceCount && "is-beyond"],
      style: cellOf(space.place),
      ...(here ? { "aria-current": "true" } : {}),
    },
    legal && !here
      ? h("button", { class: "plain", tabindex: -1, "aria-label": labelOf(space, look), "aria-pressed": String(chosen), onclick: () => pick?.(space) }, content)
      : h("span", { class: "space-rest", role: "img", "aria-label": `${labelOf(space, look)}${here ? `, ${words.messages.table.track.here}` : ""}`, created: here ? intoView : undefined, key: here ? `here ${space.place}` : undefined }, content,
        legal && h("button", { class: "plain space-stay", tabindex: -1, "aria-label": labelOf(space, look), onclick: () => pick?.(space) })),
  );
}

/** The two rows of the board make a loop: the second runs back. @param {number} place */
function cellOf(place) {
  const index = (place - 1) % (COLUMNS * 2);
  return index < COLUMNS ? { "--column": index + 1, "--row": 1 } : { "--column": COLUMNS * 2 - index, "--row": 2 };
}

/** @param {Space} space @param {Bid[]} lowest */
function isLegal({ wild, quantity }, lowest) {
  return lowest.some((bid) => (bid.face === WILD) === wild && bid.quantity <= quantity);
}

/** @param {Space} space @param {TrackLook} look */
function labelOf({ wild, quantity }, { words, wildName }) {
  const texts = words.messages.table.track;
  return wild ? texts.wild({ number: quantity, wild: faceName(WILD, wildName, words) }) : texts.number({ number: quantity });
}

/** Where the track is a strip, the standing bid is in its middle. @param {HTMLElement} element */
function intoView(element) {
  requestAnimationFrame(() => {
    const strip = element.closest(".track-scroll");
    const box = element.getBoundingClientRect();
    if (strip !== null) strip.scrollBy({ left: box.left - strip.getBoundingClientRect().left - (strip.clientWidth - box.width) / 2 });
  });
}
