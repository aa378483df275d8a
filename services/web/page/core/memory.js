/** Keeps large descriptions until what they are made from changes, so that drawing does not compare them again. */

/** @import {Children} from "./render.js" */

export class Memory {
  /** @type {Map<string, {inputs: readonly unknown[], made: Children}>} */
  #kept = new Map();

  /** What was made last time, if all inputs are the same as then. @param {string} name @param {readonly unknown[]} inputs @param {() => Children} make @returns {Children} */
  keep(name, inputs, make) {
    const kept = this.#kept.get(name);
    if (kept !== undefined && kept.inputs.length === inputs.length && kept.inputs.every((one, index) => one === inputs[index])) return kept.made;
    const made = make();
    this.#kept.set(name, { inputs, made });
    return made;
  }
}
