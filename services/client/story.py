"""What a server has told of a game, from its first event on, and whether it can be true.

The game is folded from the events as the rules have it, so what the seat is called to do, and which link is due, is
this program's own count. `domain.fairness.verification` checks the numbers, the links and the dice. A server that goes
back on what it said is found out by comparison: with what it told before and, after a restart, with the hash of it.
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
from services.client.failures import FalseServer
from services.client.seats import Kept

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


class Story:
    """A game as it was told to a seat whose secrets are kept here."""

    def __init__(self, kept: Kept, anchor: bytes, signing_key: bytes | None) -> None:
        self._kept, self._anchor, self._signing_key = kept, anchor, signing_key
        self.events: list[AnyEvent] = []
        self.state: State = NOTHING
        self.told = bytes(sha256().digest_size)
        """A hash of all that matters to the dice."""

    @property
    def version(self) -> int:
        """How far the game was told."""
        return len(self.events)

    @property
    def seat(self) -> int | None:
        """The seat with the kept chain; None before it was taken."""
        players = () if isinstance(self.state, Nothing) else self.state.table.players
        return next((seat for seat, player in enumerate(players) if player.anchor == self._anchor), None)

    @property
    def due(self) -> int | None:
        """The number of the link that the seat is to roll with; None if it is not called."""
        if isinstance(self.state, ChoosingOpener | Rolling) and self.seat in self.state.waiting:
            return self.state.link_number
        return None

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return isinstance(self.state, Ended)

    def rerolled_with(self, link: bytes) -> bool:
        """Whether a reroll was made with this link."""
        return any(isinstance(event, DiceRerolled) and event.link == link for event in self.events)

    def hear(self, happened: Sequence[Happened]) -> None:
        """Go on with what happened; what was told before must be the same again."""
        for one in happened:
            if one.version > self.version + 1:
                raise AssertionError("an event was left out")
            if one.version == self.version + 1:
                self._hear(one.event)
            elif self.events[one.version - 1] != one.event:
                raise FalseServer(self._kept.game_id, f"event {one.version} is not what it was told to be before")
        self._check_own_place()

    def compare(self, game: Game) -> None:
        """Hold what the server says about the game against what follows from its events."""
        if game.version != self.version:
            return
        number = self.state.link_number if isinstance(self.state, ChoosingOpener | Rolling | Bidding) else 0
        if game.link_number != number:
            raise FalseServer(self._kept.game_id, f"it asks for link {game.link_number}, and {number or 'none'} is due")
        if self.seat is not None and game.view != view(self.state, self.seat):
            raise FalseServer(self._kept.game_id, "it shows the table otherwise than its events make it")

    def proven(self) -> Findings:
        """What all that was told proves about the dice, the own ones as they were told among them."""
        return proven(self._kept.game_id, self.events)

    def _hear(self, event: AnyEvent) -> None:
        try:
            self.state = evolve(self.state, event)
        except Exception as error:
            raise FalseServer(self._kept.game_id, f"a {type(event).__name__} can't happen here") from error
        self.events.append(event)
        self.told = sha256(self.told + _what_matters(event)).digest()
        sent = self._kept.sent
        if sent is not None and sent.version == self.version and sent.told != self.told:
            raise FalseServer(self._kept.game_id, "the game is not what it was told to be before")

    def _check_own_place(self) -> None:
        """The seat must be the one that was asked for: a chain in its place would let the server roll."""
        if isinstance(self.state, Nothing):
            return
        table = self.state.table
        if table.game_id != self._kept.game_id:
            raise FalseServer(self._kept.game_id, f"it tells of the game {table.game_id}")
        started = not isinstance(self.state, Gathering)
        own = next((player for player in table.players if player.player_id == self._kept.player_id), None)
        if (own is None and started) or (own is not None and not self._is_own(own)):
            raise FalseServer(self._kept.game_id, "the own seat has not the chain and the key that are kept here")

    def _is_own(self, player: Player) -> bool:
        asked_for = (self._anchor, "player", self._signing_key)
        return (player.anchor, player.chain_held_by, player.signing_key) == asked_for


def proven(game_id: str, events: Sequence[AnyEvent]) -> Findings:
    """What the events of a game prove about its dice."""
    findings = verify(events)
    if findings.failures:
        first = findings.failures[0]
        party = "the server" if first.party == "server" else f"seat {first.party}"
        raise FalseServer(game_id, f"event {first.index + 1}, {party}: {first.sentence}")
    return findings


def _what_matters(event: AnyEvent) -> bytes:
    fields: dict[str, Any] = {name: getattr(event, name) for name in _MATTERS if hasattr(event, name)}
    fairness = getattr(event, "fairness", None)
    return msgspec.json.encode([type(event).__name__, fields, fairness and fairness.server_anchor])
