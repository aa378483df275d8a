// Plays while its streams break, aborted by the client or cut by the network:
// node broken_streams.js <url> <url through a network that cuts at the word "cut"> <protocol>:<aborted or cut>...
import { clientsOf, end } from "./clients.js";
import { played, seated } from "./game.js";

const [url, broken, ...wanted] = process.argv.slice(2);
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

const games = wanted.map((one) => {
  const [protocol, how] = one.split(":");
  if (how === "cut") return game(protocol, how, broken, () => console.log("cut"));
  return game(protocol, how, url, (leaving) => leaving.abort());
});
end(await Promise.all(games));
