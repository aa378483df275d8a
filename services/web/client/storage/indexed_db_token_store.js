/** The store of tokens in a browser. */

/** @import {TokenStore} from "../token_store.js" */
import { transact } from "./indexed_db.js";

/** @implements {TokenStore} */
export class IndexedDbTokenStore {
  /** @param {string} server @param {string} name @returns {Promise<string | null>} */
  async find(server, name) {
    return (await transact("tokens", "readonly", (store) => store.get(`${server}\n${name}`))) ?? null;
  }

  /** @param {string} server @param {string} name @param {string | null} token */
  async keep(server, name, token) {
    const key = `${server}\n${name}`;
    await transact("tokens", "readwrite", (store) =>
      /** @type {IDBRequest<unknown>} */ (token === null ? store.delete(key) : store.put(token, key)),
    );
  }
}
