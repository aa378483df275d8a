// A whole game with Connect's client for browsers, in TypeScript: every message has its type.
import { createClient, type CallOptions, type Client, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { Phase, type Game } from "./gen-ts/liarsdice/v1/game_pb";
import { GameService } from "./gen-ts/liarsdice/v1/game_service_pb";
import { PlayerService } from "./gen-ts/liarsdice/v1/player_service_pb";

export interface Played {
  protocol: string;
  rulebook: string;
  winner: number;
  versions: number[];
}

type Games = Client<typeof GameService>;

const MADE: Record<string, (baseUrl: string) => Transport> = {
  "connect json": (baseUrl) => createConnectTransport({ baseUrl, useHttpGet: true }),
  "connect protobuf": (baseUrl) => createConnectTransport({ baseUrl, useBinaryFormat: true }),
  "grpc-web json": (baseUrl) => createGrpcWebTransport({ baseUrl, useBinaryFormat: false }),
  "grpc-web protobuf": (baseUrl) => createGrpcWebTransport({ baseUrl }),
};

export async function books(url: string): Promise<string[]> {
  const { rulebooks } = await createClient(GameService, createConnectTransport({ baseUrl: url })).listRulebooks({});
  return rulebooks.map((book) => book.id);
}

export async function play(url: string, protocol: string, rulebook: string): Promise<Played> {
  const transport = MADE[protocol]?.(url);
  if (transport === undefined) throw new Error(`there is no ${protocol}`);
  const games = createClient(GameService, transport);
  const { token } = await createClient(PlayerService, transport).register({ name: "Web" });
  const options: CallOptions = { headers: { authorization: `Bearer ${token}` } };
  const table = { requestId: crypto.randomUUID(), rulebook, seatsMax: 2, options: { diceEach: 2 } };
  const { game } = await games.createGame(table, options);
  const gameId = game?.view?.gameId ?? "";
  await games.addBot({ requestId: crypto.randomUUID(), gameId, strategy: "cautious" }, options);
  const versions: number[] = [];
  for await (const { content } of games.watchGame({ gameId, includeGame: true }, options)) {
    if (content.case === "update") versions.push(...content.value.events.map((event) => Number(event.version)));
    const now = content.case === "snapshot" ? content.value : content.case === "update" ? content.value.game : undefined;
    if (now?.view?.phase === Phase.ENDED) {
      return { protocol, rulebook, winner: now.view.winner ?? -1, versions };
    }
    if (now !== undefined) await move(games, now, options);
  }
  throw new Error("the stream ended before the game");
}

async function move(games: Games, { version, view }: Game, options: CallOptions): Promise<void> {
  if (view?.moves === undefined || view.viewer === undefined) return;
  const command = { requestId: crypto.randomUUID(), gameId: view.gameId, expectedVersion: version };
  if (view.phase === Phase.GATHERING && view.moves.start) {
    await games.startGame(command, options);
  } else if (view.phase === Phase.BIDDING && view.waiting.includes(view.viewer)) {
    const dice = view.seats.reduce((sum, seat) => sum + seat.diceCount, 0);
    const [lowest] = [...view.moves.lowestBids].sort((one, other) => one.quantity - other.quantity);
    const isTooMuch = lowest === undefined || lowest.quantity > dice / 3;
    if (isTooMuch && view.moves.challenge) await games.challenge(command, options);
    else if (lowest !== undefined) await games.placeBid({ ...command, quantity: lowest.quantity, face: lowest.face }, options);
  }
}
