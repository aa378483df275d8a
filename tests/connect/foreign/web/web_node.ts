// Games, each PROTOCOL:BOOK, as in a browser but with the fetch of Node.
import { play } from "./web_game";

const [url = "", ...wanted] = process.argv.slice(2);
const games = wanted.map((one) => one.split(":")).map(([protocol = "", book = ""]) => play(url, protocol, book));
const result = JSON.stringify(await Promise.all(games));
process.stdout.write(`${result}\n`, () => process.exit(0));
