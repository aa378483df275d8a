/** How a program for tests talks with the test: JSON on each line. */

import { createInterface } from "node:readline";

/** @param {object} what */
export const tell = (what) => console.log(JSON.stringify(what));

/** @type {AsyncIterator<string> | null} */
let lines = null;

/** What the test answers. @param {string} name @param {unknown} [value] @returns {Promise<any>} */
export async function ask(name, value = null) {
  lines ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  tell({ ask: name, with: value });
  return JSON.parse((await lines.next()).value);
}

/** The instructions that the test gave. @returns {any} */
export const instructions = () => JSON.parse(process.argv[2] ?? "{}");

/** Do it, and end with what came of it. @param {() => Promise<void>} work */
export function run(work) {
  work().then(
    () => end(0),
    (error) => {
      tell({ failed: error.name, message: error.message, reason: error.reason, stack: error.stack });
      end(1);
    },
  );
}

/** End once all that was told has left. @param {number} code */
function end(code) {
  process.stdout.write("", () => process.exit(code));
}
