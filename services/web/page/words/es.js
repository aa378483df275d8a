/** The texts in Spanish. */

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
      title: "La pista de apuestas",
      line: "Una carrera por la pista, a veces con dados a la vista",
      told:
        "Las apuestas avanzan por una pista en la que hay casillas de estrella entre los números. Las estrellas valen por todo. Tras apostar puedes enseñar algunos dados " +
        "y volver a tirar el resto. Un error cuesta tantos dados como te hayas desviado.",
      tags: ["Estrellas comodín", "Enseñar y volver a tirar", "Se pierde la diferencia"],
    },
    "single-hand": {
      title: "Una mano",
      line: "El juego sencillo, para cuantos quieran",
      told:
        "Cinco dados, ningún comodín y un dado perdido por cada error: es la forma más corta de aprender. La mesa elige una de tres maneras de subir y puede convertir los " +
        "ases en comodines si quiere más alboroto.",
      tags: ["Sin comodines", "Tres maneras de subir", "Hasta 20 jugadores"],
    },
    pirates: {
      title: "Piratas",
      line: "Rápido, ruidoso y lleno de calaveras",
      told:
        "Las calaveras ayudan a cualquier apuesta, pero nadie puede apostar por ellas. Di más dados, o los mismos de un número más alto. Quien se equivoca entrega un dado " +
        "y abre la ronda siguiente. Si nunca has jugado, empieza por aquí.",
      tags: ["Calaveras comodín", "Un dado por error", "Ideal para empezar"],
    },
    "prediction-track": {
      title: "La pista de predicciones",
      line: "Cabeza fría y cuentas exactas",
      told:
        "Las predicciones avanzan por una pista con timones entre los números. Pierdes tantos dados como te hayas desviado, e incluso una predicción exacta " +
        "le cuesta un dado a quien la duda. Quien dudó abre la ronda siguiente.",
      tags: ["Timones comodín", "Se pierde la diferencia", "Lo exacto duele"],
    },
    palafico: {
      title: "Palafico",
      line: "La última resistencia de quien se queda con un dado",
      told:
        "Los unos son comodines y no pueden abrir una ronda. Pero cuando alguien se queda con un solo dado, las reglas se invierten durante una ronda: los unos son normales y el " +
        "número de apertura se mantiene hasta que alguien dude.",
      tags: ["Unos comodín", "Ronda del último dado", "Hasta 4 jugadores"],
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
  charts: { asTable: "Mostrar como tabla", from: "desde", to: "hasta", name: "Nombre" },
  statistics: {},
  audit: {},
  rules: {},
  about: {},
  /** What the server refuses, by its reason. @type {Record<string, (metadata: Record<string, string>) => string>} */
  refusals: {
    UNREACHABLE: () => "The server does not answer.",
  },
};
