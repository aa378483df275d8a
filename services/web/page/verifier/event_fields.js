/** The fields of each kind of event, in their order. What they must say is checked where the game is followed. */

/** @import {Json} from "./json.js" */
import { spells32Bytes } from "./bytes.js";
import { hasMembers, isId, isObject, isShownText, isWhole } from "./json.js";

const NAME_LENGTH_MAX = 40;
const REASON_LENGTH_MAX = 200;
const LIST_LENGTH_MAX = 1000;

/** @typedef {(value: Json | undefined) => boolean} Fits whether a value is one of a field */

/** @param {...string} words @returns {Fits} */
const oneOf = (...words) => (value) => typeof value === "string" && words.includes(value);
/** @param {Fits} fits @returns {Fits} */
const orNull = (fits) => (value) => value === null || fits(value);
/** @param {Fits} fits @returns {Fits} */
const listOf = (fits) => (value) => Array.isArray(value) && value.length <= LIST_LENGTH_MAX && value.every(fits);
/** @param {Record<string, Fits>} fields @returns {Fits} */
const objectOf = (fields) => (value) => isObject(value) && fitsFields(value, fields);
/** @type {Fits} */
const name = (value) => isShownText(value, NAME_LENGTH_MAX);
/** @type {Fits} */
const yesOrNo = (value) => typeof value === "boolean";

const dice = listOf(isWhole);
const bid = objectOf({ seat: isWhole, quantity: isWhole, face: isWhole });
const options = objectOf({
  chips: yesOrNo,
  wild_aces: yesOrNo,
  raise_rule: oneOf("same_face_or_higher_face", "quantity_or_face", "beat_the_higher_number"),
  dice_each: isWhole,
  opener: orNull(isWhole),
  turn_seconds: orNull(isWhole),
  on_timeout: oneOf("forfeit", "challenge", "lowest_bid"),
});
const joining = {
  seat: isWhole,
  player_id: isId,
  name,
  kind: oneOf("human", "bot"),
  anchor: spells32Bytes,
  chain_held_by: oneOf("player", "server"),
};

/** Without `at`, the time in milliseconds since 1970, which every event has as its last field. @type {Record<string, Record<string, Fits>>} */
const PUBLIC = {
  "game-created.v1": {
    game_id: isId,
    rulebook: name,
    rulebook_version: isWhole,
    options,
    seats: isWhole,
    fairness: objectOf({ version: isWhole, chain_length: isWhole, server_anchor: spells32Bytes }),
  },
  "player-joined.v1": joining,
  "player-joined.v2": { ...joining, signing_key: orNull(spells32Bytes) },
  "player-left.v1": { seat: isWhole },
  "game-started.v1": { dice_each: isWhole, chips_each: orNull(isWhole) },
  "roll-called.v1": { seats: listOf(isWhole), call: isWhole, calls: isWhole },
  "rolled.v1": { seat: isWhole, link: spells32Bytes },
  "opening-dice-rolled.v1": { server_link: spells32Bytes, rolls: listOf(objectOf({ seat: isWhole, dice })) },
  "opener-chosen.v1": { seat: isWhole, how: oneOf("named", "drawn", "rolled") },
  "round-started.v1": { number: isWhole, opener: isWhole, palafico: yesOrNo, dice_counts: listOf(isWhole) },
  "antes-paid.v1": { antes: listOf(objectOf({ seat: isWhole, round_pot: isWhole, game_pot: isWhole })) },
  "dice-dealt.v1": {},
  "bid-placed.v1": { seat: isWhole, quantity: isWhole, face: isWhole },
  "dice-rerolled.v1": { seat: isWhole, shown: dice, rerolled: isWhole, link: spells32Bytes },
  "bid-challenged.v1": { seat: isWhole, bid },
  "cups-lifted.v1": {
    deals: listOf(objectOf({ server_link: spells32Bytes, hands: listOf(dice), reroll_of: orNull(isWhole) })),
    dice: listOf(dice),
  },
  "challenge-resolved.v1": {
    bid,
    challenger: isWhole,
    actual: isWhole,
    counts: listOf(objectOf({ seat: isWhole, natural: isWhole, wild: isWhole })),
    winner: isWhole,
  },
  "dice-lost.v1": { seat: isWhole, penalty: isWhole, lost: isWhole },
  "players-eliminated.v1": { seats: listOf(isWhole), place: isWhole },
  "pot-won.v1": { seat: isWhole, pot: oneOf("round", "game"), chips: isWhole },
  "player-forfeited.v1": { seat: isWhole, reason: oneOf("resigned", "time"), lost: isWhole },
  "turn-timed-out.v1": { seat: isWhole },
  "round-ended.v1": { number: isWhole },
  "game-ended.v1": { winner: isWhole, places: listOf(listOf(isWhole)), chips: orNull(listOf(isWhole)) },
  "game-abandoned.v1": { reason: (value) => isShownText(value, REASON_LENGTH_MAX) },
};

/** Kinds of events with a secret part. */
const SECRET = new Set(["dice-dealt", "dice-rerolled"]);

/** Whether a value has the fields of a topic and no others. @param {string} topic @param {Json | undefined} value */
export function fitsTopic(topic, value) {
  const fields = Object.hasOwn(PUBLIC, topic) ? PUBLIC[topic] : undefined;
  return fields !== undefined && isObject(value) && fitsFields(value, { ...fields, at: isWhole });
}

/** Whether there is such a topic. @param {string} topic */
export function isTopic(topic) {
  return Object.hasOwn(PUBLIC, topic);
}

/** Whether events of a kind have a secret part. @param {string} kind */
export function hasSecret(kind) {
  return SECRET.has(kind);
}

/** @param {{[name: string]: Json}} value @param {Record<string, Fits>} fields */
function fitsFields(value, fields) {
  return hasMembers(value, Object.keys(fields)) && Object.entries(fields).every(([name, fits]) => fits(value[name]));
}
