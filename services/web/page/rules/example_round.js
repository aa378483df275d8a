/** Shows an example round: every bid with a remark, and then the lifted cups. */

import { h } from "../core/render.js";
import { die, faceName } from "../dice/die.js";
import { countedDice, counts, EXAMPLES } from "./examples.js";

/** @import {Rulebook} from "../../client/messages/types.js" */
/** @import {Words} from "../words/words.js" */
/** @import {BookId} from "./books.js" */

/** @param {Words} words @param {Rulebook} book @param {BookId} id */
export function exampleRound(words, book, id) {
  const texts = words.messages.rules;
  const example = EXAMPLES[id];
  const told = texts.examples[id];
  const name = (/** @type {number} */ seat) => example.cups[seat]?.[0] ?? "";
  const [, quantity = 0, face = 0] = example.bids.at(-1) ?? [];
  return h(
    "section",
    { class: "example card", "aria-labelledby": "example-title" },
    h("h2", { id: "example-title" }, texts.example),
    h("p", null, told.before),
    h("ol", { class: "example-moves" },
      example.bids.map(([seat, count, on], index) => h("li", null, h("strong", null, name(seat)), bid(words, book, count, on), h("span", { class: "soft" }, told.remarks[index]))),
      h("li", { class: "is-doubt" }, h("strong", null, name(example.doubter)), h("span", { class: "example-doubt" }, texts.doubts), h("span", { class: "soft" }, told.remarks[example.bids.length])),
    ),
    h("div", { class: "example-cups" }, example.cups.map(([player, dice]) => h("div", null, h("span", { class: "small" }, player), h("span", { class: "dice" }, dice.map((one) => die(one, { words, wild: book.wildName, state: counts(example, one) })))))),
    h("p", null, h("strong", null, texts.counted({ actual: countedDice(example), quantity, face: faceName(face, book.wildName, words) })), " ", told.after),
  );
}

/** @param {Words} words @param {Rulebook} book @param {number} count @param {number} face */
function bid(words, book, count, face) {
  return h("span", { class: "example-bid" }, `${words.number(count)} ×`, die(face, { words, wild: book.wildName }));
}
