// A whole game against a bot, with whatever client calls the server.
// `games` and `players` have a function for each method: one that takes a request and options and returns a promise, or for
// streams something to iterate over.
import { ErrorInfoSchema } from "./gen/google/rpc/error_details_pb.js";
import { Phase } from "./gen/liarsdice/v1/game_pb.js";

// A failure without a reason is none of the game: the connection broke, or nobody answered.
export const isLost = (error) => error.findDetails?.(ErrorInfoSchema).length === 0;

// Register, and set up a table with a bot. The options of every call hold the token.
export async function seated({ games, players }, rulebook) {
  const { token } = await players.register({ name: "Foreigner" });
  const options = { headers: { authorization: `Bearer ${token}` } };
  const table = { requestId: crypto.randomUUID(), rulebook, seatsMax: 2, options: { diceEach: 2 } };
  const gameId = (await games.createGame(table, options)).game.view.gameId;
  await games.addBot({ requestId: crypto.randomUUID(), gameId, strategy: "cautious" }, options);
  return { gameId, options };
}

// Play until the game is over. What breaks is taken up again: a command with the same id, a stream after what came last.
export async function played({ games }, { gameId, options }, afterUpdate = () => {}) {
  const seen = { versions: [], snapshots: 0, streams: 0, winner: null };
  let version;
  while (seen.winner === null) {
    seen.streams += 1;
    const leaving = new AbortController();
    try {
      const request = { gameId, afterVersion: version, includeGame: true };
      for await (const { content } of games.watchGame(request, { ...options, signal: leaving.signal })) {
        const game = content.case === "snapshot" ? content.value : content.case === "update" ? content.value.game : null;
        if (!game) continue; // A heartbeat, or a player who came or went.
        if (content.case === "snapshot") seen.snapshots += 1;
        else seen.versions.push(...content.value.events.map((event) => Number(event.version)));
        version = game.version;
        if (game.view.phase === Phase.ENDED) {
          seen.winner = game.view.winner;
          break;
        }
        await moved(games, game, options);
        afterUpdate(leaving);
      }
    } catch (error) {
      if (!isLost(error)) throw error;
    } finally {
      leaving.abort(); // An iteration that was left ends the call in some clients only.
    }
  }
  return seen;
}

// Move, if it is our turn.
export async function moved(games, game, options) {
  const { gameId, moves, seats, phase, waiting, viewer } = game.view;
  const command = { requestId: crypto.randomUUID(), gameId, expectedVersion: game.version };
  if (phase === Phase.GATHERING && moves.start) return again(() => games.startGame(command, options));
  if (phase !== Phase.BIDDING || !waiting.includes(viewer)) return null;
  const dice = seats.reduce((sum, seat) => sum + seat.diceCount, 0);
  const [lowest] = [...moves.lowestBids].sort((one, other) => one.quantity - other.quantity);
  if (moves.challenge && (!lowest || lowest.quantity > dice / 3)) return again(() => games.challenge(command, options));
  return again(() => games.placeBid({ ...command, quantity: lowest.quantity, face: lowest.face }, options));
}

// The answer to a command, which is sent with the same id until there is one.
async function again(send) {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!isLost(error)) throw error;
    }
  }
}
