/** The field for one's name; once somebody plays here, it says who. */

import { h } from "../core/render.js";
import { guestName } from "./guest.js";

/** @import {App} from "../core/page.js" */

const NAME_LENGTH_MAX = 40;

/** @param {App<any>} app */
export function nameField({ session, words, preferences, prefer }) {
  const texts = words.messages.lobby;
  if (session.player !== null) return h("p", { class: "name-known", key: "known" }, texts.playingAs, " ", h("strong", null, session.player.name));
  return h("label", { class: "name-field", key: "name" }, texts.yourName, h("input", {
    name: "name",
    autocomplete: "nickname",
    autocapitalize: "words",
    spellcheck: "false",
    maxlength: NAME_LENGTH_MAX,
    placeholder: guestName(words),
    ".value": preferences.name,
    oninput: (/** @type {any} */ event) => prefer({ name: event.target.value }),
  }));
}
