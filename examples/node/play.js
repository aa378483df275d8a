// Plays a whole game against two bots: `npm install && npm start`, with a server on 127.0.0.1:50051 or at the address given.
// The contract is read from the .proto files when the program starts; nothing is generated.
"use strict";

const { readFileSync } = require("node:fs");
const path = require("node:path");
const { randomUUID } = require("node:crypto");
const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");

const ADDRESS = process.argv[2] ?? "127.0.0.1:50051";
const PROTO = path.join(__dirname, "..", "..", "proto");

// What may be sent again is: every request has an id, and the same id gives the same answer.
const SERVICE_CONFIG = readFileSync(path.join(PROTO, "service_config.json"), "utf8");

const { liarsdice } = grpc.loadPackageDefinition(
  loader.loadSync(["liarsdice/v1/game_service.proto", "liarsdice/v1/player_service.proto"], {
    includeDirs: [PROTO],
    keepCase: true,
    enums: String,
    longs: Number,
    oneofs: true,
    defaults: true,
  }),
);

const options = { "grpc.service_config": SERVICE_CONFIG };
const games = new liarsdice.v1.GameService(ADDRESS, grpc.credentials.createInsecure(), options);
const players = new liarsdice.v1.PlayerService(ADDRESS, grpc.credentials.createInsecure(), options);
const metadata = new grpc.Metadata();

// One call with one answer.
function ask(client, method, request) {
  const deadline = new Date(Date.now() + 10_000);
  return new Promise((resolve, reject) => {
    client[method](request, metadata, { deadline }, (error, answer) => (error ? reject(error) : resolve(answer)));
  });
}

// A command with an id of its own, for the version of the game that it was chosen for.
function command(method, game, fields = {}) {
  const request = { request_id: randomUUID(), game_id: game.view.game_id, expected_version: game.version, ...fields };
  return ask(games, method, request);
}

// The least that raises the standing bid, unless that is more than a third of all dice.
function move(game) {
  const dice = game.view.seats.reduce((sum, seat) => sum + seat.dice_count, 0);
  const lowest = [...game.view.moves.lowest_bids].sort((one, other) => one.quantity - other.quantity)[0];
  if (game.view.moves.challenge && (!lowest || lowest.quantity > dice / 3)) {
    return command("Challenge", game);
  }
  return command("PlaceBid", game, { quantity: lowest.quantity, face: lowest.face });
}

// What happened, in a line.
function told(event, name) {
  switch (event.event) {
    case "round_started":
      return `Round ${event.round_started.number}: ${event.round_started.dice_counts.join(", ")} dice`;
    case "bid_placed":
      return `  ${name(event.bid_placed.seat)} bids ${event.bid_placed.quantity} x ${event.bid_placed.face}`;
    case "bid_challenged":
      return `  ${name(event.bid_challenged.seat)} doubts it`;
    case "challenge_resolved":
      return `  there are ${event.challenge_resolved.actual}`;
    case "dice_lost":
      return `  ${name(event.dice_lost.seat)} loses ${event.dice_lost.lost}`;
    case "game_ended":
      return `${name(event.game_ended.winner)} wins`;
    default:
      return null;
  }
}

// Follow the game and move when it is our turn, until it is over.
function play(game) {
  const name = (seat) => game.view.seats[seat].name;
  let version = game.version;
  return new Promise((resolve, reject) => {
    const follow = () => {
      const stream = games.WatchGame({ game_id: game.view.game_id, after_version: version, include_game: true }, metadata);
      stream.on("data", ({ update }) => {
        if (!update) return; // A heartbeat, or a player who came or went.
        version = update.version;
        game = update.game;
        update.events.map((event) => told(event, name)).filter(Boolean).forEach((line) => console.log(line));
        if (game.view.phase === "PHASE_ENDED") {
          stream.cancel();
          resolve();
        } else if (game.view.phase === "PHASE_BIDDING" && game.view.waiting.includes(game.view.viewer)) {
          // ABORTED: the game has moved on, and the stream is about to tell how.
          move(game).catch((error) => error.code === grpc.status.ABORTED || reject(error));
        }
      });
      stream.on("error", (error) => {
        // The server went down, or the connection broke: go on after what was told last.
        if (error.code === grpc.status.UNAVAILABLE) setTimeout(follow, 500);
        else if (error.code !== grpc.status.CANCELLED) reject(error);
      });
    };
    follow();
  });
}

async function main() {
  const { token, player } = await ask(players, "Register", { name: "Node" });
  metadata.set("authorization", `Bearer ${token}`);
  console.log(`registered as ${player.name} (${player.player_id})`);
  let { game } = await ask(games, "CreateGame", { request_id: randomUUID(), rulebook: "pirates", seats_max: 3 });
  for (const strategy of ["cautious", "bluffing"]) {
    await ask(games, "AddBot", { request_id: randomUUID(), game_id: game.view.game_id, strategy });
  }
  ({ game } = await ask(games, "GetGame", { game_id: game.view.game_id }));
  const started = command("StartGame", game);
  await Promise.all([started, play(game)]);
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error.message);
    process.exit(1);
  },
);
