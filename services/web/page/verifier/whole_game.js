/** A whole game, followed from its first event to its last. */

/** @import {Bundle} from "./bundle.js" */
/** @import {Course} from "./course.js" */
/** @import {Game} from "./game.js" */
import { expectFields } from "./course.js";
import { abandon, inPlay } from "./game.js";
import { firstOpening } from "./opener.js";
import { followRound } from "./round.js";
import { seatedGame } from "./table.js";

/** Follow all events of a bundle. @param {Course} course @param {Bundle} bundle @returns {Game} */
export function followedGame(course, bundle) {
  const game = seatedGame(course, bundle.gameId);
  if (game.abandoned === null) followRounds(game);
  course.end();
  return game;
}

/** @param {Game} game */
function followRounds(game) {
  let opening = firstOpening(game);
  while (opening !== null) {
    opening = followRound(game, opening);
    // A bundle about a round ends here. What comes next is in the bundles of later rounds.
    if (game.course.isOver) return;
  }
  if (game.abandoned !== null) return;
  if (inPlay(game).length > 1) abandon(game);
  else endGame(game);
}

/** The last player with dice wins (BT-21, SH-13, PI-13, PT-16, PA-16). @param {Game} game */
function endGame(game) {
  const { chips, course, out } = game;
  const [winner = 0] = inPlay(game);
  if (chips !== null) chips.winGame(course, winner);
  const places = [[winner], ...[...out].reverse()];
  expectFields(course.take("game-ended"), { winner, places, chips: chips?.bySeat ?? null }, "outcome");
  game.places = places;
}
