// A game over each of some protocols in a page of another origin than the server's, one after the other: a browser has only six
// connections to a server over HTTP/1.1, and every stream takes one.
// @ts-expect-error It is JavaScript.
import { grpcWebGame } from "./grpc_web_game.js";
import { books, play } from "./web_game";

async function games(url: string): Promise<unknown[]> {
  const all = await books(url);
  const found: unknown[] = [];
  for (const [index, protocol] of asked.getAll("protocol").entries()) found.push(await play(url, protocol, all[index] ?? ""));
  for (const format of asked.getAll("format")) found.push(await grpcWebGame(url, format, all.at(-1)));
  return found;
}

const asked = new URLSearchParams(location.search);
const told = await games(asked.get("server") ?? "").catch((error: unknown) => String(error));
await fetch("/told", { method: "POST", body: JSON.stringify(told) });
