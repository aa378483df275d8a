"""What the client remembers of a game that is over: nothing secret, but what a proof of the game must agree with."""

from collections.abc import Sequence

from domain.events import AnyEvent, CupsLifted, Hand, RoundStarted
from domain.values import Value


class LiftedCups(Value, frozen=True):
    """The dice of all seats when the cups of a round were lifted."""

    round: int
    dice: tuple[Hand, ...]


class PlayedGame(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A game as this client has played it: with which chain, with which key, and with which dice."""

    server: str
    player_id: str
    game_id: str
    anchor: bytes
    signing_key: bytes | None = None
    """The public key; None if the seat signed nothing."""
    cups: tuple[LiftedCups, ...] = ()


def lifted_cups(events: Sequence[AnyEvent]) -> tuple[LiftedCups, ...]:
    """The dice of each round in which the cups were lifted."""
    number, cups = 0, list[LiftedCups]()
    for event in events:
        if isinstance(event, RoundStarted):
            number = event.number
        elif isinstance(event, CupsLifted):
            cups.append(LiftedCups(number, event.dice))
    return tuple(cups)
