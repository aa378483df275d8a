// What a client reads out of refusals, GET requests and deadlines: node answers.js <url> <calm or hurried> <protocol>...
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Code, ConnectError } from "@connectrpc/connect";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import { clientsOf, end } from "./clients.js";
import { played, seated } from "./game.js";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "./gen/google/rpc/error_details_pb.js";

const [url, pace, ...protocols] = process.argv.slice(2);

// A failure with the details that its generated types can read.
async function refusal(call) {
  try {
    await call();
  } catch (error) {
    const failed = ConnectError.from(error);
    const [info] = failed.findDetails(ErrorInfoSchema);
    return {
      code: Code[failed.code],
      message: failed.rawMessage,
      reason: info?.reason,
      domain: info?.domain,
      metadata: info?.metadata,
      fields: failed.findDetails(BadRequestSchema).flatMap((bad) => bad.fieldViolations.map((one) => one.field)),
      retrySeconds: failed.findDetails(RetryInfoSchema).map(({ retryDelay }) => Number(retryDelay.seconds) + retryDelay.nanos / 1e9),
    };
  }
  throw new Error("nothing was refused");
}

async function drained(stream) {
  const kinds = [];
  for await (const { content } of stream) kinds.push(content.case);
  return kinds;
}

async function refused(protocol) {
  const { games } = clientsOf(protocol, url);
  const { gameId, options } = await seated(clientsOf(protocol, url), "single-hand");
  const late = { requestId: crypto.randomUUID(), gameId, expectedVersion: 1n };
  return {
    unknown: await refusal(() => games.getGame({ gameId: "no-such-game" }, options)),
    moved: await refusal(() => games.startGame(late, options)),
    field: await refusal(() => games.listGames({ pageSize: 1000 }, options)),
    token: await refusal(() => games.getGame({ gameId })),
    stream: await refusal(() => drained(games.watchGame({ gameId: "no-such-game" }, options))),
  };
}

// A burst that is too much for one player.
async function hurried(protocol) {
  const { games } = clientsOf(protocol, url);
  const { gameId, options } = await seated(clientsOf(protocol, url), "single-hand");
  for (;;) {
    const asked = Array.from({ length: 50 }, () => refusal(() => games.getGame({ gameId }, options)).catch(() => null));
    const found = (await Promise.all(asked)).find((one) => one !== null);
    if (found) return found;
  }
}

async function late(protocol) {
  const { games, players } = clientsOf(protocol, url);
  const { gameId, options } = await seated({ games, players }, "single-hand");
  const stream = () => drained(games.watchGame({ gameId }, { ...options, timeoutMs: 300 }));
  return {
    enough: (await games.getGame({ gameId }, { ...options, timeoutMs: 60_000 })).game.view.gameId === gameId,
    stream: await refusal(stream),
  };
}

// What a client asks with GET, and how a cache asks whether the answer has changed: with the address that the client made.
async function cached(protocol) {
  const seen = new Set(); // Node announces some requests twice.
  const note = ({ request }) => seen.add(request);
  subscribe("http.client.request.start", note);
  const { games, players } = clientsOf(protocol, url, { useHttpGet: true });
  const { gameId, options } = await seated({ games, players }, "single-hand");
  const { rulebooks } = await games.listRulebooks({});
  let etag;
  const { game } = await games.getGame({ gameId }, { ...options, onHeader: (headers) => (etag = headers.get("etag")) });
  unsubscribe("http.client.request.start", note);
  const asked = [...seen];
  const again = () => fetch(url + asked.at(-1).path, { headers: { ...options.headers, "if-none-match": etag } });
  const same = await again();
  await games.startGame({ requestId: crypto.randomUUID(), gameId, expectedVersion: game.version }, options);
  const changed = await again();
  return { methods: asked.map((one) => one.method), books: rulebooks.length, same: same.status, changed: changed.status };
}

// Requests that the client packs; only gzip is known to the server.
async function packed(protocol) {
  const of = (sendCompression) => clientsOf(protocol, url, { sendCompression, compressMinBytes: 0 });
  const { winner } = await played(of(compressionGzip), await seated(of(compressionGzip), "single-hand"));
  return { winner, brotli: await refusal(() => of(compressionBrotli).players.register({ name: "Brotli" })) };
}

async function answersOver(protocol) {
  return { refused: await refused(protocol), late: await late(protocol), packed: await packed(protocol) };
}

async function answers() {
  const found = protocols.map(async (name) => [name, await answersOver(name)]);
  const byProtocol = Object.fromEntries(await Promise.all(found));
  for (const name of protocols.filter((one) => one.startsWith("connect "))) byProtocol[name].cached = await cached(name);
  return byProtocol;
}

end(await (pace === "hurried" ? Promise.all(protocols.map(hurried)) : answers()));
