"""Whole games of all books, played at random from a seed, with everything that a record can hold."""

from functools import cache
from random import Random
from typing import Any

import msgspec

from domain.commands import (
    AbandonGame,
    AnyCommand,
    Challenge,
    CreateGame,
    Forfeit,
    JoinGame,
    PlaceBid,
    ShowAndReroll,
    StartGame,
    TimeOut,
)
from domain.deciding import decide
from domain.events import AnyEvent
from domain.evolve import fold
from domain.history.record import GameRecord
from domain.history.recording import record_of
from domain.moves import LegalMoves, legal_moves
from domain.options import Options
from domain.state import NOTHING, Bidding, ChoosingOpener, Ended, Rolling, State
from tests.made_tables import Chains, chains_of

NAMES = (
    "Ann",
    'Bob "the # bot"',
    "Cleo\\",
    "#",
    '"',
    "Dan, human",
    "🎲☠🦜",
    "O'Neil \\\" x",
    "Ann",
    "Þóra",
    "seat 0 bids 1x2",
)
REASONS = ("the power failed", 'the "power" # failed \\', "🎲" * 200)

STEPS_MAX = 3_000


class Setting(msgspec.Struct, frozen=True):
    """A book with options and a number of players, and how often rare things happen."""

    rulebook: str
    players: int
    options: Options = Options()
    forfeits: float = 0.01
    abandons: float = 0.002
    stops: float = 0.002
    """How likely the game is looked at while it is still running, before each step."""


SETTINGS = (
    Setting("bidding-track", 2),
    Setting("bidding-track", 6, Options(chips=True)),
    Setting("bidding-track", 3, Options(chips=True, turn_seconds=30, on_timeout="lowest_bid", opener=1)),
    Setting("bidding-track", 4, Options(dice_each=10)),
    Setting("bidding-track", 5, Options(dice_each=1)),
    Setting("single-hand", 20),
    Setting("single-hand", 5, Options(wild_aces=True, raise_rule="same_face_or_higher_face")),
    Setting("single-hand", 3, Options(raise_rule="beat_the_higher_number", dice_each=1)),
    Setting("single-hand", 4, Options(turn_seconds=604_800, on_timeout="challenge")),
    Setting("pirates", 2, forfeits=0.1),
    Setting("pirates", 4, Options(turn_seconds=1)),
    Setting("prediction-track", 2, Options(dice_each=3), forfeits=0.1),
    Setting("prediction-track", 6, Options(turn_seconds=60, on_timeout="challenge")),
    Setting("palafico", 4),
    Setting("palafico", 3, Options(opener=2, dice_each=2)),
)


def game(setting: Setting, seed: int) -> GameRecord:
    """The record of a random game."""
    return record_of(events_of(setting, seed))


def events_of(setting: Setting, seed: int) -> list[AnyEvent]:
    """The events of a random game, which may be running still or abandoned."""
    chance = Random(seed)
    table = _Playing(setting, chance)
    for _ in range(STEPS_MAX):
        if isinstance(table.state, Ended) or chance.random() < setting.stops:
            break
        table.step()
    return table.events


class _Playing:
    """A game with the chains that it is rolled from."""

    def __init__(self, setting: Setting, chance: Random) -> None:
        self.setting, self.chance = setting, chance
        self.game_id = f"game-{chance.randrange(4)}"
        self.chains = _chains(setting, self.game_id)
        self.state: State = NOTHING
        self.events: list[AnyEvent] = []
        self._gather()

    def _gather(self) -> None:
        setting, chance = self.setting, self.chance
        self._do(
            CreateGame(
                game_id=self.game_id,
                rulebook=setting.rulebook,
                server_anchor=self.chains.server.anchor,
                options=setting.options,
                seats=setting.players,
            )
        )
        for seat in range(setting.players):
            self._do(
                JoinGame(
                    player_id=f"p.{seat}_-",
                    name=chance.choice(NAMES),
                    anchor=self.chains.players[seat].anchor,
                    kind=chance.choice(("human", "bot")),
                    chain_held_by=chance.choice(("player", "server")),
                )
            )
        self._do(StartGame())

    def step(self) -> None:
        """Something happens at the table, mostly what the game waits for."""
        assert isinstance(self.state, ChoosingOpener | Rolling | Bidding)
        seat = self.chance.choice(self.state.waiting)
        if self.chance.random() < self.setting.abandons:
            self._do(AbandonGame(reason=self.chance.choice(REASONS)))
        elif self.chance.random() < self.setting.forfeits:
            self._do(Forfeit(seat=self.chance.choice(self.state.standing.in_play)))
        elif self.setting.options.turn_seconds and self.chance.random() < self.setting.forfeits:
            self._do(TimeOut(seat=seat, at=self.state.since + self.setting.options.turn_seconds * 1000))
        elif isinstance(self.state, Bidding):
            self._do(self._move(seat, legal_moves(self.state, seat)))
            self._maybe_show(seat)
        else:
            self._do(self.chains.roll(self.state, seat))

    def _move(self, seat: int, moves: LegalMoves) -> AnyCommand:
        if moves.challenge and (not moves.lowest_bids or self.chance.random() < 0.3):
            return Challenge(seat=seat)
        low = self.chance.choice(moves.lowest_bids)
        higher = min(1000, low.quantity + self.chance.choice((0, 0, 0, 1, 2)))
        return PlaceBid(seat=seat, quantity=higher, face=low.face)

    def _maybe_show(self, seat: int) -> None:
        if isinstance(self.state, Bidding) and self.chance.random() < 0.5:
            moves, hidden = legal_moves(self.state, seat), self.state.cups[seat].hidden
            if moves.show_now and hidden is not None:
                shown = self.chance.sample(hidden, self.chance.randint(1, moves.show_max))
                asked = self.chains.reroll(self.state, seat, " ".join(str(face) for face in shown))
                self._do(ShowAndReroll(seat=seat, reroll=asked))

    def _do(self, command: AnyCommand) -> None:
        caused = decide(command, self.state)
        self.state = fold(caused, self.state)
        self.events += caused


@cache
def _chains(setting: Setting, game_id: str) -> Chains:
    options: dict[str, Any] = msgspec.structs.asdict(setting.options)
    return chains_of(setting.rulebook, setting.players, game_id, **options)
