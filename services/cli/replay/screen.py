"""The screen of a replay: how the table stood after a step, what had just happened, and the odds of the bid."""

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from domain.events import Hand
from domain.views import GameView
from services.cli.replay.event_words import sentence_of
from services.cli.teller import Teller, names_of
from services.client import PastStep

_PICTURE_LINES = 5
_OTHER_LINES = 12
"""The most lines that a drawing has beside dice and seats."""


class ReplayScreen:
    """Draws steps."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.remark: Text | None = None
        """A remark about the whole game, which stands above each step."""

    def line(self, step: PastStep, view: GameView) -> Text:
        """A step on one line: its number, what happened, and the odds."""
        teller = self._teller(view)
        odds = "" if step.odds is None else f"   ({_odds(step, teller)})"
        return Text.assemble(f"{step.version:4}  ", sentence_of(step.event, teller), odds)

    def frame(self, step: PastStep, view: GameView, position: str) -> Iterator[Text]:
        """A step as a table, line by line."""
        teller = self._teller(view)
        number = f", round {view.round.number}" if view.round is not None else ""
        yield Text(f"Game {view.game_id}, by {view.rulebook}{number}: {position}", "bold")
        if self.remark is not None:
            yield self.remark
        for seat in view.seats:
            yield teller.seat(seat)
        if view.bids:
            yield teller.bids(view.bids)
        yield from self._cups(view, teller)
        yield Text.assemble("  ", sentence_of(step.event, teller))
        if step.odds is not None:
            yield Text(f"  The standing bid holds: {_odds(step, teller)}.")

    def _cups(self, view: GameView, teller: Teller) -> Iterator[Text]:
        """The dice that the viewer sees: under the cups, or just laid open."""
        hands: list[Hand | None] = [seat.hidden for seat in view.seats]
        if view.phase in {"settling", "ended"} and view.last_round is not None:
            hands = list(view.last_round.dice)
        known = [(seat, hand) for seat, hand in enumerate(hands) if hand]
        roomy = len(known) * _PICTURE_LINES + len(view.seats) + _OTHER_LINES <= self.console.height
        for seat, hand in known:
            if roomy:
                yield from teller.cup(seat, hand)
            else:
                yield Text.assemble("  ", teller.name(seat), f" {teller.faces(hand)}")

    def _teller(self, view: GameView) -> Teller:
        return Teller(self.console, view.wild_name, names_of(view.seats))


def _odds(step: PastStep, teller: Teller) -> str:
    assert step.odds is not None, "only asked where there are some"
    known = [f"{teller.names[one.seat]} {one.chance:.0%}" for one in step.odds.seats]
    return ", ".join([*known, f"by what is public {step.odds.public:.0%}"])
