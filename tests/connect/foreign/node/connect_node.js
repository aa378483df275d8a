// Plays a book with each of some protocols: node connect_node.js <url> <protocol>:<book>...
import { clientsOf, end } from "./clients.js";
import { played, seated } from "./game.js";

const [url, ...games] = process.argv.slice(2);

async function game(protocol, rulebook) {
  const clients = clientsOf(protocol, url);
  const table = await seated(clients, rulebook);
  const seen = await played(clients, table);
  return { protocol, rulebook, ...seen, replayed: await replayed(clients, table), answered: await answered(clients, table) };
}

// Calls that take many requests. Over HTTP/1.1 all of them go before the first answer comes.
async function replayed({ replays }, { gameId, options }) {
  const open = { case: "open", value: { gameId, waitSecondsMax: 0 } };
  const versions = [];
  for await (const { response } of replays.replayGame(requests({ request: open }), options)) {
    if (response.case === "step") versions.push(Number(response.value.step.event.version));
  }
  return versions;
}

async function answered({ games }, { gameId, options }) {
  const watch = { case: "watch", value: { gameId } };
  const bid = { case: "placeBid", value: { requestId: "too-late", gameId, quantity: 1, face: 2 } };
  const answers = [];
  for await (const { response } of games.play(requests({ request: watch }, { request: bid }), options)) {
    answers.push(response.case === "refused" ? `${response.value.requestId} ${response.value.reason}` : response.case);
  }
  return answers;
}

async function* requests(...all) {
  yield* all;
}

end(await Promise.all(games.map((one) => game(...one.split(":")))));
