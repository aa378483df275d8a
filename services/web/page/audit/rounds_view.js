/** What a bundle is about: one round, or all rounds of a game to open one by one. */

import { h } from "../core/render.js";
import { resultSentence, roundView } from "./round_view.js";
import { shownRound } from "./shown_round.js";

/** @import {Children} from "../core/render.js" */
/** @import {Report} from "../verifier/report.js" */
/** @import {Texts} from "./texts.js" */

/** @param {Report} report @param {Texts} texts @param {(clause: string) => string | null} ruleAddress @returns {Children} */
export function roundsView(report, texts, ruleAddress) {
  const { gameId, round, rounds } = report;
  const last = rounds.at(-1);
  if (last === undefined || gameId === null) return null;
  const about = round === null ? texts.say("offline.game", { game: gameId }) : texts.say("offline.round", { round, game: gameId });
  return h(
    "section",
    { class: "audit-about", "aria-labelledby": "audit-about" },
    h("h2", { id: "audit-about" }, about),
    h("p", { class: "soft" }, texts.say(`book.${report.rulebook}`)),
    round !== null ? roundView(shownRound(report, last, texts), ruleAddress) : rounds.map((one) => {
      const shown = shownRound(report, one, texts);
      return h(
        "details",
        { class: "card audit-of-game", key: one.number },
        h("summary", null, h("strong", null, texts.say("round.title", { number: one.number })), h("span", { class: "soft" }, resultSentence(shown))),
        roundView(shown, ruleAddress),
      );
    }),
  );
}
