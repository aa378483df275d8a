/** A walk through a game: at which step, through whose eyes, and whether it goes on by itself. */

/** @import {Recording} from "./recording.js" */
/** @import {Eyes} from "./types.js" */

/** @typedef {{step: number, eyes: Eyes, playing: boolean, speed: number}} Position */

export const SPEEDS = [0.5, 1, 2, 4, 8];

/** How many milliseconds a step is shown. What is not here only prepares something. @type {Record<string, number>} */
const SHOWN_MILLISECONDS = {
  opener_chosen: 900,
  round_started: 800,
  dice_dealt: 1_200,
  bid_placed: 1_500,
  dice_rerolled: 1_500,
  bid_challenged: 1_400,
  cups_lifted: 1_800,
  challenge_resolved: 2_400,
  dice_lost: 1_100,
  players_eliminated: 1_200,
  pot_won: 900,
  player_forfeited: 1_400,
  turn_timed_out: 900,
};
const PREPARED_MILLISECONDS = 160;

export class Walk {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #changed;

  /** @param {Recording} recording @param {{step: number | null, eyes: Eyes}} where @param {(position: Position) => void} changed */
  constructor(recording, { step, eyes }, changed) {
    this.recording = recording;
    this.#changed = changed;
    /** @type {Position} */
    this.position = { step: this.#within(step ?? recording.beginning), eyes, playing: false, speed: 1 };
  }

  /** @param {number} step */
  to(step) {
    this.#move({ step: this.#within(step) });
    if (this.position.playing) this.#schedule();
  }

  /** @param {number} count */
  by(count) {
    this.to(this.position.step + count);
  }

  /** To the beginning of another round, or of this one. @param {1 | -1} way */
  byRound(way) {
    const { step } = this.position;
    const starts = this.recording.rounds.map((round) => round.first);
    this.to((way > 0 ? starts.find((one) => one > step) ?? this.recording.last : starts.findLast((one) => one < step)) ?? 0);
  }

  /** To another bid or challenge. @param {1 | -1} way */
  byDecision(way) {
    const { step } = this.position;
    const { decisions } = this.recording;
    const found = way > 0 ? decisions.find((one) => one.version > step) : decisions.findLast((one) => one.version < step);
    if (found !== undefined) this.to(found.version);
  }

  /** @param {Eyes} eyes */
  see(eyes) {
    if (typeof eyes !== "number" || eyes < this.recording.players.length) this.#move({ eyes });
  }

  /** @param {number} speed */
  at(speed) {
    this.#move({ speed });
    if (this.position.playing) this.#schedule();
  }

  /** Play, or pause. At the end it begins again. */
  toggle() {
    if (this.position.playing) return this.pause();
    const over = this.position.step >= this.recording.last;
    this.#move({ playing: true, step: over ? this.recording.beginning : this.position.step });
    this.#schedule();
  }

  pause() {
    clearTimeout(this.#timer);
    if (this.position.playing) this.#move({ playing: false });
  }

  /** Nothing goes on by itself any more. */
  end() {
    clearTimeout(this.#timer);
    this.#changed = () => {};
  }

  #schedule() {
    clearTimeout(this.#timer);
    const { step, speed } = this.position;
    if (step >= this.recording.last) return this.pause();
    const type = this.recording.step(step)?.event.type ?? "";
    this.#timer = setTimeout(() => this.by(1), (SHOWN_MILLISECONDS[type] ?? PREPARED_MILLISECONDS) / speed);
  }

  /** @param {Partial<Position>} change */
  #move(change) {
    this.position = { ...this.position, ...change };
    this.#changed(this.position);
  }

  /** @param {number} step */
  #within(step) {
    return Math.max(0, Math.min(this.recording.last, Math.round(step) || 0));
  }
}

/** Do what a key stands for; false if it stands for nothing here. @param {KeyboardEvent} event @param {Walk} walk */
export function walkByKey(event, walk) {
  if (event.metaKey || event.ctrlKey || event.altKey) return false;
  // The space bar presses the button that has the focus.
  if (event.key === " " && event.target instanceof Element && event.target.closest("button, a, summary")) return false;
  if (/^[1-9]$/.test(event.key)) walk.see(Number(event.key) - 1);
  else {
    const action = KEYS[event.shiftKey && event.key.startsWith("Arrow") ? `Shift+${event.key}` : event.key];
    if (action === undefined) return false;
    action(walk);
  }
  event.preventDefault();
  return true;
}

/** @type {Record<string, (walk: Walk) => void>} */
const KEYS = {
  ArrowRight: (walk) => walk.by(1),
  ArrowLeft: (walk) => walk.by(-1),
  n: (walk) => walk.byDecision(1),
  p: (walk) => walk.byDecision(-1),
  "Shift+ArrowRight": (walk) => walk.byRound(1),
  "Shift+ArrowLeft": (walk) => walk.byRound(-1),
  PageDown: (walk) => walk.byRound(1),
  PageUp: (walk) => walk.byRound(-1),
  Home: (walk) => walk.to(0),
  End: (walk) => walk.to(walk.recording.last),
  " ": (walk) => walk.toggle(),
  e: (walk) => walk.see("everything"),
  0: (walk) => walk.see("spectator"),
};
