/** The parts of requests that are not written in JSON as the caller gives them. */

/** @import {Options, Phase} from "./types.js" */

/** The options of a game as a request has them. @param {Partial<Options>} options */
export function optionsRequest(options) {
  const { raiseRule, onTimeout, ...others } = options;
  return {
    ...others,
    ...(raiseRule ? { raiseRule: enumName("RAISE_RULE", raiseRule) } : {}),
    ...(onTimeout ? { onTimeout: enumName("ON_TIMEOUT", onTimeout) } : {}),
  };
}

/** @param {Phase[]} phases */
export function phasesRequest(phases) {
  return phases.map((phase) => enumName("PHASE", phase));
}

/** @param {string} prefix @param {string} value */
function enumName(prefix, value) {
  return `${prefix}_${value.toUpperCase()}`;
}
