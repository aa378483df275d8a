/**
 * The table as one viewer saw it. The steps that the server gave have only what the reader may know; eyes can only show less of it,
 * as `domain/views.py` and the server's viewpoints do.
 */

/** @import {Eyes, GameView, Odds, SeatView} from "./types.js" */
/** @import {TableState} from "./fold.js" */

/** The table through somebody's eyes; null before there is one. @param {TableState | null} state @param {Eyes} eyes @param {string} wildName @returns {GameView | null} */
export function viewOf(state, eyes, wildName) {
  if (state === null) return null;
  const { table, phase, round, bids, rerolled, standing, winner, places, abandoned } = state;
  const isWaiting = phase === "choosing_opener" || phase === "rolling" || phase === "bidding";
  return {
    viewer: typeof eyes === "number" && eyes < state.players.length ? eyes : null,
    ...table,
    wild_name: wildName,
    phase,
    seats: state.players.map((_, seat) => seatView(state, seat, eyes)),
    round,
    bids,
    waiting: waitingOf(state),
    since: isWaiting ? state.since : null,
    rerolled,
    round_pot: standing?.roundPot ?? 0,
    game_pot: standing?.gamePot ?? 0,
    last_round: standing?.lastRound ?? null,
    winner,
    places,
    abandoned,
  };
}

/** The odds that somebody knew then. @param {Odds | null} odds @param {Eyes} eyes @returns {Odds | null} */
export function oddsSeen(odds, eyes) {
  if (odds === null || eyes === "everything") return odds;
  return { ...odds, seats: odds.seats.map((chance, seat) => (seat === eyes ? chance : null)) };
}

/** @param {TableState} state @param {number} seat @param {Eyes} eyes @returns {SeatView} */
function seatView({ table, players, standing, cups }, seat, eyes) {
  const player = /** @type {import("./fold.js").Player} */ (players[seat]);
  const cup = cups[seat] ?? { hidden_count: 0, hidden: null, shown: [] };
  const count = standing === null ? table.options.dice_each : standing.diceCounts[seat] ?? 0;
  return {
    seat,
    ...player,
    dice_count: count,
    hidden_count: cup.hidden_count,
    hidden: eyes === seat || eyes === "everything" ? cup.hidden : null,
    shown: cup.shown,
    chips: standing?.chips?.[seat] ?? null,
    out: standing !== null && count === 0,
  };
}

/** The seats that the game waits for. @param {TableState} state @returns {number[]} */
function waitingOf(state) {
  const counts = state.standing?.diceCounts ?? [];
  if (state.phase === "choosing_opener") return state.contenders.filter((seat) => !state.rolled.includes(seat));
  if (state.phase === "rolling") return [...counts.keys()].filter((seat) => counts[seat] && !state.rolled.includes(seat));
  return state.phase === "bidding" ? [turnOf(state, counts)] : [];
}

/** The seat that opens, raises or challenges next. @param {TableState} state @param {number[]} counts */
function turnOf({ bids, round }, counts) {
  const last = bids[bids.length - 1];
  if (last === undefined) return round?.opener ?? 0;
  let seat = (last.seat + 1) % counts.length;
  while (!counts[seat] && seat !== last.seat) seat = (seat + 1) % counts.length;
  return seat;
}
