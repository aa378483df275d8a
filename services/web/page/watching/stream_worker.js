/** The worker that all tabs share: it follows all their games with one call for each player. */

/** @import {Asked} from "./shared_watching.js" */
import { FollowedGames } from "./followed_games.js";

/** The games of each player at each server. @type {Map<string, FollowedGames>} */
const followed = new Map();
/** Which of them a watch belongs to. @type {Map<string, FollowedGames>} */
const whose = new Map();

/** @param {MessagePort} port @param {Asked & {type: "watch"}} asked */
function watch(port, { id, address, token, request }) {
  const key = JSON.stringify([address, token]);
  const games = followed.get(key) ?? new FollowedGames(address, token);
  followed.set(key, games);
  whose.set(id, games);
  games.add(id, request, (told) => port.postMessage(told));
  // A tab that is closed says nothing, but lets go of its lock.
  navigator.locks.request(id, () => leave(id));
}

/** @param {string} id */
function leave(id) {
  whose.get(id)?.remove(id);
  whose.delete(id);
}

addEventListener("connect", (event) => {
  const [port] = /** @type {MessageEvent} */ (event).ports;
  if (port === undefined) return;
  port.onmessage = ({ data }) => (data.type === "watch" ? watch(port, data) : leave(data.id));
});
