/** Las palabras de los informes en español. */

/** @import {Words} from "./sentence.js" */
import { PAGE } from "./words.es.page.js";
import { CLAUSES, DICE, REASONS } from "./words.es.reasons.js";

/** @type {Words} */
export const SPANISH = {
  language: "es",
  sentences: {
    "verdict.verified": "Todo en este archivo concuerda.",
    "verdict.failed": "Este archivo no prueba lo que dice.",
    "verdict.undecided": "Este navegador no puede comprobar el archivo.",

    "status.proven": "probado",
    "status.failed": "falso",
    "status.not-reached": "sin llegar",
    "status.undecided": "no se puede comprobar aquí",
    "status.word-of-server": "palabra del servidor",
    "status.word-of-bundle": "palabra del propio archivo",

    "check.form": "Forma",
    "check.digests": "Huellas",
    "check.commitments": "Dados sellados",
    "check.signatures": "Firmas de las jugadas",
    "check.links": "Eslabones",
    "check.dice": "Dados",
    "check.bids": "Apuestas",
    "check.outcome": "Resultado",
    "check.leaf": "Final",
    "check.inclusion": "Registro",
    "check.checkpoint": "Firma del registro",
    "check.receipts": "Recibos de jugadas aceptadas",
    "check.key": "Clave",
    "check.witnesses": "Testigos",
    "check.other-signatures": "Otras firmas",
    "check.chains": "Quién tenía las cadenas",
    "check.moves": "Quién firmó",
    "check.old-events": "Sucesos antiguos",
    "check.clock": "Jugadas del reloj",
    "check.abandoned": "Partida abandonada",
    "check.times": "Horas y nombres",

    "form.proven": { one: "El archivo es un paquete de auditoría con {count} suceso.", other: "El archivo es un paquete de auditoría con {count} sucesos." },
    "digests.proven": "Cada suceso lleva la huella de todos los anteriores: ninguno se cambió, se quitó ni se movió.",
    "commitments.proven": "Los dados que el servidor selló al caer son los que mostraron los cubiletes.",
    "signatures.proven": {
      one: "{count} jugada está firmada por su jugador. Todas las que deben estarlo lo están.",
      other: "{count} jugadas están firmadas por sus jugadores. Todas las que deben estarlo lo están.",
    },
    "links.proven": {
      one: "{count} eslabón lleva a su ancla, que se fijó antes de la partida.",
      other: "{count} eslabones llevan a las anclas, que se fijaron antes de la partida.",
    },
    "dice.proven": { one: "{count} dado se deduce de los eslabones.", other: "Los {count} dados se deducen de los eslabones." },
    "bids.proven": "Cada apuesta y cada nueva tirada se hizo en su turno y es válida según el reglamento.",
    "outcome.proven": {
      one: "Se volvió a contar {count} ronda: pérdidas, puestos, botes y aperturas son los del reglamento.",
      other: "Se volvieron a contar {count} rondas: pérdidas, puestos, botes y aperturas son los del reglamento.",
    },
    "leaf.proven": "El último suceso termina aquello de lo que trata el archivo.",
    "inclusion.proven": "Ese final es la entrada {leaf} de las {size} del registro.",
    "checkpoint.proven": "El registro {origin} está firmado con {key}.",
    "receipts.proven": {
      one: "{count} recibo está firmado con la clave del registro, y el paquete tiene justo ese suceso.",
      other: "{count} recibos están firmados con la clave del registro, y el paquete tiene justo esos sucesos.",
    },
    "receipts.proven-with-later": "{count} recibos están firmados con la clave del registro y coinciden con el paquete. {later} de ellos son de sucesos posteriores, que no contiene.",
    "receipts.proven-in-part": "{count} recibos están firmados con la clave del registro y coinciden con el paquete; {later} de ellos son de sucesos posteriores. {others} están firmados con otras claves y no se comprobaron.",

    "form.not-reached": "No se comprobó si el archivo es un paquete.",
    "digests.not-reached": "No se comprobaron las huellas.",
    "commitments.not-reached": "Lo sellado no se comprobó hasta el final.",
    "signatures.not-reached": "Las firmas de las jugadas no se comprobaron hasta el final.",
    "links.not-reached": "Los eslabones no se comprobaron hasta el final.",
    "dice.not-reached": "Los dados no se calcularon hasta el final.",
    "bids.not-reached": "Las apuestas no se comprobaron hasta el final.",
    "outcome.not-reached": "Las rondas no se contaron hasta el final.",
    "leaf.not-reached": "No se comprobó el final.",
    "inclusion.not-reached": "No se comprobó el registro.",
    "checkpoint.not-reached": "No se comprobó la firma del registro.",
    "receipts.not-reached": "No se comprobaron los recibos.",

    "reason.receipts-too-large": "El archivo de recibos tiene más de {max} bytes.",
    "reason.no-receipts-file": "Esto no es un archivo de recibos.",
    "reason.receipts-of-another-game": "Los recibos son de otra partida.",
    "reason.no-receipt": "La línea {number} de los recibos no es un recibo.",
    "reason.no-receipt-key": "Otra clave para recibos no es la de un registro.",
    "reason.receipt-of-no-tree": "Los hashes del recibo del suceso {version} no llevan a ninguna parte.",
    "reason.receipt-not-signed": "El recibo del suceso {version} no está firmado con la clave que nombra.",
    "reason.receipt-of-another-event": "El servidor firmó un recibo de otro suceso {version} que el de este paquete. Recibo y paquete juntos prueban a cualquiera que mintió.",
    "reason.receipt-after-the-end": "El servidor firmó un recibo del suceso {version}, pero la partida de este paquete termina antes. Recibo y paquete juntos prueban a cualquiera que mintió.",

    "key.proven": "Es la clave que diste.",
    "key.word-of-bundle": "La clave se tomó del propio archivo. Compárala con la que publica el operador.",
    "witnesses.proven": { one: "También {count} testigo ha firmado el registro.", other: "También {count} testigos han firmado el registro." },
    "other-signatures.word-of-bundle": "Hay otras firmas bajo el registro. No se comprobaron.",
    "chains.proven": "Cada jugador tenía su propia cadena, así que el servidor no pudo elegir ningún dado.",
    "chains.word-of-server": {
      one: "El servidor tenía la cadena de {names}. No aporta nada que el servidor no sepa.",
      other: "El servidor tenía las cadenas de {names}. No aportan nada que el servidor no sepa.",
    },
    "moves.proven": "Todos los jugadores firman, así que nadie más hizo estas jugadas.",
    "moves.word-of-server": {
      one: "{names} no firma nada: esas jugadas son palabra del servidor.",
      other: "{names} no firman nada: sus jugadas son palabra del servidor.",
    },
    "moves.but-the-clocks": {
      one: "Todos los jugadores firman. {count} jugada no tiene firma, porque la hizo el reloj.",
      other: "Todos los jugadores firman. {count} jugadas no tienen firma, porque las hizo el reloj.",
    },
    "clock.forfeit": "Tras {seconds} segundos, el reloj se rindió por {name} (asiento {seat}, ronda {round}). Que {name} no jugó a tiempo es palabra del servidor.",
    "clock.challenge": "Tras {seconds} segundos, el reloj dudó por {name} (asiento {seat}, ronda {round}). Que {name} no jugó a tiempo es palabra del servidor.",
    "clock.bid": "Tras {seconds} segundos, el reloj apostó {quantity} × {face} por {name} (asiento {seat}, ronda {round}). Que {name} no jugó a tiempo es palabra del servidor.",
    "clock.before-the-first-round": "Antes de la primera ronda, tras {seconds} segundos, el reloj se rindió por {name} (asiento {seat}). Que {name} no tiró a tiempo es palabra del servidor.",
    "abandoned.word-of-server": "La partida se abandonó ({reason}). Que alguien lo pidió es palabra del servidor.",
    "abandoned.in-a-round": "La partida se abandonó en la ronda {round} ({reason}). Que alguien lo pidió es palabra del servidor.",
    "old-events.word-of-server": {
      one: "{count} suceso se guardó antes de que hubiera huellas.",
      other: "{count} sucesos se guardaron antes de que hubiera huellas.",
    },
    "times.word-of-server": "Las horas y los nombres son palabra del servidor; solo está probado que las horas nunca retroceden. Tu propia clave y tu ancla solo las conoces tú: compáralas.",

    ...DICE,
    ...REASONS,
    ...CLAUSES,
    ...PAGE,
  },
};
