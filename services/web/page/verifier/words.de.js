/** Die Wörter der Berichte auf Deutsch. */

/** @import {Words} from "./sentence.js" */
import { PAGE } from "./words.de.page.js";
import { CLAUSES, DICE, REASONS } from "./words.de.reasons.js";

/** @type {Words} */
export const GERMAN = {
  language: "de",
  sentences: {
    "verdict.verified": "Alles in dieser Datei passt zusammen.",
    "verdict.failed": "Diese Datei beweist nicht, was sie behauptet.",
    "verdict.undecided": "Dieser Browser kann die Datei nicht prüfen.",

    "status.proven": "bewiesen",
    "status.failed": "falsch",
    "status.not-reached": "nicht erreicht",
    "status.undecided": "hier nicht prüfbar",
    "status.word-of-server": "sagt der Server",
    "status.word-of-bundle": "sagt die Datei selbst",

    "check.form": "Form",
    "check.digests": "Fingerabdrücke",
    "check.commitments": "Versiegelte Würfel",
    "check.signatures": "Unterschriften der Züge",
    "check.links": "Kettenglieder",
    "check.dice": "Würfel",
    "check.bids": "Gebote",
    "check.outcome": "Ergebnis",
    "check.leaf": "Ende",
    "check.inclusion": "Protokoll",
    "check.checkpoint": "Unterschrift des Protokolls",
    "check.receipts": "Quittungen für angenommene Züge",
    "check.key": "Schlüssel",
    "check.witnesses": "Zeugen",
    "check.other-signatures": "Andere Unterschriften",
    "check.chains": "Wer die Ketten hatte",
    "check.moves": "Wer unterschrieben hat",
    "check.old-events": "Alte Ereignisse",
    "check.clock": "Züge der Uhr",
    "check.abandoned": "Abgebrochenes Spiel",
    "check.times": "Zeiten und Namen",

    "form.proven": { one: "Die Datei ist ein Prüfbündel mit {count} Ereignis.", other: "Die Datei ist ein Prüfbündel mit {count} Ereignissen." },
    "digests.proven": "Jedes Ereignis enthält den Fingerabdruck aller Ereignisse davor: keines wurde geändert, weggelassen oder verschoben.",
    "commitments.proven": "Die Würfel, die der Server beim Wurf versiegelt hat, sind die Würfel, die unter den Bechern lagen.",
    "signatures.proven": {
      one: "{count} Zug ist von seinem Spieler unterschrieben. Alle Züge, die es sein müssen, sind es.",
      other: "{count} Züge sind von ihren Spielern unterschrieben. Alle Züge, die es sein müssen, sind es.",
    },
    "links.proven": {
      one: "{count} Kettenglied führt zu seinem Anker, der vor dem Spiel feststand.",
      other: "{count} Kettenglieder führen zu den Ankern, die vor dem Spiel feststanden.",
    },
    "dice.proven": { one: "{count} Würfel folgt aus den Kettengliedern.", other: "Alle {count} Würfel folgen aus den Kettengliedern." },
    "bids.proven": "Jedes Gebot und jeder neue Wurf kam an der Reihe und ist nach dem Regelbuch erlaubt.",
    "outcome.proven": {
      one: "{count} Runde wurde nachgezählt: Verluste, Plätze, Töpfe und Eröffner sind die des Regelbuchs.",
      other: "{count} Runden wurden nachgezählt: Verluste, Plätze, Töpfe und Eröffner sind die des Regelbuchs.",
    },
    "leaf.proven": "Das letzte Ereignis beendet das, worum es in der Datei geht.",
    "inclusion.proven": "Dieses Ende ist Eintrag {leaf} von {size} im Protokoll.",
    "checkpoint.proven": "Das Protokoll {origin} ist mit {key} unterschrieben.",
    "receipts.proven": {
      one: "{count} Quittung ist mit dem Schlüssel des Protokolls unterschrieben, und das Prüfbündel hat genau dieses Ereignis.",
      other: "{count} Quittungen sind mit dem Schlüssel des Protokolls unterschrieben, und das Prüfbündel hat genau diese Ereignisse.",
    },
    "receipts.proven-with-later": "{count} Quittungen sind mit dem Schlüssel des Protokolls unterschrieben und passen zum Prüfbündel. {later} davon gelten für spätere Ereignisse, die es nicht enthält.",
    "receipts.proven-in-part": "{count} Quittungen sind mit dem Schlüssel des Protokolls unterschrieben und passen zum Prüfbündel; {later} davon gelten für spätere Ereignisse. {others} sind mit anderen Schlüsseln unterschrieben und wurden nicht geprüft.",

    "form.not-reached": "Ob die Datei ein Prüfbündel ist, wurde nicht geprüft.",
    "digests.not-reached": "Die Fingerabdrücke wurden nicht geprüft.",
    "commitments.not-reached": "Was versiegelt war, wurde nicht bis zum Ende geprüft.",
    "signatures.not-reached": "Die Unterschriften der Züge wurden nicht bis zum Ende geprüft.",
    "links.not-reached": "Die Kettenglieder wurden nicht bis zum Ende geprüft.",
    "dice.not-reached": "Die Würfel wurden nicht bis zum Ende berechnet.",
    "bids.not-reached": "Die Gebote wurden nicht bis zum Ende geprüft.",
    "outcome.not-reached": "Die Runden wurden nicht bis zum Ende nachgezählt.",
    "leaf.not-reached": "Das Ende wurde nicht geprüft.",
    "inclusion.not-reached": "Das Protokoll wurde nicht geprüft.",
    "checkpoint.not-reached": "Die Unterschrift des Protokolls wurde nicht geprüft.",
    "receipts.not-reached": "Die Quittungen wurden nicht geprüft.",

    "reason.receipts-too-large": "Die Datei mit den Quittungen ist größer als {max} Bytes.",
    "reason.no-receipts-file": "Das ist keine Datei mit Quittungen.",
    "reason.receipts-of-another-game": "Die Quittungen gehören zu einer anderen Partie.",
    "reason.no-receipt": "Zeile {number} der Quittungen ist keine Quittung.",
    "reason.no-receipt-key": "Ein weiterer Schlüssel für Quittungen ist keiner eines Protokolls.",
    "reason.receipt-of-no-tree": "Die Hashes der Quittung für Ereignis {version} führen nirgendwohin.",
    "reason.receipt-not-signed": "Die Quittung für Ereignis {version} ist nicht mit dem Schlüssel unterschrieben, den sie nennt.",
    "reason.receipt-of-another-event": "Der Server hat für Ereignis {version} ein anderes quittiert, als in diesem Prüfbündel steht. Quittung und Prüfbündel zusammen beweisen jedem, dass er gelogen hat.",
    "reason.receipt-after-the-end": "Der Server hat Ereignis {version} quittiert, aber die Partie in diesem Prüfbündel endet davor. Quittung und Prüfbündel zusammen beweisen jedem, dass er gelogen hat.",

    "key.proven": "Es ist der Schlüssel, den du angegeben hast.",
    "key.word-of-bundle": "Der Schlüssel stammt aus der Datei selbst. Vergleiche ihn mit dem, den der Betreiber veröffentlicht.",
    "witnesses.proven": { one: "Auch {count} Zeuge hat das Protokoll unterschrieben.", other: "Auch {count} Zeugen haben das Protokoll unterschrieben." },
    "other-signatures.word-of-bundle": "Unter dem Protokoll stehen noch andere Unterschriften. Sie wurden nicht geprüft.",
    "chains.proven": "Alle Spieler hatten ihre eigene Kette. Der Server konnte also keinen Würfel bestimmen.",
    "chains.word-of-server": {
      one: "Der Server hatte die Kette von {names}. Sie bringt nichts ein, was der Server nicht weiß.",
      other: "Der Server hatte die Ketten von {names}. Sie bringen nichts ein, was der Server nicht weiß.",
    },
    "moves.proven": "Alle Spieler unterschreiben. Niemand sonst hat diese Züge gemacht.",
    "moves.word-of-server": {
      one: "{names} unterschreibt nichts: Für diese Züge gibt es nur das Wort des Servers.",
      other: "{names} unterschreiben nichts: Für diese Züge gibt es nur das Wort des Servers.",
    },
    "moves.but-the-clocks": {
      one: "Alle Spieler unterschreiben. {count} Zug hat keine Unterschrift, weil die Uhr ihn gemacht hat.",
      other: "Alle Spieler unterschreiben. {count} Züge haben keine Unterschrift, weil die Uhr sie gemacht hat.",
    },
    "clock.forfeit": "Nach {seconds} Sekunden gab die Uhr für {name} auf (Platz {seat}, Runde {round}). Dass {name} nicht rechtzeitig zog, sagt nur der Server.",
    "clock.challenge": "Nach {seconds} Sekunden zweifelte die Uhr für {name} an (Platz {seat}, Runde {round}). Dass {name} nicht rechtzeitig zog, sagt nur der Server.",
    "clock.bid": "Nach {seconds} Sekunden bot die Uhr {quantity} × {face} für {name} (Platz {seat}, Runde {round}). Dass {name} nicht rechtzeitig zog, sagt nur der Server.",
    "clock.before-the-first-round": "Vor der ersten Runde gab die Uhr nach {seconds} Sekunden für {name} auf (Platz {seat}). Dass {name} nicht rechtzeitig würfelte, sagt nur der Server.",
    "abandoned.word-of-server": "Das Spiel wurde abgebrochen ({reason}). Dass jemand darum bat, sagt nur der Server.",
    "abandoned.in-a-round": "Das Spiel wurde in Runde {round} abgebrochen ({reason}). Dass jemand darum bat, sagt nur der Server.",
    "old-events.word-of-server": {
      one: "{count} Ereignis wurde gespeichert, bevor es Fingerabdrücke gab.",
      other: "{count} Ereignisse wurden gespeichert, bevor es Fingerabdrücke gab.",
    },
    "times.word-of-server": "Zeiten und Namen sagt nur der Server; bewiesen ist nur, dass die Zeiten nie rückwärts laufen. Deinen eigenen Schlüssel und Anker kennst nur du: Vergleiche sie.",

    ...DICE,
    ...REASONS,
    ...CLAUSES,
    ...PAGE,
  },
};
