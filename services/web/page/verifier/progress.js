/** A report while it is made: which checks are settled, and where the first one fails. */

/** @import {Check, Report} from "./report.js" */
/** @import {CheckName, Values} from "./failure.js" */
import { Failure, Undecided } from "./failure.js";
import { emptyReport } from "./report.js";

export class Progress {
  #onCheck;
  #checks;
  #settled = new Set();
  /** @type {Report} */
  report = emptyReport();

  /** @param {(check: Check) => void} onCheck @param {readonly CheckName[]} checks those that are to be made */
  constructor(onCheck, checks) {
    this.#onCheck = onCheck;
    this.#checks = checks;
  }

  /** A check holds. @param {CheckName} name @param {Values} [values] @param {string} [how] the end of the key of its sentence */
  prove(name, values = {}, how = "proven") {
    this.#settled.add(name);
    this.add({ name, status: "proven", meaning: `${name}.${how}`, values, version: null });
  }

  /** @param {Check} check */
  add(check) {
    this.report.checks.push(check);
    this.#onCheck(check);
  }

  /** A check fails, and nothing after it counts. @param {unknown} error @param {number | null} version the event that was looked at last */
  stop(error, version) {
    this.report.verdict = error instanceof Undecided ? "undecided" : "failed";
    const open = this.#checks.filter((name) => !this.#settled.has(name));
    const [first = "form"] = open;
    const known = error instanceof Failure || error instanceof Undecided;
    const failed = known ? error.check : first;
    for (const name of open) {
      if (name !== failed) this.add({ name, status: "not-reached", meaning: `${name}.not-reached`, values: {}, version: null });
      else if (error instanceof Undecided) this.add({ name, status: "undecided", meaning: `reason.${error.reason}`, values: {}, version: null });
      else if (error instanceof Failure) this.#fail(name, error, error.version ?? version);
      // A bug of this program must not look like a good bundle.
      else this.#fail(name, { reason: "program-error", values: { error: String(error) } }, version);
    }
  }

  /** @param {CheckName} name @param {{reason: string, values: Values}} failure @param {number | null} version */
  #fail(name, { reason, values }, version) {
    this.add({ name, status: "failed", meaning: `reason.${reason}`, values, version });
  }
}
