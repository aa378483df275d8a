/**
 * A table as the server shows it, held against its own events: what a player decides by must follow from them.
 *
 * Both are written down as texts, so that the table of every version can be kept. They leave out what takes rules: chips, legal
 * moves, the count of a challenge.
 */

/** @import {GameView, SeatView} from "../messages/types.js" */
/** @import {Course} from "../fairness/course.js" */
import { diceEachOf } from "../fairness/books.js";
import { PHASES } from "../fairness/stages.js";

/** The table that the server shows. @param {GameView} view */
export function shownTable(view) {
  const { abandoned, bids, gameId, lastRound, options, phase, places, rerolled, round, rulebook, rulebookVersion } = view;
  const { seats, viewer, waiting, winner } = view;
  const last = lastRound === null ? null : { number: lastRound.number, dice: lastRound.dice };
  const compared = seats.map(seatPart);
  return JSON.stringify([
    { viewer, gameId, rulebook, rulebookVersion, options, phase, round, bids, waiting, rerolled, last },
    { winner, places, abandoned, seats: compared },
  ]);
}

/** The table that the events make. @param {Course} course @param {number} viewer */
export function madeTable(course, viewer) {
  const { gameId, options, rulebook, rulebookVersion } = course.created;
  const phase = PHASES[course.stage];
  const bidding = phase === "bidding";
  const round = phase === "rolling" || phase === "settling" || bidding ? course.round : null;
  const bids = bidding ? course.bids : [];
  const rerolled = bidding && course.rerolled;
  const { end, lastRound: last, waiting } = course;
  return JSON.stringify([
    { viewer, gameId, rulebook, rulebookVersion, options, phase, round, bids, waiting, rerolled, last },
    {
      winner: end?.type === "GameEnded" ? end.winner : null,
      places: end?.type === "GameEnded" ? end.places : [],
      abandoned: end?.type === "GameAbandoned" ? end.reason : null,
      seats: course.joined.map((_, seat) => seatPart(madeSeat(course, seat, viewer))),
    },
  ]);
}

/** @param {Course} course @param {number} seat @param {number} viewer */
function madeSeat(course, seat, viewer) {
  const player = /** @type {Course["joined"][number]} */ (course.joined[seat]);
  const cup = course.stage === "bidding" ? course.cups[seat] : undefined;
  const diceCount = course.counts[seat] ?? diceEachOf(course.created.options);
  return {
    ...player,
    seat,
    diceCount,
    hiddenCount: cup?.hiddenCount ?? 0,
    hidden: seat === viewer ? (cup?.hidden ?? null) : null,
    shown: cup?.shown ?? [],
    out: diceCount === 0,
  };
}

/** @param {Omit<SeatView, "chips">} seat */
function seatPart({ chainHeldBy, diceCount, hidden, hiddenCount, kind, name, out, playerId, seat, shown }) {
  return { seat, playerId, name, kind, chainHeldBy, diceCount, hiddenCount, hidden, shown, out };
}
