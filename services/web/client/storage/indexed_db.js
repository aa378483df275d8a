/** A small database of the browser, where a value is on the disk once its promise is kept. */

const NAME = "liarsdice-client";
const VERSION = 2;
const STORES = /** @type {const} */ (["seats", "tokens", "receipts"]);

/** @typedef {typeof STORES[number]} StoreName */

/**
 * The result of work in one transaction: nobody else, in this page or another, changes the store meanwhile.
 *
 * @template Result
 * @param {StoreName} name
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<Result>} work which may ask for more within its own answers
 * @returns {Promise<Result>}
 */
export async function transact(name, mode, work) {
  const database = await opened();
  try {
    return await new Promise((resolve, reject) => {
      // Strict: the browser says that it is done only when the disk has it.
      const transaction = database.transaction(name, mode, { durability: "strict" });
      const request = work(transaction.objectStore(name));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error ?? new Error("the browser's database gave up"));
    });
  } finally {
    database.close();
  }
}

/** @returns {Promise<IDBDatabase>} */
function opened() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, VERSION);
    request.onupgradeneeded = () => {
      for (const store of STORES) {
        if (!request.result.objectStoreNames.contains(store)) request.result.createObjectStore(store);
      }
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
