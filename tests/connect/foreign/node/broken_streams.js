// Plays while its streams break: node broken_streams.js <url> <url through a network that cuts at the word "cut">
import { clientsOf, end, PROTOCOLS } from "./clients.js";
import { played, seated } from "./game.js";

const [url, broken] = process.argv.slice(2);
const BREAKS = 3;

// At every second update, until it was often enough.
function nowAndThen(disturb) {
  let updates = 0;
  return (leaving) => {
    updates += 1;
    if (updates % 2 === 0 && updates <= 2 * BREAKS) disturb(leaving);
  };
}

async function game(protocol, how, where, disturb) {
  const table = await seated(clientsOf(protocol, url), "single-hand");
  return { protocol, how, ...(await played(clientsOf(protocol, where), table, nowAndThen(disturb))) };
}

const games = PROTOCOLS.flatMap((protocol) => [
  game(protocol, "aborted", url, (leaving) => leaving.abort()),
  game(protocol, "cut", broken, () => console.log("cut")),
]);
end(await Promise.all(games));
