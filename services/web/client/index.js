/** The client of a Liar's Dice server, for browsers and Node. `node.js` adds what only Node has. */

export { fromBase64, toBase64 } from "./bytes.js";
export { Client } from "./client.js";
export { freshnessOf } from "./messages/freshness.js";
export { MemorySeatKeeper } from "./seats/seat_keeper.js";
export { IndexedDbSeatKeeper } from "./storage/indexed_db_seat_keeper.js";
export { IndexedDbTokenStore } from "./storage/indexed_db_token_store.js";
export { Table } from "./table.js";
export { MemoryTokenStore } from "./token_store.js";
export { FalseServer, KeptBack, Refused, Unreachable } from "./transport/refusal.js";
export { PATIENCE } from "./transport/retry.js";
