"""A line for each event, for a model. Players are seats here: their names are data, and stay out of sentences."""

from collections.abc import Sequence

from domain.events import (
    AntesPaid,
    AnyEvent,
    BidChallenged,
    BidPlaced,
    ChallengeResolved,
    CupsLifted,
    DiceDealt,
    DiceLost,
    DiceRerolled,
    GameAbandoned,
    GameCreated,
    GameEnded,
    GameStarted,
    Hand,
    OpenerChosen,
    OpeningDiceRolled,
    PlayerForfeited,
    PlayerJoined,
    PlayerLeft,
    PlayersEliminated,
    PotWon,
    RoundEnded,
    RoundStarted,
    TurnTimedOut,
)

_FORFEITS = {"resigned": "gives up", "time": "runs out of time"}


def line_of(event: AnyEvent, viewer: int | None) -> str | None:
    """The line for an event as a viewer saw it; None for an event that says nothing new to a player."""
    match event:
        case GameCreated(rulebook=rulebook):
            return f"A table of {rulebook} is set up."
        case PlayerJoined(seat=seat, kind=kind):
            # Seats may still move, so it is not said whose this one is now.
            return f"Seat {seat} is taken by a {kind}."
        case PlayerLeft(seat=seat):
            return f"Seat {seat} is given back; higher seats move down by one."
        case GameStarted(dice_each=dice):
            return f"The game begins, with {_dice(dice)} each."
        case OpeningDiceRolled(rolls=rolls) if rolls:
            return f"Roll for the opener: {_hands({roll.seat: roll.dice for roll in rolls}, viewer)}."
        case OpenerChosen(seat=seat):
            return f"{_seat(seat, viewer)} opens the first round."
        case RoundStarted():
            return _round(event, viewer)
        case AntesPaid(antes=antes):
            return f"Everyone pays into the pots: {sum(ante.round_pot + ante.game_pot for ante in antes)} chips."
        case RoundEnded(number=number):
            return f"Round {number} is over."
        case _:
            return _play(event, viewer)


def _play(event: AnyEvent, viewer: int | None) -> str | None:
    match event:
        case DiceDealt(hands=hands):
            known = _known(hands or ())
            return f"The dice fall: {_hands(known, viewer)}." if known else "The dice fall."
        case BidPlaced(seat=seat, quantity=quantity, face=face):
            return f"{_seat(seat, viewer)} bids {quantity} x {face}."
        case DiceRerolled(seat=seat, shown=shown, rerolled=rerolled, hand=hand):
            became = f", which become {_faces(hand)}" if hand else ""
            return f"{_seat(seat, viewer)} shows {_faces(shown)} and rerolls {rerolled}{became}."
        case BidChallenged(seat=seat):
            return f"{_seat(seat, viewer)} challenges the bid."
        case CupsLifted(dice=dice):
            return f"The cups are lifted: {_hands(_known(dice), viewer)}."
        case TurnTimedOut(seat=seat):
            return f"{_seat(seat, viewer)} did not move in time."
        case PlayerForfeited(seat=seat, reason=reason):
            return f"{_seat(seat, viewer)} {_FORFEITS[reason]} and is out."
        case _:
            return _outcome(event, viewer)


def _outcome(event: AnyEvent, viewer: int | None) -> str | None:
    match event:
        case ChallengeResolved(bid=bid, actual=actual, winner=winner):
            return f"The bid was {bid.quantity} x {bid.face}, and {actual} count: {_seat(winner, viewer)} wins the challenge."
        case DiceLost(seat=seat, lost=lost):
            return f"{_seat(seat, viewer)} loses {_dice(lost)}."
        case PlayersEliminated(seats=seats):
            return f"Out of the game: {', '.join(_seat(seat, viewer) for seat in seats)}."
        case PotWon(seat=seat, pot=pot, chips=chips):
            return f"{_seat(seat, viewer)} takes the pot of the {pot}: {chips} chips."
        case GameEnded(winner=winner):
            return f"{_seat(winner, viewer)} wins the game."
        case GameAbandoned():
            return "The game was ended without a winner."
        case _:
            return None


def _round(event: RoundStarted, viewer: int | None) -> str:
    kind = "Palafico round" if event.palafico else "Round"
    counts = ", ".join(f"seat {seat} {count}" for seat, count in enumerate(event.dice_counts) if count)
    return f"{kind} {event.number} begins. {_seat(event.opener, viewer)} opens. Dice: {counts}."


def _known(hands: Sequence[Hand | None]) -> dict[int, Hand]:
    """The dice of each seat whose dice are known."""
    return {seat: hand for seat, hand in enumerate(hands) if hand}


def _hands(hands: dict[int, Hand], viewer: int | None) -> str:
    return "; ".join(f"{_seat(seat, viewer)} {_faces(hand)}" for seat, hand in hands.items())


def _seat(seat: int, viewer: int | None) -> str:
    return f"Seat {seat} (you)" if seat == viewer else f"Seat {seat}"


def _faces(hand: Hand) -> str:
    return " ".join(map(str, hand))


def _dice(count: int) -> str:
    return f"{count} {'die' if count == 1 else 'dice'}"
