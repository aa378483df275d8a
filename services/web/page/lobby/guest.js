/** The name of somebody who plays here: the one they typed, or a friendly one. */

/** @import {App} from "../core/page.js" */
/** @import {Words} from "../words/words.js" */

const chance = [Math.random(), Math.random()];

/** A guest's name: the same as long as the page is open. @param {Words} words */
export function guestName(words) {
  const { first, second, joined } = words.messages.lobby.guests;
  const [one = 0, other = 0] = chance;
  return joined({ first: first[Math.floor(one * first.length)] ?? "", second: second[Math.floor(other * second.length)] ?? "" });
}

/** Become a player, if nobody is here yet. @param {App<any>} app */
export async function signIn({ session, preferences, words }) {
  return session.signIn(preferences.name.trim() || guestName(words));
}
