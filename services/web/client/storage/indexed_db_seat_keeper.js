/** The keeper of seats in a browser: secrets outlive a reload, and all pages of one origin share them. */

/** @import {Kept, SeatKeeper, SeatName, Sent} from "../seats/seat_keeper.js" */
import { isHigher, keptOf, nameOf, plainOf } from "../seats/seat_keeper.js";
import { transact } from "./indexed_db.js";

/** @implements {SeatKeeper} */
export class IndexedDbSeatKeeper {
  /** @param {SeatName} seat @returns {Promise<Kept | null>} */
  async find(seat) {
    const plain = await transact("seats", "readonly", (store) => store.get(nameOf(seat)));
    if (plain === undefined) return null;
    const kept = keptOf(plain, seat);
    if (kept === null) throw new Error(`the browser's secrets of the seat in game ${seat.gameId} are damaged`);
    return kept;
  }

  /** @param {Kept} kept */
  async keep(kept) {
    await transact("seats", "readwrite", (store) => store.put(plainOf(kept), nameOf(kept)));
  }

  /** @param {Kept} kept @param {Sent} sent @returns {Promise<Sent | null>} */
  async note(kept, sent) {
    const before = await transact("seats", "readwrite", (store) => {
      const asked = store.get(nameOf(kept));
      asked.onsuccess = () => {
        const now = asked.result ?? plainOf(kept);
        if (isHigher(sent, now.sent)) store.put({ ...now, sent }, nameOf(kept));
      };
      return asked;
    });
    return before === undefined ? kept.sent : before.sent;
  }

  /** @param {SeatName} seat */
  async forget(seat) {
    await transact("seats", "readwrite", (store) => store.delete(nameOf(seat)));
  }

  /** @param {SeatName} seat @param {string} line */
  async addReceipt(seat, line) {
    await transact("receipts", "readwrite", (store) => {
      const asked = store.get(nameOf(seat));
      asked.onsuccess = () => store.put([...(asked.result ?? []), line], nameOf(seat));
      return asked;
    });
  }

  /** @param {SeatName} seat @returns {Promise<string[]>} */
  async receipts(seat) {
    return (await transact("receipts", "readonly", (store) => store.get(nameOf(seat)))) ?? [];
  }
}
