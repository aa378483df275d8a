/** The texts in German. */

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
      title: "Die Bietleiste",
      line: "Ein Wettlauf auf der Leiste, manchmal mit offenen Würfeln",
      told:
        "Gebote rücken auf einer Leiste vor, auf der zwischen den Zahlen Sternfelder liegen. Sterne zählen als alles. Nach deinem Gebot darfst du einige Würfel " +
        "offen hinlegen und den Rest neu werfen. Wer falsch liegt, verliert so viele Würfel, wie er daneben lag.",
      tags: ["Sterne sind Joker", "Zeigen und neu werfen", "Die Differenz zählt"],
    },
    "single-hand": {
      title: "Eine Hand",
      line: "Das schlichte Spiel, für beliebig viele Freunde",
      told:
        "Fünf Würfel, kein Joker, und jeder Fehler kostet einen Würfel: So lernt man das Spiel am schnellsten. Der Tisch wählt eine von drei Arten zu erhöhen und kann die " +
        "Asse zu Jokern machen, wenn es wilder zugehen soll.",
      tags: ["Keine Joker", "Drei Arten zu erhöhen", "Bis zu 20 Spieler"],
    },
    pirates: {
      title: "Piraten",
      line: "Schnell, laut und voller Totenköpfe",
      told:
        "Totenköpfe helfen jedem Gebot, aber niemand darf auf sie bieten. Sag mehr Würfel an oder gleich viele einer höheren Zahl. Wer sich irrt, gibt einen Würfel ab " +
        "und eröffnet die nächste Runde. Wenn du noch nie gespielt hast, fang hier an.",
      tags: ["Totenköpfe sind Joker", "Ein Würfel je Fehler", "Gut zum Einstieg"],
    },
    "prediction-track": {
      title: "Die Vorhersageleiste",
      line: "Kühle Köpfe und genaues Zählen",
      told:
        "Vorhersagen rücken auf einer Leiste vor, auf der zwischen den Zahlen Steuerräder liegen. Wie weit du daneben liegst, so viele Würfel verlierst du, und selbst eine genau " +
        "richtige Vorhersage kostet den Zweifler einen. Wer gezweifelt hat, eröffnet die nächste Runde.",
      tags: ["Steuerräder sind Joker", "Die Differenz zählt", "Genau tut weh"],
    },
    palafico: {
      title: "Palafico",
      line: "Ein letztes Aufbäumen für alle mit nur einem Würfel",
      told:
        "Einsen sind Joker und dürfen keine Runde eröffnen. Fällt aber ein Spieler auf einen einzigen Würfel, stehen die Regeln eine Runde lang kopf: Einsen sind gewöhnlich, und die " +
        "eröffnete Zahl bleibt, bis jemand zweifelt.",
      tags: ["Einsen sind Joker", "Runde des letzten Würfels", "Bis zu 4 Spieler"],
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
  charts: { asTable: "Als Tabelle zeigen", from: "von", to: "bis", name: "Name" },
  statistics: {},
  audit: {},
  rules: {},
  about: {},
  /** What the server refuses, by its reason. @type {Record<string, (metadata: Record<string, string>) => string>} */
  refusals: {
    UNREACHABLE: () => "The server does not answer.",
  },
};
