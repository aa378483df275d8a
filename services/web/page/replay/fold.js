/**
 * The table after every step, folded from the events as the server does it. No rule lives here: an event already says what the
 * rules made of a move. A test compares the result with the server's own views for every step of games of all books.
 */

/** @import {HappenedEvent, PlacedBid, Phase, Reveal, Round, Settlement} from "./types.js" */

/** @typedef {{player_id: string, name: string, kind: "human" | "bot", chain_held_by: string}} Player */
/** @typedef {{hidden_count: number, hidden: number[] | null, shown: number[]}} Cup */
/** @typedef {{diceCounts: number[], chips: number[] | null, roundPot: number, gamePot: number, lastRound: Reveal | null}} Standing */

/**
 * @typedef {object} TableState
 * @property {Phase} phase
 * @property {{game_id: string, rulebook: string, rulebook_version: number, options: Record<string, any>}} table
 * @property {Player[]} players
 * @property {Standing | null} standing null before the game starts
 * @property {Round | null} round
 * @property {number[]} contenders the seats that roll for the right to open
 * @property {number[]} rolled the seats that have rolled since they were asked
 * @property {Cup[]} cups
 * @property {PlacedBid[]} bids
 * @property {boolean} rerolled
 * @property {number | null} since
 * @property {number | null} winner
 * @property {number[][]} places
 * @property {string | null} abandoned
 */

/** @typedef {(state: TableState, event: HappenedEvent) => Partial<TableState>} Change */

/** The states before the first event and after each one. @param {HappenedEvent[]} events @returns {(TableState | null)[]} */
export function statesOf(events) {
  /** @type {(TableState | null)[]} */
  const states = [null];
  for (const event of events) states.push(after(states[states.length - 1] ?? null, event));
  return states;
}

/** @param {TableState | null} state @param {HappenedEvent} event @returns {TableState | null} */
function after(state, event) {
  if (state === null) return event.type === "game_created" ? created(event) : null;
  const change = CHANGES[event.type];
  return change === undefined ? state : { ...state, ...change(state, event) };
}

/** @param {HappenedEvent} event @returns {TableState} */
function created({ game_id, rulebook, rulebook_version, options }) {
  return {
    phase: "gathering",
    table: { game_id, rulebook, rulebook_version, options },
    players: [],
    standing: null,
    round: null,
    contenders: [],
    rolled: [],
    cups: [],
    bids: [],
    rerolled: false,
    since: null,
    winner: null,
    places: [],
    abandoned: null,
  };
}

/** What belongs to no round. @type {Pick<TableState, "cups" | "bids" | "rerolled" | "rolled" | "since">} */
const NO_BIDDING = { cups: [], bids: [], rerolled: false, rolled: [], since: null };

/** What each kind of event changes. The events that are not here say only what the next ones follow from. @type {Record<string, Change>} */
const CHANGES = {
  player_joined: ({ players }, { player_id, name, kind, chain_held_by }) => ({ players: [...players, { player_id, name, kind, chain_held_by }] }),
  player_left: ({ players }, { seat }) => ({ players: players.filter((_, index) => index !== seat) }),
  game_started: gameStarted,
  roll_called: (state, { seats, at }) => (state.phase === "choosing_opener" ? { contenders: seats, rolled: [], since: at } : {}),
  rolled: ({ rolled }, { seat }) => ({ rolled: [...rolled, seat] }),
  round_started: (state, { number, opener, palafico, dice_counts, at }) => ({
    ...NO_BIDDING,
    ...carried(state, { diceCounts: dice_counts }),
    phase: "rolling",
    round: { number, opener, palafico },
    since: at,
  }),
  antes_paid: antesPaid,
  dice_dealt: diceDealt,
  bid_placed: ({ bids }, { seat, quantity, face, at }) => ({ bids: [...bids, { seat, quantity, face }], rerolled: false, since: at }),
  dice_rerolled: diceRerolled,
  cups_lifted: (state, { dice }) => ({
    ...NO_BIDDING,
    ...carried(state, { lastRound: { number: state.round?.number ?? 0, dice, settlement: null } }),
    phase: "settling",
  }),
  challenge_resolved: (state, { bid, challenger, actual, winner }) => settled(state, { bid, challenger, actual, winner, losses: [] }),
  dice_lost: diceLost,
  pot_won: potWon,
  player_forfeited: (state, { seat, lost }) => carried(state, { diceCounts: less(state, seat, lost) }),
  round_ended: () => ({ ...NO_BIDDING, phase: "settling" }),
  game_ended: (_, { winner, places }) => ({ ...NO_BIDDING, phase: "ended", round: null, winner, places }),
  game_abandoned: (_, { reason }) => ({ ...NO_BIDDING, phase: "ended", round: null, abandoned: reason }),
};

