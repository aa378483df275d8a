// A bot that plays a whole game with its own dice and signed moves, and checks every die. It needs no package:
// `node bot.js`, with a server at http://127.0.0.1:8080 or at the address given.

import { writeFile } from "node:fs/promises";
import { Client, FileSeatKeeper, FileTokenStore, Refused, fromBase64 } from "../../services/web/client/node.js";

/** @typedef {import("../../services/web/client/messages/types.js").GameView} GameView */
/** @typedef {import("../../services/web/client/node.js").Table} Table */

const client = new Client(process.argv[2] ?? "http://127.0.0.1:8080", {
  seats: new FileSeatKeeper("bot-seats"),
  tokens: new FileTokenStore("bot-tokens.json"),
});

const SKULL = 1; // It counts for every face, and nobody may bid on it.

/** How many dice on the table show a face, if the hidden ones of others fall as they should. @param {GameView} view @param {number} face */
function expected({ seats, viewer }, face) {
  const mine = viewer === null ? [] : (seats[viewer]?.hidden ?? []);
  const open = [...mine, ...seats.flatMap((seat) => seat.shown)];
  const hidden = seats.reduce((sum, seat) => sum + (seat.seat === viewer ? 0 : seat.hiddenCount), 0);
  return open.filter((die) => die === face || die === SKULL).length + hidden / 3;
}

/** Make the likeliest of the lowest bids, or doubt the standing one. @param {Table} table @param {GameView} view @param {number} expectedVersion */
async function move(table, view, expectedVersion) {
  const margin = (/** @type {{quantity: number, face: number}} */ bid) => expected(view, bid.face) - bid.quantity;
  const [best] = [...view.moves.lowestBids].sort((one, other) => margin(other) - margin(one));
  if (!best || (view.moves.challenge && margin(best) < 0)) await table.challenge({ expectedVersion });
  else await table.bid(best.quantity, best.face, { expectedVersion });
}

const player = await client.signIn("Robin");
const table = await client.create("pirates", { options: { turnSeconds: 60 }, signMoves: true });
for (const strategy of ["cautious", "calculating"]) await table.addBot(strategy);
await table.start();
console.log(`${player.name} plays game ${table.gameId}`);

for await (const { events, game, proven } of table.watch({ after: 0 })) {
  const { phase, seats, viewer, waiting } = game.view;
  for (const event of events) {
    if (event.type === "BidPlaced") console.log(`${seats[event.seat]?.name} bids ${event.quantity} x ${event.face}`);
    if (event.type === "BidChallenged") console.log(`${seats[event.seat]?.name} doubts it`);
    if (event.type === "GameEnded") console.log(`${seats[event.winner]?.name} wins`);
  }
  if (proven) console.log(`${proven.dice} dice follow from ${proven.links + proven.serverLinks} links`);
  if (phase !== "bidding" || viewer === null || !waiting.includes(viewer)) continue;
  await move(table, game.view, game.version).catch((error) => {
    if (!(error instanceof Refused) || error.reason !== "VERSION_MOVED") throw error;
  });
}

const { bundle } = await client.call("AuditService", "GetAudit", { gameId: table.gameId });
await writeFile("game.bundle", fromBase64(bundle));
console.log("game.bundle proves it to others: liarsdice verify game.bundle");
