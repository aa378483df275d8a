// Plays every book with every protocol of Connect's client for Node: node connect_node.js <url>
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { BOOKS, played, seated } from "./game.js";
import { GameService } from "./gen/liarsdice/v1/game_service_pb.js";
import { PlayerService } from "./gen/liarsdice/v1/player_service_pb.js";

const [url] = process.argv.slice(2);
const http = { baseUrl: url, httpVersion: "1.1" };
const TRANSPORTS = {
  "connect json": createConnectTransport({ ...http, useBinaryFormat: false }),
  "connect protobuf": createConnectTransport({ ...http, useBinaryFormat: true }),
  "grpc-web protobuf": createGrpcWebTransport({ ...http, useBinaryFormat: true }),
  "grpc-web json": createGrpcWebTransport({ ...http, useBinaryFormat: false }),
};

async function game(name, transport, rulebook) {
  const clients = { games: createClient(GameService, transport), players: createClient(PlayerService, transport) };
  return { name, rulebook, ...(await played(clients, await seated(clients, rulebook))) };
}

const games = Object.entries(TRANSPORTS).flatMap(([name, made]) => BOOKS.map((book) => game(name, made, book)));
console.log(JSON.stringify(await Promise.all(games)));
process.exit(0); // Connections that are kept alive would keep the program.
