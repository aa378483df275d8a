/** The page. */

import { Client } from "../client/index.js";

document.body.textContent = `Liar's Dice, with a ${Client.name}`;
