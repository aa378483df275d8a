"""The screen of a player: what happened, how the table stands, and what the player can do."""

import time
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.text import Text

from domain.events import (
    AnyEvent,
    CupsLifted,
    DiceDealt,
    DiceRerolled,
    PlayerJoined,
    PlayerLeft,
    PlayersEliminated,
)
from domain.history.odds import chance_of_bid
from domain.values import Bid
from domain.views import GameView
from services.cli.play.refusal_words import in_words
from services.cli.teller import Teller, names_of
from services.client import Game, Refused, Update

HELP = """\
  3 5 or 3x5      bid three fives ({wild} is face 1)
  d or c          doubt the standing bid, which challenges it
  s 5 5           show two fives and reroll the others, right after your bid
  3 5 s 5 5       bid and show in one step, where the rulebook has it
  Enter           the table as it stands, and whose turn it is
  o               odds on or off
  start           begin
  b, b cautious   before the start: let a bot take a free seat
  leave           before the start: give your seat back
  f               give up
  q               leave the terminal; your seat stays, and you can come back
"""


class Screen:
    """Writes for one player at one table."""

    def __init__(
        self,
        console: Console,
        *,
        odds: bool = False,
        prompts: bool = False,
        half_typed: Callable[[], str] | None = None,
    ) -> None:
        """With `half_typed` the screen itself shows what the player types, and shows it again below what it writes."""
        self._console, self.odds, self._prompts, self._half_typed = console, odds, prompts, half_typed
        self._prompting = False
        self._teller = Teller(console, "one", ())

    def say(self, text: str | Text | Sequence[str | Text], style: str | None = None) -> None:
        """Write a line, or several; a half typed line stands below them again."""
        if self._prompting:
            self._write("\n" if self._half_typed is None else "\r\x1b[K")
            self._prompting = False
        lines = [text] if isinstance(text, str | Text) else text
        self._console.print(*lines, sep="\n", style=style)
        if self._half_typed is not None and self._half_typed():
            self.prompt()

    def prompt(self) -> None:
        """Show that the player can type."""
        if self._prompts and not self._prompting:
            half_typed = "" if self._half_typed is None else self._half_typed()
            self._write(f"> {half_typed}")
            self._prompting = True

    def echo(self, text: str) -> None:
        """Show what a key has changed in the half typed line, or that the line is finished."""
        if self._prompting:
            self._write(text)
            self._prompting = text != "\n"
        elif text != "\n":
            self.prompt()

    def typed(self) -> None:
        """The player has typed a line, so the cursor stands below it."""
        if self._half_typed is None:
            self._prompting = False

    def _write(self, text: str) -> None:
        self._console.file.write(text)
        self._console.file.flush()

    def update(self, update: Update, *, first: bool) -> None:
        """Write what happened; the first update of a table shows how it stands."""
        view = update.game.view
        if first:
            self._teller = Teller(self._console, view.wild_name, names_of(view.seats))
            self.table(update.game)
        for one in update.events:
            self._event(one.event, view)
            if isinstance(one.event, CupsLifted) and update.proven is not None:
                count = sum(len(hand) for deal in one.event.deals for hand in deal.hands)
                self.say(f"  Dice proven: all {count}.", "green")
        self._teller.names = names_of(view.seats)
        if update.came is not None and update.came.seat != view.viewer:
            self.say(Text.assemble(self._teller.name(update.came.seat), _came(connected=update.came.connected)))

    def _event(self, event: AnyEvent, view: GameView) -> None:
        names = self._teller.names
        if isinstance(event, PlayerLeft):
            self.say(f"{names[event.seat]} leaves the table.")
            self._teller.names = names[: event.seat] + names[event.seat + 1 :]
        elif lines := self._teller.lines(event):
            self.say(lines)
        if isinstance(event, PlayerJoined):
            self._teller.names = (*names, event.name)
        elif isinstance(event, DiceDealt) and view.viewer is not None and event.hands and event.hands[view.viewer]:
            self.say("Your dice:")
            self.say(self._teller.cup(view.viewer, event.hands[view.viewer] or ()))
        elif isinstance(event, PlayersEliminated) and view.viewer in event.seats and view.phase != "ended":
            self.say("You are out. Look on for as long as you like; q leaves.", "bold")
        elif isinstance(event, DiceRerolled) and event.hand and event.seat == view.viewer:
            self.say("Your new dice:")
            self.say(self._teller.cup(event.seat, event.hand))

    def table(self, game: Game) -> None:
        """Show the table as it stands."""
        view = game.view
        kind = f", {view.options.turn_seconds} seconds a turn" if view.options.turn_seconds else ""
        number = f", round {view.round.number}" if view.round is not None else ""
        self.say(["", f"Table {view.game_id}, by {view.rulebook}{kind}{number}"], "bold")
        if game.invitation_code and view.phase == "gathering" and len(view.seats) < game.seats_max:
            self.say(f"  Invite with: --join {view.game_id} --code {game.invitation_code}")
        for seat in view.seats:
            away = "" if seat.kind == "bot" or seat.seat in game.connected else ", away"
            you = ", you" if seat.seat == view.viewer else ""
            self.say(self._teller.seat(seat, f"{away}{you}"))
        if view.phase == "gathering":
            self.say(f"  {game.seats_max - len(view.seats)} seats are free.")
        self._bids(view)
        if view.viewer is not None and (hidden := view.seats[view.viewer].hidden):
            self.say(self._teller.cup(view.viewer, hidden))

    def awaited(self, game: Game) -> None:
        """Say which players the game waits for, and what they have to do."""
        view = game.view
        if view.phase == "gathering":
            self.gathering(game)
        elif view.phase == "bidding" and view.viewer in view.waiting:
            self.say(f"Your turn: {_awaited_move(view)}{time_left(game)}.", "bold")
        elif view.waiting:
            names = ", ".join("you" if seat == view.viewer else self._teller.names[seat] for seat in view.waiting)
            self.say(f"Waiting for {names} to {_awaited_move(view)}{time_left(game)}.")

    def gathering(self, game: Game) -> None:
        """Say what the player can do before the start."""
        if game.view.viewer is None:
            self.say("Waiting for the game to begin.")
        elif game.view.moves.start:
            self.say("Type start to begin, b for another bot, or wait for others.")
        elif game.view.moves.leave:
            self.say("Wait for others to sit down, or type b for a bot.")

    def over(self, game: Game) -> None:
        """Say how a game ended that was over when the player came."""
        winner = game.view.winner
        if winner is None:
            self.say("The game is over, without a winner.", "bold")
        else:
            self.say(Text.assemble("The game is over: ", self._teller.name(winner), " has won."), "bold")

    def refused(self, refusal: Refused) -> None:
        """Say why a move was refused."""
        self.say(in_words(refusal, self._teller.names), "red")

    def turn(self, game: Game, *, bids: bool = True) -> None:
        """Say that it is the player's turn; with `bids`, say the bids so far too."""
        view = game.view
        assert view.viewer is not None
        own = view.seats[view.viewer]
        in_play = sum(seat.dice_count for seat in view.seats)
        if bids:
            self._bids(view)
        dice = self._teller.faces((*own.shown, *(own.hidden or ())))
        self.say(f"Your turn. Your dice: {dice}   ({in_play} dice in play){time_left(game)}", "bold")
        if self.odds:
            self.show_odds(view)

    def show_odds(self, view: GameView) -> None:
        """Write how likely the standing bid and the lowest bids are, from what the player sees."""
        if view.bids:
            self.say(f"  The standing bid holds with {self._chance(view, view.bids[-1].bid)}.")
        lowest = "   ".join(
            f"{self._teller.bid(bid.quantity, bid.face)} {self._chance(view, bid)}" for bid in view.moves.lowest_bids
        )
        if lowest:
            self.say(f"  Lowest bids: {lowest}")

    def help(self, view: GameView) -> None:
        """Say what the player can type."""
        self.say([line.format(wild=view.wild_name) for line in HELP.splitlines()])

    def connection(self, *, connected: bool) -> None:
        """Say that the connection is lost, or there again."""
        self.say("connected again" if connected else "connection lost, trying again", "yellow")

    def _bids(self, view: GameView) -> None:
        if view.bids:
            self.say(self._teller.bids(view.bids))

    def _chance(self, view: GameView, bid: Bid) -> str:
        return f"{float(chance_of_bid(view, bid)):.0%}"


def time_left(game: Game) -> str:
    """How much time the player has, in a game with a clock."""
    if game.due is None:
        return ""
    return f", {max(0, round(game.due / 1000 - time.time()))} seconds left"


def _awaited_move(view: GameView) -> str:
    if view.phase == "bidding":
        return "bid or doubt" if view.bids else "bid"
    return "roll for the opener" if view.phase == "choosing_opener" else "roll"


def _came(*, connected: bool) -> str:
    return " is here." if connected else " has lost the connection, or left the terminal."
