"""How a round begins, and how the game goes on or ends after one."""

from domain.events import Ante, AntesPaid, AnyEvent, GameEnded, PlayersEliminated, Pot, PotWon, RollCalled, RoundStarted
from domain.rulebooks import Rules
from domain.state import Standing


def round_begins(
    at: int, rules: Rules, standing: Standing, number: int, opener: int, *, palafico: bool = False
) -> tuple[AnyEvent, ...]:
    """A round starts, everyone in the game pays the antes if the game is for chips, and all are called to roll."""
    started = RoundStarted(at=at, number=number, opener=opener, palafico=palafico, dice_counts=standing.dice_counts)
    called = RollCalled(
        at=at,
        seats=standing.in_play,
        call=standing.next_call,
        calls=rules.links_of_round(standing.dice_counts),
    )
    if standing.chips is None:
        return (started, called)
    antes = tuple(_ante(seat, standing.chips[seat]) for seat in standing.in_play)
    return (started, AntesPaid(at=at, antes=antes), called)


def _ante(seat: int, stack: int) -> Ante:
    """R8: a player short of chips pays what is left, into the round pot first."""
    return Ante(seat, min(1, stack), min(1, max(0, stack - 1)))


def is_palafico(rules: Rules, standing: Standing, opener: int, losers: tuple[int, ...]) -> bool:
    """PA-12, PA-15: the opener has just come down to one die, and enough players are left."""
    special = rules.book.palafico
    came_down = opener in losers and standing.dice_counts[opener] == 1
    return special is not None and came_down and len(standing.in_play) >= special.players_min


def elimination(at: int, standing: Standing, gone: tuple[int, ...]) -> tuple[AnyEvent, ...]:
    """The event that takes players out. Players who go out together share a place, below those who are still in."""
    return (PlayersEliminated(at=at, seats=gone, place=len(standing.in_play) + 1),) if gone else ()


def game_ends(at: int, standing: Standing) -> tuple[AnyEvent, ...]:
    """The last player with dice wins the game and what the pots hold (R12)."""
    (winner,) = standing.in_play
    pots: tuple[tuple[Pot, int], ...] = (("round", standing.round_pot), ("game", standing.game_pot))
    won = tuple(PotWon(at=at, seat=winner, pot=pot, chips=chips) for pot, chips in pots if chips)
    chips = standing.chips
    if chips is not None:
        total = sum(event.chips for event in won)
        chips = tuple(stack + total if seat == winner else stack for seat, stack in enumerate(chips))
    places = ((winner,), *reversed(standing.out))
    return (*won, GameEnded(at=at, winner=winner, places=places, chips=chips))
