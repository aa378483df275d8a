"""Stores games with chosen players, ends and tables, and reads the statistics of the store."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from domain.commands import AbandonGame
from domain.deciding import decide
from domain.events import AnyEvent, GameCreated, GameEnded, PlayerJoined, RoundEnded
from domain.evolve import fold
from domain.options import Options
from domain.values import Value
from infra.events.mapping import EventMapper, EventTranscoder, GameEvent
from services.access.caller import NOBODY, Caller
from services.access.sight import Sight
from services.access.table_events import TABLE_TOPICS, TableOpened, table_stream
from services.archive.statistics import Statistics
from services.simulation.simulation import Setup, play_game
from tests.audit.stored_games import store_games, stored
from tests.projector.models import Models
from tests.servers import KEYS

_TABLES = EventMapper(EventTranscoder(KEYS, must_open=True, topics=TABLE_TOPICS))
LATER = 10**12


class Made(Value, frozen=True, kw_only=True):
    """A game to be stored."""

    game_id: str
    players: tuple[str, ...]
    ended_at: int = 1_000_000
    rulebook: str = "single-hand"
    seed: int = 1
    private: bool = False
    delay_seconds: int = 0
    forked_version: int | None = None
    rounds: int | None = None
    """It is abandoned after so many rounds, or before it begins if there are none."""

    @property
    def shown_at(self) -> int:
        """When everybody may know how it ended."""
        return self.ended_at + self.delay_seconds * 1_000

    @property
    def events(self) -> tuple[AnyEvent, ...]:
        """What happened in it."""
        return _events_of(self)

    def play(self) -> tuple[AnyEvent, ...]:
        """Play it."""
        events = play_game(Setup(self.rulebook, Options(dice_each=2), len(self.players)), self.seed, 0).events
        if self.rounds is not None:
            played = self._played(events)
            abandoning = AbandonGame(at=events[played - 1].at, reason="enough")
            events = [*events[:played], *decide(abandoning, fold(events[:played]))]
        names = iter(self.players)
        return tuple(self._renamed(event, names, self.ended_at - events[-1].at) for event in events)

    def _played(self, events: Sequence[AnyEvent]) -> int:
        """How many events there are before it is abandoned."""
        if not self.rounds:
            return 1 + len(self.players)
        ended = [number for number, event in enumerate(events, 1) if isinstance(event, RoundEnded)]
        return ended[self.rounds - 1] + 2  # The next round begins, and everyone is called to roll.

    def _renamed(self, event: AnyEvent, names: Any, shift: int) -> AnyEvent:
        event = replace(event, at=event.at + shift)
        if isinstance(event, PlayerJoined):
            player_id = next(names)
            return replace(event, player_id=player_id, name=player_id.title(), kind=kind_of(player_id))
        return replace(event, game_id=self.game_id) if isinstance(event, GameCreated) else event

    @property
    def places(self) -> tuple[tuple[int, ...], ...]:
        """The seats, best first."""
        ended = self.events[-1]
        assert isinstance(ended, GameEnded)
        return ended.places


@lru_cache(maxsize=256)
def _events_of(game: Made) -> tuple[AnyEvent, ...]:
    """The events of a game; tests ask for them again and again."""
    return game.play()


def kind_of(player_id: str) -> Any:
    """The kind of a player; the ids of bots begin with `bot`."""
    return "bot" if player_id.startswith("bot") else "human"


async def store(models: Models, games: Sequence[Made]) -> None:
    """Store games whole, one after the other."""
    for game in games:
        opened = TableOpened(
            owner_id="owner",
            private=game.private,
            spectator_delay_seconds=game.delay_seconds,
            rematch_of=None,
            seed=b"s" * 32,
            invitation_code=None,
            forked_from=None if game.forked_version is None else "past",
            forked_version=game.forked_version,
        )
        event = _TABLES.to_stored_event(GameEvent(table_stream(game.game_id), 1, opened))  # type: ignore[arg-type]
        await models.store.append([event], f"open {game.game_id}")
        await store_games(models.store, {game.game_id: stored(game.game_id, game.events)})


async def statistics_of(models: Models, games: Sequence[Made]) -> Statistics:
    """The statistics after some games."""
    await store(models, games)
    await models.caught_up()
    return Statistics(models.pool)


def seen_by(player_id: str = "", now: int = LATER) -> Sight:
    """What a player, or nobody in particular, sees at some time."""
    return Sight(Caller(player_id, player_id) if player_id else NOBODY, now)
