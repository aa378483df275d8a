"""A game as the server tells it, from its first event on, and checked: can this be true?

The client folds the events by the rules itself. So which move the seat owes, and with which link, is its own count and
not the server's word. `domain.fairness.verification` checks the numbers, the links and the dice. A server that goes back
on its word is found out by comparison: with the events that it sent before and, after a restart, with a hash of them.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import msgspec

from domain.events import AnyEvent, DiceRerolled
from domain.evolve import evolve
from domain.fairness.findings import Findings
from domain.fairness.verification import verify
from domain.state import NOTHING, Bidding, ChoosingOpener, Ended, Gathering, Nothing, Player, Rolling, State
from domain.views import view
from services.client.answers import Game, Happened
from services.client.errors import FalseServer
from services.client.seat_keeper import Kept

_MATTERS = (
    "game_id",
    "anchor",
    "seat",
    "seats",
    "call",
    "calls",
    "link",
    "server_link",
    "shown",
    "hand",
    "hands",
    "rolls",
    "deals",
    "dice",
)
"""The fields of events that the dice depend on; hashed by name, so that an event may gain others."""


class CheckedGame:
    """A game as the server tells it to a seat whose secrets the client keeps."""

    def __init__(self, kept: Kept, anchor: bytes, signing_key: bytes | None) -> None:
        self._kept, self._anchor, self._signing_key = kept, anchor, signing_key
        self.events: list[AnyEvent] = []
        self.state: State = NOTHING
        self._states: list[State] = []
        """The state after each event."""
        self.dice_hash = bytes(sha256().digest_size)
        """A hash of all that matters to the dice."""

    @property
    def version(self) -> int:
        """How many events the client has."""
        return len(self.events)

    @property
    def seat(self) -> int | None:
        """The seat with the kept chain; None before it was taken."""
        return self._seat_in(self.state)

    @property
    def next_link(self) -> int | None:
        """The number of the link that the next roll or reroll takes; None in a phase without either."""
        return _next_link(self.state)

    @property
    def roll_due(self) -> int | None:
        """The number of the link that the seat has to roll with now; None if it does not have to roll."""
        if isinstance(self.state, ChoosingOpener | Rolling) and self.seat in self.state.waiting:
            return self.next_link
        return None

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return isinstance(self.state, Ended)

    def rerolled_with(self, link: bytes) -> bool:
        """Whether a reroll was made with this link."""
        return any(isinstance(event, DiceRerolled) and event.link == link for event in self.events)

    def add(self, happened: Sequence[Happened]) -> None:
        """Go on with what happened; events that the server sent before must be the same again."""
        for one in happened:
            if one.version > self.version + 1:
                raise AssertionError("an event was left out")
            if one.version == self.version + 1:
                self._add(one.event)
            elif self.events[one.version - 1] != one.event:
                raise FalseServer(self._kept.game_id, f"event {one.version} is not the one that it sent before")
        self._check_own_place()

    def compare(self, game: Game, happened: Sequence[Happened]) -> None:
        """Hold what the server says about the game, after these events if there are any, against what its events make."""
        if happened and game.version != happened[-1].version:
            problem = f"it shows version {game.version} after event {happened[-1].version}"
            raise FalseServer(self._kept.game_id, problem)
        if not 0 < game.version <= self.version:
            return
        # The seat may be further than what it is shown, so the state of that version counts.
        state = self._states[game.version - 1]
        number, seat = _next_link(state) or 0, self._seat_in(state)
        if game.link_number != number:
            raise FalseServer(self._kept.game_id, f"it asks for link {game.link_number}, and {number or 'none'} is due")
        if seat is not None and game.view != view(state, seat):
            raise FalseServer(self._kept.game_id, "it shows the table otherwise than its events make it")

    def proven(self) -> Findings:
        """What all events prove about the dice, the player's own dice as they were dealt among them."""
        return proven(self._kept.game_id, self.events)

    def _add(self, event: AnyEvent) -> None:
        try:
            self.state = evolve(self.state, event)
        except Exception as error:
            # `evolve` expects a true history. Whatever a false one makes it raise, the server is to blame.
            raise FalseServer(self._kept.game_id, f"a {type(event).__name__} can't happen here") from error
        self.events.append(event)
        self._states.append(self.state)
        self.dice_hash = sha256(self.dice_hash + _what_matters(event)).digest()
        # After a restart the events of before are gone. Their hash is what the server has to stand by.
        sent = self._kept.sent
        if sent is not None and sent.version == self.version and sent.told != self.dice_hash:
            raise FalseServer(self._kept.game_id, "the game has another past than before")

    def _seat_in(self, state: State) -> int | None:
        players = () if isinstance(state, Nothing) else state.table.players
        return next((seat for seat, player in enumerate(players) if player.anchor == self._anchor), None)

    def _check_own_place(self) -> None:
        """The seat must have the chain that the client brought: with another one the server itself would roll."""
        if isinstance(self.state, Nothing):
            return
        table = self.state.table
        if table.game_id != self._kept.game_id:
            raise FalseServer(self._kept.game_id, f"it sends events of the game {table.game_id}")
        started = not isinstance(self.state, Gathering)
        own = next((player for player in table.players if player.player_id == self._kept.player_id), None)
        if (own is None and started) or (own is not None and not self._is_own(own)):
            raise FalseServer(self._kept.game_id, "your seat does not have the chain and the key that are kept here")

    def _is_own(self, player: Player) -> bool:
        brought = (self._anchor, "player", self._signing_key)
        return (player.anchor, player.chain_held_by, player.signing_key) == brought


def proven(game_id: str, events: Sequence[AnyEvent]) -> Findings:
    """What the events of a game prove about its dice; raises FalseServer if something does not hold."""
    findings = verify(events)
    if findings.failures:
        first = findings.failures[0]
        party = "the server" if first.party == "server" else f"seat {first.party}"
        raise FalseServer(game_id, f"event {first.index + 1}, {party}: {first.sentence}")
    return findings


def _next_link(state: State) -> int | None:
    return state.link_number if isinstance(state, ChoosingOpener | Rolling | Bidding) else None


def _what_matters(event: AnyEvent) -> bytes:
    fields: dict[str, Any] = {name: getattr(event, name) for name in _MATTERS if hasattr(event, name)}
    fairness = getattr(event, "fairness", None)
    return msgspec.json.encode([type(event).__name__, fields, fairness and fairness.server_anchor])
