/**
 * The events of a game, taken one by one.
 *
 * The modules that follow a game read like its rules: each takes the events that must come, in their order. So an event that is
 * missing, doubled or moved is found where another one was expected.
 */

/** @import {BundledEvent} from "./bundle.js" */
/** @import {CheckName} from "./failure.js" */
/** @import {MoveSignatures, Signer} from "./signatures.js" */
import { checkCommitment } from "./commitments.js";
import { need } from "./failure.js";

export class Course {
  #events;
  #signatures;
  #index = 0;
  /** Whose signatures are needed, by seat. @type {readonly Signer[]} */
  signers = [];

  /** @param {BundledEvent[]} events @param {MoveSignatures} signatures */
  constructor(events, signatures) {
    this.#events = events;
    this.#signatures = signatures;
  }

  /** The version of the event that was taken last. */
  get version() {
    return this.#index;
  }

  /** Whether all events were taken. */
  get isOver() {
    return this.#index === this.#events.length;
  }

  /** The kind of the next event; empty if there is none. */
  get next() {
    return this.#events[this.#index]?.kind ?? "";
  }

  /** The next event, which must be of one of these kinds. @param {...string} kinds */
  take(...kinds) {
    return this.takeFor("outcome", ...kinds);
  }

  /** Check that nothing comes any more. */
  end() {
    if (this.isOver) return;
    this.#advance();
    need(false, "outcome", "after-the-end");
  }

  /** The same where another kind is the failure of another check. @param {CheckName} check @param {...string} kinds @returns {BundledEvent} */
  takeFor(check, ...kinds) {
    const event = this.#advance();
    need(kinds.includes(event.kind), check, "another-event", { found: event.topic, expected: kinds.join(", ") });
    return event;
  }

  /** The next event of any kind, with what is checked of every event. @returns {BundledEvent} */
  #advance() {
    const event = this.#events[this.#index];
    need(event !== undefined, "leaf", "ends-midway");
    this.#index += 1;
    checkCommitment(event);
    this.#signatures.take(event, this.signers);
    const before = this.#events[this.#index - 2]?.fields.at ?? 0;
    need(event.fields.at >= before, "outcome", "time-runs-backwards", { milliseconds: before - event.fields.at });
    return event;
  }
}

/** Check what fields of an event say. @param {BundledEvent} event @param {Record<string, unknown>} expected @param {CheckName} check */
export function expectFields({ fields, topic }, expected, check) {
  for (const [name, value] of Object.entries(expected)) {
    const [said, right] = [JSON.stringify(fields[name]), JSON.stringify(value)];
    need(said === right, check, "another-value", { topic, name, found: said, expected: right });
  }
}