/** @type {Change} */
function gameStarted({ players }, { dice_each, chips_each, at }) {
  const chips = chips_each === null ? null : players.map(() => chips_each);
  return {
    phase: "choosing_opener",
    standing: { diceCounts: players.map(() => dice_each), chips, roundPot: 0, gamePot: 0, lastRound: null },
    since: at,
  };
}

/** @type {Change} */
function antesPaid(state, { antes }) {
  let { chips, roundPot, gamePot } = standingOf(state);
  for (const { seat, round_pot, game_pot } of antes) {
    chips = chips && withItem(chips, seat, (chips[seat] ?? 0) - round_pot - game_pot);
    roundPot += round_pot;
    gamePot += game_pot;
  }
  return carried(state, { chips, roundPot, gamePot });
}

/** @type {Change} */
function diceDealt(state, { hands, at }) {
  const cups = standingOf(state).diceCounts.map((count, seat) => ({ hidden_count: count, hidden: hands?.[seat] ?? null, shown: [] }));
  return { ...NO_BIDDING, phase: "bidding", cups, since: at };
}

/** @type {Change} */
function diceRerolled({ cups }, { seat, shown, rerolled, hand }) {
  const cup = { hidden_count: rerolled, hidden: hand, shown: [...(cups[seat]?.shown ?? []), ...shown] };
  return { cups: withItem(cups, seat, cup), rerolled: true };
}

/** @type {Change} */
function diceLost(state, { seat, penalty, lost }) {
  const settlement = standingOf(state).lastRound?.settlement;
  const told = settlement ? settled(state, { ...settlement, losses: [...settlement.losses, { seat, penalty, lost }] }) : {};
  return carried({ ...state, ...told }, { diceCounts: less(state, seat, lost) });
}

/** @type {Change} */
function potWon(state, { seat, pot, chips: won }) {
  const { chips, roundPot, gamePot } = standingOf(state);
  const pots = pot === "round" ? { roundPot: roundPot - won } : { gamePot: gamePot - won };
  return carried(state, { chips: chips && withItem(chips, seat, (chips[seat] ?? 0) + won), ...pots });
}

/** @param {TableState} state @param {Settlement} settlement */
function settled(state, settlement) {
  const { lastRound } = standingOf(state);
  return carried(state, { lastRound: lastRound && { ...lastRound, settlement } });
}

/** What is carried from round to round, with a change. @param {TableState} state @param {Partial<Standing>} change */
function carried(state, change) {
  return { standing: { ...standingOf(state), ...change } };
}

/** @param {TableState} state @returns {Standing} */
function standingOf({ standing }) {
  return standing ?? { diceCounts: [], chips: null, roundPot: 0, gamePot: 0, lastRound: null };
}

/** @param {TableState} state @param {number} seat @param {number} lost */
function less(state, seat, lost) {
  const { diceCounts } = standingOf(state);
  return withItem(diceCounts, seat, (diceCounts[seat] ?? 0) - lost);
}

/** @template Item @param {Item[]} items @param {number} index @param {Item} item */
function withItem(items, index, item) {
  return items.map((one, at) => (at === index ? item : one));
}
