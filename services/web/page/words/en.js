/** The texts in English. */

export default {
  shell: {
    name: "Liar's Dice",
    play: "Play",
    games: "Games",
    players: "Players",
    leaderboards: "Leaderboards",
    rules: "Rules",
    verify: "Verify",
    about: "About",
    settings: "Settings",
    language: "Language",
    theme: "Colours",
    themes: { auto: "As the system", light: "Light", dark: "Dark" },
    sound: "Sounds",
    odds: "Show odds",
    close: "Close",
    skip: "Skip to the content",
    menu: "Pages",
    loading: "Loading…",
    failed: "Something went wrong.",
    again: "Try again",
    offline: "The server does not answer. The page goes on as soon as it is back.",
    back: "The server is back.",
    missing: "There is no such page.",
    missingHint: "The address may be mistyped, or the game may be gone.",
    home: "To the start",
    renewed: "There is a new version of this page.",
    reload: "Reload",
    readOnly: "Games can be read here, but not played.",
  },
  // Each subject has its texts here, under its own name.
  books: {
    "bidding-track": {
      title: "The bidding track",
      line: "A race along a track, now and then with open dice",
      told:
        "Bids move forward on a printed track, where star spaces lie between the numbers. Stars count as everything. After your bid you may show some of your dice " +
        "and roll the rest again. A wrong guess costs as many dice as you were off.",
      tags: ["Stars are wild", "Show and reroll", "Lose the difference"],
    },
    "single-hand": {
      title: "Single hand",
      line: "The plain game, for any number of friends",
      told:
        "Five dice, no wild face, and one die lost for each mistake: the shortest way to learn the game. The table chooses one of three ways to raise, and may make the " +
        "aces wild if it likes more uproar.",
      tags: ["Nothing is wild", "Three ways to raise", "Up to 20 players"],
    },
    pirates: {
      title: "Pirates",
      line: "Quick, loud and full of skulls",
      told:
        "Skulls help every bid, but nobody may bid on them. Either say more dice, or the same number of a higher face. Whoever is wrong gives up one die " +
        "and has to open the next round. If you have never played, begin here.",
      tags: ["Skulls are wild", "One die a mistake", "Good first game"],
    },
    "prediction-track": {
      title: "The prediction track",
      line: "Cool heads and exact counts",
      told:
        "Predictions advance along a track with wheel spaces between the numbers. How far you were off is how many dice you lose, and even a prediction that is exactly right " +
        "costs its challenger one. Whoever challenged opens the next round.",
      tags: ["Wheels are wild", "Lose the difference", "Exact counts hurt"],
    },
    palafico: {
      title: "Palafico",
      line: "A last stand for everyone who is down to one die",
      told:
        "Ones are wild and may not open a round. But when a player falls to a single die, the rules turn over for one round: ones are plain, and the opener's face stays until " +
        "somebody doubts.",
      tags: ["Ones are wild", "Special last-die round", "Up to 4 players"],
    },
  },
  dice: {
    face: (/** @type {{face: number}} */ { face }) => `${face}`,
    hidden: "hidden die",
    wild: { star: "star", skull: "skull", wheel: "wheel", ace: "ace" },
  },
  lobby: {},
  table: {},
  replay: {},
  charts: { asTable: "Show as table", from: "from", to: "to", name: "Name" },
  statistics: {},
  audit: {},
  rules: {},
  about: {},
  /** What the server refuses, by its reason. @type {Record<string, (metadata: Record<string, string>) => string>} */
  refusals: {
    UNREACHABLE: () => "The server does not answer.",
  },
};
