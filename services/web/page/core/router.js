/** Addresses: which page belongs to a path, and how one gets there. */

/** @import {Page} from "./page.js" */

/** @typedef {{path: string, params: Record<string, string>, query: URLSearchParams, page: () => Promise<{default: Page<any>}>}} Route */

/** Every page is loaded when it is needed. @type {[string, () => Promise<{default: Page<any>}>][]} */
const PAGES = [
  ["/", () => import("../lobby/lobby_page.js")],
  ["/join/:game", () => import("../lobby/join_page.js")],
  ["/play/:game", () => import("../table/table_page.js")],
  ["/watch/:game", () => import("../table/table_page.js")],
  ["/games", () => import("../replay/games_page.js")],
  ["/games/:game", () => import("../replay/replay_page.js")],
  ["/games/:game/rounds/:round", () => import("../audit/round_page.js")],
  ["/players", () => import("../statistics/players_page.js")],
  ["/players/:player", () => import("../statistics/player_page.js")],
  ["/leaderboards", () => import("../statistics/leaderboards_page.js")],
  ["/compare", () => import("../statistics/compare_page.js")],
  ["/clubs", () => import("../clubs/clubs_page.js")],
  ["/clubs/:club", () => import("../clubs/club_page.js")],
  ["/rules", () => import("../rules/rules_page.js")],
  ["/rules/:book", () => import("../rules/rules_page.js")],
  ["/verify", () => import("../audit/verify_page.js")],
  ["/about", () => import("../shell/about_page.js")],
];

/** The route of an address of this page; a page that says so if there is none. @param {URL} address @returns {Route} */
export function routeOf(address) {
  for (const [pattern, page] of PAGES) {
    const params = matched(pattern, address.pathname);
    if (params !== null) return { path: address.pathname, params, query: address.searchParams, page };
  }
  return { path: address.pathname, params: {}, query: address.searchParams, page: () => import("../shell/missing_page.js") };
}

/** @param {string} pattern @param {string} path @returns {Record<string, string> | null} */
function matched(pattern, path) {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return null;
  /** @type {Record<string, string>} */
  const params = {};
  for (const [index, part] of wanted.entries()) {
    const found = given[index] ?? "";
    if (part.startsWith(":") && found) params[part.slice(1)] = decodeURIComponent(found);
    else if (part !== found) return null;
  }
  return params;
}
