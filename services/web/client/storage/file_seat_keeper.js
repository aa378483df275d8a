/**
 * The keeper of seats in Node: a file for the secrets of each seat, and one for each link that was sent, in one folder.
 *
 * A note of a link is never changed. Node has no locks of files, but of several programs only one can make a file with a
 * given name, so they can share the folder.
 */

/** @import {Kept, SeatKeeper, SeatName, Sent} from "../seats/seat_keeper.js" */
import { createHash } from "node:crypto";
import { appendFile, readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isHigher, isSent, keptOf, nameOf, plainOf } from "../seats/seat_keeper.js";
import { fileOf } from "../receipts.js";
import { isError, writeFirst, writePrivate } from "./private_file.js";

const NAME_LENGTH = 16;
const RECEIPTS = ".receipts";

/** @implements {SeatKeeper} */
export class FileSeatKeeper {
  #folder;

  /** @param {string} folder */
  constructor(folder) {
    this.#folder = folder;
  }

  /** @param {SeatName} seat @returns {Promise<Kept | null>} */
  async find(seat) {
    const path = join(this.#folder, `${fileName(seat)}.seat`);
    const plain = await readJson(path);
    if (plain === undefined) return null;
    const kept = keptOf(plain, seat);
    if (kept === null) throw damaged(path);
    return { ...kept, sent: await this.#sent(seat) };
  }

  /** @param {Kept} kept */
  async keep(kept) {
    await this.forget(kept);
    await writePrivate(join(this.#folder, `${fileName(kept)}.seat`), text(plainOf({ ...kept, sent: null })));
  }

  /** @param {Kept} kept @param {Sent} sent @returns {Promise<Sent | null>} */
  async note(kept, sent) {
    const before = await this.#sent(kept);
    if (!isHigher(sent, before)) return before;
    const first = await writeFirst(join(this.#folder, `${fileName(kept)}.sent-${sent.number}`), text(sent));
    return first ? before : this.#sent(kept);
  }

  /** @param {SeatName} seat */
  async forget(seat) {
    const secret = (await this.#files(seat)).filter((name) => !name.endsWith(RECEIPTS));
    for (const name of secret) await rm(join(this.#folder, name), { force: true });
  }

  /** @param {SeatName} seat @param {string} line */
  async addReceipt(seat, line) {
    const path = this.#receiptsOf(seat);
    // Several programs can add to the file, and only one of them begins it.
    if (!(await this.#files(seat)).some((name) => name.endsWith(RECEIPTS))) await writeFirst(path, fileOf(seat.gameId, []));
    await appendFile(path, `${line}\n`, { mode: 0o600 });
  }

  /** @param {SeatName} seat @returns {Promise<string[]>} */
  async receipts(seat) {
    try {
      // After the last line feed there is half a line, if the machine stopped while it was written.
      return (await readFile(this.#receiptsOf(seat), "utf8")).split("\n").slice(2, -1);
    } catch (error) {
      if (isError(error, "ENOENT")) return [];
      throw error;
    }
  }

  /** @param {SeatName} seat */
  #receiptsOf(seat) {
    return join(this.#folder, `${fileName(seat)}${RECEIPTS}`);
  }

  /** The highest link that was noted. @param {SeatName} seat @returns {Promise<Sent | null>} */
  async #sent(seat) {
    const numbers = (await this.#files(seat)).map((name) => Number(name.split(".sent-")[1])).filter(Number.isInteger);
    if (numbers.length === 0) return null;
    const path = join(this.#folder, `${fileName(seat)}.sent-${Math.max(...numbers)}`);
    const sent = await readJson(path);
    if (sent === undefined) return null; // Another program has forgotten the seat at this moment.
    if (!isSent(sent)) throw damaged(path);
    return sent;
  }

  /** @param {SeatName} seat @returns {Promise<string[]>} */
  async #files(seat) {
    try {
      return (await readdir(this.#folder)).filter((name) => name.startsWith(`${fileName(seat)}.`));
    } catch (error) {
      if (isError(error, "ENOENT")) return [];
      throw error;
    }
  }
}

/** The name of a seat's files: a hash, because an address may hold characters that no file name can. @param {SeatName} seat */
function fileName(seat) {
  return createHash("sha256").update(nameOf(seat)).digest("hex").slice(0, NAME_LENGTH);
}

/** @param {unknown} value */
function text(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** What a file holds; undefined if it is not there. @param {string} path @returns {Promise<unknown>} */
async function readJson(path) {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    if (isError(error, "ENOENT")) return undefined;
    // The error of a parser may show a piece of the file.
    throw error instanceof SyntaxError ? damaged(path) : error;
  }
}

/** @param {string} path */
function damaged(path) {
  return new Error(`the file of a seat's secrets (${path}) is damaged`);
}
