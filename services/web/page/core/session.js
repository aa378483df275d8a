/** The player at this browser. Tokens, seeds and keys lie in the browser's database and in no address. */

import { Client, IndexedDbSeatKeeper, IndexedDbTokenStore, Refused } from "../../client/index.js";
import { sharedWatching } from "../watching/shared_watching.js";

/** @import {Player} from "../../client/messages/types.js" */

/** A browser has one player, whatever the player's name is. */
const KEPT_AS = "this browser";

export class Session {
  #tokens = new IndexedDbTokenStore();
  #seats = new IndexedDbSeatKeeper();
  #watching = sharedWatching();
  #origin;
  /** The client of the one who is here, also of somebody who only looks. */
  client;
  /** @type {Player | null} */
  player = null;

  constructor(origin = location.origin) {
    this.#origin = origin;
    this.client = this.#clientWith(null);
  }

  /** By which reads are made; null for a stranger. */
  get token() {
    return this.client.token;
  }

  /** Be the player who was here before; null if there was none. @returns {Promise<Player | null>} */
  async resume() {
    const token = await this.#tokens.find(this.#origin, KEPT_AS);
    if (token === null) return null;
    const client = this.#clientWith(token);
    try {
      this.player = await client.player();
      this.client = client;
    } catch (error) {
      // A token that has ended is worth nothing. Whoever wants to play becomes somebody new.
      if (!(error instanceof Refused) || error.reason !== "TOKEN_INVALID") throw error;
      await this.forget();
    }
    return this.player;
  }

  /** Be a player: the one who is here, or a new one with this name. @param {string} name @returns {Promise<Player>} */
  async signIn(name) {
    const known = this.player ?? (await this.resume());
    if (known !== null) return known;
    this.player = await this.client.register(name);
    await this.#tokens.keep(this.#origin, KEPT_AS, this.client.token);
    return this.player;
  }

  /** Forget the player. The next one who plays here is somebody new. */
  async forget() {
    await this.#tokens.keep(this.#origin, KEPT_AS, null);
    this.client = this.#clientWith(null);
    this.player = null;
  }

  /** Whether games can be played at this server: the HTTP service alone has no keys and plays nothing. */
  async plays() {
    try {
      await this.client.call("GameService", "ListRulebooks");
      return true;
    } catch (error) {
      if (error instanceof Refused && error.code === "unimplemented") return false;
      throw error;
    }
  }

  /** @param {string | null} token */
  #clientWith(token) {
    return new Client(this.#origin, { token, seats: this.#seats, watching: this.#watching });
  }
}
