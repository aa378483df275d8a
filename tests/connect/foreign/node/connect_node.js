// Plays every book with every protocol: node connect_node.js <url>
import { clientsOf, end, PROTOCOLS } from "./clients.js";
import { BOOKS, played, seated } from "./game.js";

const [url] = process.argv.slice(2);

async function game(protocol, rulebook) {
  const clients = clientsOf(protocol, url);
  return { protocol, rulebook, ...(await played(clients, await seated(clients, rulebook))) };
}

end(await Promise.all(PROTOCOLS.flatMap((protocol) => BOOKS.map((book) => game(protocol, book)))));
