// Connect's client for Node with each of its protocols.
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { GameService } from "./gen/liarsdice/v1/game_service_pb.js";
import { PlayerService } from "./gen/liarsdice/v1/player_service_pb.js";
import { ReplayService } from "./gen/liarsdice/v1/replay_service_pb.js";

const MADE = {
  "connect json": (http) => createConnectTransport({ ...http, useBinaryFormat: false }),
  "connect protobuf": (http) => createConnectTransport({ ...http, useBinaryFormat: true }),
  "grpc-web json": (http) => createGrpcWebTransport({ ...http, useBinaryFormat: false }),
  "grpc-web protobuf": (http) => createGrpcWebTransport({ ...http, useBinaryFormat: true }),
};

export function clientsOf(protocol, baseUrl, more = {}) {
  const transport = MADE[protocol]({ baseUrl, httpVersion: "1.1", ...more });
  return {
    games: createClient(GameService, transport),
    players: createClient(PlayerService, transport),
    replays: createClient(ReplayService, transport),
  };
}

// The last line of a program; connections that are kept alive would keep it from ending.
export function end(result) {
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
}
