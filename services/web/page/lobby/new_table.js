/** Sets up tables: one after a draft, or one that begins at once. */

import { Refused } from "../../client/index.js";
import { BOOKS, bookIn } from "../rules/books.js";
import { botsOf, FIRST_DRAFT, fitting, waitsForPeople, wishesOf } from "./draft.js";
import { signIn } from "./guest.js";
import { sitDown } from "./seat.js";

/** @import {App} from "../core/page.js" */
/** @import {Rulebook} from "../../client/messages/types.js" */
/** @import {Table} from "../../client/index.js" */
/** @import {Draft} from "./draft.js" */

/** Set up a table, take a seat, let the bots sit down, and begin unless people are invited. @param {App<any>} app @param {Draft} draft @param {Rulebook} book */
export async function setUp(app, draft, book) {
  await signIn(app);
  const table = await app.session.client.create(book.id, { ...wishesOf(draft, book), withoutSeat: true });
  await sitDown(app, table);
  await addBots(table, draft);
  if (!waitsForPeople(draft)) await table.start();
  app.go(`/play/${encodeURIComponent(table.gameId)}`);
}

/** One click, and the game begins: two bots of different tempers, and a clock. @param {App<any>} app @param {string} [book] */
export async function quickGame(app, book = FIRST_DRAFT.book) {
  const chosen = bookIn(BOOKS, book);
  await setUp(app, fitting(FIRST_DRAFT, chosen), chosen);
}

/** @param {Table} table @param {Draft} draft */
async function addBots(table, draft) {
  for (const temper of botsOf(draft)) {
    try {
      await table.addBot(temper);
    } catch (error) {
      // Somebody found the open table before the bot did, and is as welcome.
      if (error instanceof Refused && error.reason === "TABLE_FULL") return;
      throw error;
    }
  }
}
