"""The steps of a replay for one stream, in parts: a stream holds a few steps, however long the game is."""

from array import array
from collections.abc import Awaitable, Callable, Sequence

from domain.history.replaying import Replay
from domain.values import Value
from infra.workers.meter import touched
from services.access.payer import Payer
from services.access.sight import Sight
from services.archive.reel import Reel, Viewpoint, seat_of
from services.archive.refusals import NoSuchStep
from services.desk.desk import Desk
from services.desk.sources import Sources

_STEPS_IN_PART, _VIEWS_IN_PART = 64, 16


class Reader(Value, frozen=True):
    """Somebody who replays a game: what they may see of it, and which eyes they see it with."""

    game_id: str
    sight: Sight
    viewpoint: Viewpoint | None
    """None for the eyes of the reader's own seat."""
    own_dice: bool = False
    """Whether to show the dice of the reader's own seat in the current round."""


class Opened(Value, frozen=True):
    """What a stream has to know of a whole replay."""

    times: bytes
    """The time of every step, as 64-bit numbers."""
    final: bool


Develop = Callable[[Sources, Reader, int, int, bool], Awaitable[Sequence[bytes]]]
"""The job that makes some steps ready to be sent: from the first of them on, so many, with views or without."""


class Film:
    """The steps of a replay."""

    def __init__(
        self, desk: Desk, payer: Payer, reader: Reader, opened: Opened, develop: Develop, *, with_views: bool
    ) -> None:
        """Use `open_film`."""
        self._desk, self._payer, self._reader = desk, payer, reader
        self._develop, self._with_views = develop, with_views
        self.times: Sequence[int] = array("q", opened.times)
        self.final = opened.final
        self._first, self._part = 1, list[bytes]()

    @property
    def last(self) -> int:
        """The last step."""
        return len(self.times)

    def check(self, version: int, first: int = 1) -> int:
        """The number of a step; refuses a step that does not exist."""
        if not first <= version <= self.last:
            raise NoSuchStep(game_id=self._reader.game_id, step=version, last=self.last)
        return version

    async def step(self, version: int) -> bytes:
        """A step, ready to be sent."""
        if not self._first <= version < self._first + len(self._part):
            count = min(_VIEWS_IN_PART if self._with_views else _STEPS_IN_PART, self.last - version + 1)
            self._part = list(
                await self._desk.ask_patiently(
                    self._payer, self._reader.game_id, self._develop, self._reader, version, count, self._with_views
                )
            )
            self._first = version
        return self._part[version - self._first]


async def open_film(desk: Desk, payer: Payer, reader: Reader, develop: Develop, *, with_views: bool) -> Film:
    """The film of a replay; refused if the reader may not see the game."""
    opened = await desk.ask(payer, reader.game_id, opened_replay, reader)
    return Film(desk, payer, reader, opened, develop, with_views=with_views)


async def opened_replay(sources: Sources, reader: Reader) -> Opened:
    """Job: look at the whole of a replay."""
    replayed = await sources.archive.replay(reader.game_id, reader.sight, own_dice=reader.own_dice)
    reel_of(replayed.replay, reader)  # It refuses a seat that does not exist.
    return Opened(array("q", [event.at for event in replayed.replay.events]).tobytes(), replayed.final)


async def reel(sources: Sources, reader: Reader, touches: int) -> Reel:
    """The reel of a replay, for a job that is about to take so many steps from it."""
    touched(touches)
    replayed = await sources.archive.replay(reader.game_id, reader.sight, own_dice=reader.own_dice)
    return reel_of(replayed.replay, reader)


def reel_of(replay: Replay, reader: Reader) -> Reel:
    """The replay as the reader's eyes see it."""
    viewpoint = reader.viewpoint or Viewpoint(seat_of(replay, reader.sight.caller.player_id))
    return Reel(replay, viewpoint)
