/** The verifier as one file that needs no server. */

document.body.textContent = "Liar's Dice: check a game";
