// A game with Google's client for gRPC-Web. Messages are Connect's: the client takes whatever can write and read itself.
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import * as grpcWeb from "grpc-web";
import { moved, played, seated } from "./game.js";
import { ErrorInfoSchema } from "./gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "./gen/google/rpc/status_pb.js";
import { Phase } from "./gen/liarsdice/v1/game_pb.js";
import { GameService } from "./gen/liarsdice/v1/game_service_pb.js";
import { PlayerService } from "./gen/liarsdice/v1/player_service_pb.js";

const { GrpcWebClientBase, MethodDescriptor, StatusCode } = grpcWeb.default ?? grpcWeb;

// A client for a service in the form that the game expects.
function clientOf(service, url, format) {
  const client = new GrpcWebClientBase({ format });
  const methods = service.methods.map((method) => {
    const descriptor = new MethodDescriptor(
      `/${service.typeName}/${method.name}`,
      method.methodKind,
      Object,
      Object,
      (request) => toBinary(method.input, request),
      (bytes) => fromBinary(method.output, bytes),
    );
    const call = (request, { headers = {} } = {}) => { // Headers, and the deadline, which is a time in milliseconds.
      const message = create(method.input, request);
      const path = `${url}${descriptor.getName()}`;
      return method.methodKind === "unary"
        ? client.unaryCall(path, message, headers, descriptor)
        : answersOf(client.serverStreaming(path, message, headers, descriptor));
    };
    return [method.localName, call];
  });
  return Object.fromEntries(methods);
}

// The answers of a stream, to iterate over.
async function* answersOf(stream) {
  const waiting = [];
  let wake = () => {};
  const put = (item) => (waiting.push(item), wake());
  stream.on("data", (answer) => put({ answer }));
  stream.on("error", (error) => put({ error }));
  stream.on("end", () => put({ isEnd: true }));
  try {
    for (;;) {
      while (waiting.length === 0) await new Promise((resolve) => (wake = resolve));
      const { answer, error, isEnd } = waiting.shift();
      if (error) throw error;
      if (isEnd) return;
      yield answer;
    }
  } finally {
    stream.cancel();
  }
}

// The reason of a refusal. The details are in the metadata, as over gRPC.
function reasonOf(error) {
  const raw = error.metadata?.["grpc-status-details-bin"];
  const status = fromBinary(StatusSchema, Uint8Array.from(atob(raw), (letter) => letter.charCodeAt(0)));
  const [packed] = status.details.filter((detail) => detail.typeUrl.endsWith(ErrorInfoSchema.typeName));
  return fromBinary(ErrorInfoSchema, packed.value).reason;
}

const nameOf = (code) => Object.keys(StatusCode).find((name) => StatusCode[name] === code);

// As bytes, the answers of a stream come together at its end. So the game is asked for again and again, and at the end
// comes everything that happened, on a stream with a deadline.
async function polled(clients, { gameId, options }) {
  for (;;) {
    const { game } = await clients.games.getGame({ gameId }, options);
    if (game.view.phase === Phase.ENDED) return { winner: game.view.winner, versions: await followed(clients, game, options) };
    await moved(clients.games, game, options);
  }
}

async function followed({ games }, game, options, seconds = 0.5) {
  const versions = [];
  const headers = { ...options.headers, deadline: String(Date.now() + 1000 * seconds) };
  try {
    for await (const { content } of games.watchGame({ gameId: game.view.gameId, afterVersion: 0n }, { headers })) {
      if (content.case === "update") versions.push(...content.value.events.map((event) => Number(event.version)));
    }
  } catch (error) {
    if (error.code !== StatusCode.DEADLINE_EXCEEDED) throw error;
  }
  // On a busy machine it may have been too short.
  return versions.at(-1) === Number(game.version) ? versions : followed({ games }, game, options, 2 * seconds);
}

export async function grpcWebGame(url, format, rulebook) {
  const clients = { games: clientOf(GameService, url, format), players: clientOf(PlayerService, url, format) };
  const table = await seated(clients, rulebook);
  const refused = await clients.games.getGame({ gameId: "no-such-game" }, table.options).catch((error) => error);
  const lost = clients.games.watchGame({ gameId: "no-such-game" }, table.options);
  const streamed = await lost.next().catch((error) => error);
  const reasons = [refused, streamed].map((error) => [nameOf(error.code), reasonOf(error)]);
  return { format, rulebook, reasons, ...(await (format === "text" ? played : polled)(clients, table)) };
}
