"""The words for events: each a sentence that a reader understands without the events before it."""

from collections.abc import Sequence

from rich.text import Text

from domain.events import (
    AnyEvent,
    BidChallenged,
    CupsLifted,
    DiceDealt,
    DiceRerolled,
    GameCreated,
    Hand,
    OpeningDiceRolled,
    PlayerLeft,
    RollCalled,
    Rolled,
    RoundEnded,
    RoundStarted,
)
from services.cli.teller import Teller

_ENDS = (".", "!", "?")


def sentence_of(event: AnyEvent, teller: Teller) -> Text:
    """The sentence for an event."""
    match event:
        case GameCreated(rulebook=rulebook):
            return Text(f"The table is set up, by {rulebook}.")
        case PlayerLeft(seat=seat):
            return Text(f"Seat {seat} is given back.")
        case RoundStarted():
            return _round(event, teller)
        case BidChallenged(seat=seat):
            return Text.assemble(teller.name(seat), " doubts the bid.")
        case RoundEnded(number=number):
            return Text(f"Round {number} is over.")
        case _:
            return _dice(event, teller)


def _dice(event: AnyEvent, teller: Teller) -> Text:
    match event:
        case RollCalled(seats=seats):
            return Text(f"{_listed([teller.names[seat] for seat in seats])} must roll.")
        case Rolled(seat=seat):
            return Text.assemble(teller.name(seat), " rolls.")
        case OpeningDiceRolled(rolls=()):
            return Text("The opener is drawn by lot.")
        case OpeningDiceRolled(rolls=rolls):
            rolled = (f"{teller.names[roll.seat]} {teller.faces(roll.dice)}" for roll in rolls)
            return Text(f"The dice for the opener fall: {', '.join(rolled)}.")
        case DiceDealt(hands=hands):
            return Text(f"The dice fall{_hands(hands or (), teller)}")
        case CupsLifted(dice=dice):
            return Text(f"The cups are lifted{_hands(dice, teller)}")
        case _:
            return _as_at_the_table(event, teller)


def _as_at_the_table(event: AnyEvent, teller: Teller) -> Text:
    """The line of the teller as a whole sentence."""
    line = teller.line(event)
    assert line is not None, "every kind of event has its words"
    line = line[len(line.plain) - len(line.plain.lstrip()) :]
    if isinstance(event, DiceRerolled) and event.hand:
        line.append(f", which are {teller.faces(event.hand)}")
    return line if line.plain.endswith(_ENDS) else line.append(".")


def _round(event: RoundStarted, teller: Teller) -> Text:
    kind = "Palafico round" if event.palafico else "Round"
    dice = ", ".join(f"{teller.names[seat]} {count}" for seat, count in enumerate(event.dice_counts) if count)
    return Text.assemble(f"{kind} {event.number} begins, ", teller.name(event.opener), f" opens; dice: {dice}.")


def _hands(hands: Sequence[Hand | None], teller: Teller) -> str:
    known = [f"{teller.names[seat]} {teller.faces(hand)}" for seat, hand in enumerate(hands) if hand]
    return f": {', '.join(known)}." if known else "."


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
