// Every book over every protocol, as in a browser but with the fetch of Node.
import { books, play, PROTOCOLS } from "./web_game";

const url = process.argv[2] ?? "";
const all = await books(url);
const games = PROTOCOLS.flatMap((protocol) => all.map((book) => play(url, protocol, book)));
const result = JSON.stringify(await Promise.all(games));
process.stdout.write(`${result}\n`, () => process.exit(0));
