"""Chips: the antes of a round and the pots that are won (BT-20, R8, R12). Checked as part of `outcome`."""

from .form import Json
from .game import Game, Pots

CHIPS_EACH = 50


def check_antes(game: Game) -> None:
    """BT-20: with chips, every seat that has dice pays one into the pot of the round and one into that of the game."""
    if not game.table.options.chips:
        return
    antes = [_ante(seat, game.standing.chips[seat]) for seat in game.standing.seats]
    game.events.expect("antes-paid", "outcome", {"antes": antes})
    for ante in antes:
        game.standing.chips[ante["seat"]] -= ante["round_pot"] + ante["game_pot"]
        game.standing.pots.round += ante["round_pot"]
        game.standing.pots.game += ante["game_pot"]


def _ante(seat: int, chips: int) -> Json:
    """R8: a seat with too few chips pays what it has, first into the pot of the round."""
    return {"seat": seat, "round_pot": min(1, chips), "game_pot": min(1, max(0, chips - 1))}


def check_round_pot(game: Game, winner: int) -> None:
    """BT-20: the winner of the challenge takes the pot of the round."""
    _check_won(game, winner, "round", game.standing.pots.round)
    game.standing.pots.round = 0


def check_all_pots(game: Game, winner: int) -> None:
    """BT-20, R12: the winner of the game takes the pot of the game, and the pot of the round if nobody won it."""
    _check_won(game, winner, "round", game.standing.pots.round)
    _check_won(game, winner, "game", game.standing.pots.game)
    game.standing.pots = Pots()


def _check_won(game: Game, winner: int, pot: str, chips: int) -> None:
    """A seat takes a pot, unless the pot is empty."""
    if chips:
        game.events.expect("pot-won", "outcome", {"seat": winner, "pot": pot, "chips": chips})
        game.standing.chips[winner] += chips
