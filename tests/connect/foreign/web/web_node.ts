// The same game as in a browser, with the fetch of Node.
import { playAll } from "./web_game";

const result = JSON.stringify(await playAll(process.argv[2] ?? ""));
process.stdout.write(`${result}\n`, () => process.exit(0));
