/** The store of tokens in Node: one file that only its owner can read. */

/** @import {TokenStore} from "../token_store.js" */
import { readFile } from "node:fs/promises";
import { isError, writePrivate } from "./private_file.js";

/** @typedef {Record<string, Record<string, string>>} Tokens by server, then by name */

/** @implements {TokenStore} */
export class FileTokenStore {
  #path;

  /** @param {string} path */
  constructor(path) {
    this.#path = path;
  }

  /** @param {string} server @param {string} name @returns {Promise<string | null>} */
  async find(server, name) {
    return (await this.#read())[server]?.[name] ?? null;
  }

  /** @param {string} server @param {string} name @param {string | null} token */
  async keep(server, name, token) {
    const tokens = await this.#read();
    const { [name]: _, ...others } = tokens[server] ?? {};
    tokens[server] = token === null ? others : { ...others, [name]: token };
    await writePrivate(this.#path, `${JSON.stringify(tokens, null, 2)}\n`);
  }

  /** @returns {Promise<Tokens>} */
  async #read() {
    try {
      return JSON.parse(await readFile(this.#path, "utf8"));
    } catch (error) {
      if (isError(error, "ENOENT")) return {};
      // The error of a parser may show a piece of the file.
      throw error instanceof SyntaxError ? new Error(`the file of tokens (${this.#path}) is damaged`) : error;
    }
  }
}
