"""A bot of your own against the built-in ones, in memory: run it with `python examples/own_bot.py`.

A bot is a function from what its seat may see to a choice. It is handed nothing else, so it can't cheat.
"""

from collections import Counter
from random import Random

from domain.history.odds import chance_of_bid
from domain.history.recording import record_of
from domain.options import Options
from domain.views import GameView
from services.bots import BOTS, DOUBT, Choice, Raise
from services.simulation.simulation import Setup, play_game


def stubborn(view: GameView, _chance: Random) -> Choice:
    """Always bid on the face it holds most of, and doubt what is less likely than one in three."""
    if view.bids and chance_of_bid(view, view.bids[-1].bid) < 1 / 3:
        return DOUBT
    hand = view.seats[view.viewer or 0].hidden or ()
    favourite = max(view.moves.lowest_bids, key=lambda bid: (hand.count(bid.face), -bid.quantity), default=None)
    return DOUBT if favourite is None else Raise(favourite)


def main() -> None:
    """Let it play fifty games and count the wins."""
    BOTS["stubborn"] = stubborn
    setup = Setup("pirates", Options(), players=4, bots=("stubborn", "cautious", "calculating", "bluffing"))
    records = [record_of(play_game(setup, seed=1, index=index).events) for index in range(50)]
    wins = Counter(record.seats[record.winner or 0].name.split()[0] for record in records)
    for name, count in wins.most_common():
        print(f"{name:12} won {count} of {len(records)}")


if __name__ == "__main__":
    main()
