/** The client with what only Node has: files. */

export * from "./index.js";
export { FileSeatKeeper } from "./storage/file_seat_keeper.js";
export { FileTokenStore } from "./storage/file_token_store.js";
