/** What can be taken home from a game, and what proves its dice. */

import { h } from "../core/render.js";

/** @import {Api} from "../core/api.js" */
/** @import {Children} from "../core/render.js" */
/** @import {Words} from "../words/words.js" */
/** @import {Recording} from "./recording.js" */

/** @typedef {{number: number, disputes: {seat: number, closed: boolean}[]}} LoggedRound */

/** @param {{recording: Recording, logged: LoggedRound[], api: Api, words: Words}} told @returns {Children} */
export function downloads({ recording, logged, api, words }) {
  const texts = words.messages.replay;
  const { game_id, forked_from } = recording.listing;
  const path = `/games/${encodeURIComponent(game_id)}`;
  const proves = forked_from === null; // The dice of a practice game are copies, which prove nothing.
  return [
    h(
      "p",
      { class: "row" },
      link(api.address(`${path}/record`), `${game_id}.json`, texts.record),
      link(api.address(`${path}/record`, { format: "notation" }), `${game_id}.txt`, texts.notation),
      proves && recording.rounds.length > 0 && link(api.address(`${path}/audit`), `${game_id}.bundle.json`, texts.bundle),
    ),
    proves && h("p", null, h("a", { href: `/verify?game=${encodeURIComponent(game_id)}` }, texts.verify)),
    proves && recording.rounds.length > 0 && [
      h("h3", null, texts.roundsTitle),
      h("ul", { class: "replay-proofs" }, recording.rounds.filter((round) => round.over).map(({ number }) => h(
        "li",
        { key: number },
        h("a", { href: `${path}/rounds/${number}`, "aria-label": texts.roundAudit({ number }) }, number),
        logged.find((one) => one.number === number)?.disputes.length ? h("span", { class: "tag" }, texts.disputed) : null,
      ))),
    ],
  ];
}

/** @param {string} href @param {string} name @param {string} text */
function link(href, name, text) {
  return h("a", { class: "button", href, download: name }, text);
}
