/** Which bids are legal, and which of them is the lowest. */

/** @import {Book} from "./books.js" */
import { WILD_FACE } from "./books.js";

/** @typedef {{quantity: number, face: number}} Bid */
/** @typedef {Bid & {seat: number}} PlacedBid */
/** @typedef {"same_face_or_higher_face" | "quantity_or_face" | "beat_the_higher_number"} RaiseRule */
/** @typedef {{book: Book, raiseRule: RaiseRule, palafico: boolean, standing: Bid | null}} Bidding what a bid is measured by */

const QUANTITY_MAX = 1000;
const FACES = [1, 2, 3, 4, 5, 6];

/** The raise rules of the single hand (SH-9, SH-10, SH-11). @type {Record<RaiseRule, (bid: Bid, standing: Bid) => boolean>} */
const RAISES = {
  same_face_or_higher_face: (bid, standing) => bid.face > standing.face || (bid.face === standing.face && bid.quantity > standing.quantity),
  quantity_or_face: (bid, standing) => bid.quantity > standing.quantity || (bid.quantity === standing.quantity && bid.face > standing.face),
  beat_the_higher_number: (bid, standing) => Math.max(bid.quantity, bid.face) > Math.max(standing.quantity, standing.face),
};

/** Why a bid is not legal, as the key of a sentence; null if it is. @param {Bid} bid @param {Bidding} bidding @returns {string | null} */
export function problemWith(bid, { book, palafico, raiseRule, standing }) {
  if (bid.quantity < 1 || bid.quantity > QUANTITY_MAX) return "quantity-out-of-range"; // R9
  if (!FACES.includes(bid.face)) return "no-such-face"; // R11
  if (bid.face === WILD_FACE && book.wildBids === "never") return "wild-never-bid"; // PI-6
  if (standing === null) {
    const wildOpens = bid.face === WILD_FACE && book.wildBids === "not-to-open" && !palafico;
    return wildOpens ? "wild-does-not-open" : null; // PA-5, PA-13
  }
  if (palafico) return bid.face === standing.face && bid.quantity > standing.quantity ? null : "not-higher"; // PA-14
  return raises(bid, standing, book, raiseRule) ? null : "not-higher";
}

/** The lowest legal bid: the nearest on the track, elsewhere the one with the fewest dice; of those, the one with the lowest face.
 * @param {Bidding} bidding @returns {Bid | null} null if there is no higher one */
export function lowestBid(bidding) {
  const height = (/** @type {Bid} */ bid) => (bidding.book.track ? place(bid) : bid.quantity);
  let lowest = null;
  for (const face of FACES) {
    for (let quantity = 1; quantity <= QUANTITY_MAX; quantity += 1) {
      const bid = { quantity, face };
      if (problemWith(bid, bidding) !== null) continue;
      if (lowest === null || height(bid) < height(lowest)) lowest = bid;
      break;
    }
  }
  return lowest;
}

/** @param {Bid} bid @param {Bid} standing @param {Book} book @param {RaiseRule} raiseRule */
function raises(bid, standing, book, raiseRule) {
  if (!book.track) return RAISES[raiseRule](bid, standing);
  const ahead = place(bid) - place(standing);
  return ahead > 0 || (ahead === 0 && bid.face > standing.face); // BT-8 to BT-11, PT-6 to PT-8
}

/** The place of a bid on the track (R6). @param {Bid} bid */
function place({ face, quantity }) {
  return face === WILD_FACE ? 3 * quantity - 1 : quantity + Math.floor(quantity / 2);
}
