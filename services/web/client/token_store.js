/** The store of a person's tokens: at each server one for each name. This one keeps them in memory. */

/**
 * @typedef {object} TokenStore
 * @property {(server: string, name: string) => Promise<string | null>} find
 * @property {(server: string, name: string, token: string | null) => Promise<void>} keep null forgets the token
 */

/** @implements {TokenStore} */
export class MemoryTokenStore {
  /** @type {Map<string, string>} */
  #tokens = new Map();

  /** @param {string} server @param {string} name @returns {Promise<string | null>} */
  async find(server, name) {
    return this.#tokens.get(`${server}\n${name}`) ?? null;
  }

  /** @param {string} server @param {string} name @param {string | null} token */
  async keep(server, name, token) {
    if (token === null) this.#tokens.delete(`${server}\n${name}`);
    else this.#tokens.set(`${server}\n${name}`, token);
  }
}
