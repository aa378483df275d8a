"""Decoded replays that were read recently: many readers of the same game share one.

An ended game never changes, so its replay is kept for all readers. What one reader may see of a game that goes on is kept
for that reader and that moment: the parts of a stream are read one after the other, and all belong to the same moment.
"""

from collections import OrderedDict
from typing import TypeAlias

from domain.history.replaying import Replay
from domain.values import Value
from services.access.sight import Sight

_EVENTS_MAX = 50_000
"""An event in memory takes about a kibibyte."""

_Key: TypeAlias = tuple[str, str | None, bool, int, bool]


class Replayed(Value, frozen=True):
    """A replay; `final` and `public` mean the same as for a record."""

    replay: Replay
    final: bool
    public: bool = False


class KeptReplays:
    """Keeps the replays that were used last."""

    def __init__(self, events_max: int = _EVENTS_MAX) -> None:
        self._events_max, self._events = events_max, 0
        self._kept: OrderedDict[_Key, Replayed] = OrderedDict()

    def find(self, game_id: str, sight: Sight | None = None, *, own_dice: bool = False) -> Replayed | None:
        """The replay of an ended game, or what a reader saw of another one at a moment; None if it is not kept."""
        key = _key(game_id, sight, own_dice)
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key]

    def keep(self, replayed: Replayed, sight: Sight | None = None, *, own_dice: bool = False) -> Replayed:
        """Keep a replay, and return it. The ones that were not used for the longest time make room for it."""
        if len(replayed.replay.events) > self._events_max:
            return replayed
        key = _key(replayed.replay.game_id, sight, own_dice)
        before = self._kept.pop(key, None)
        self._kept[key] = replayed
        self._events += len(replayed.replay.events) - (0 if before is None else len(before.replay.events))
        while self._events > self._events_max:
            _, oldest = self._kept.popitem(last=False)
            self._events -= len(oldest.replay.events)
        return replayed


def _key(game_id: str, sight: Sight | None, own_dice: bool) -> _Key:  # noqa: FBT001 - a part of the key
    if sight is None:
        return game_id, None, False, 0, False
    return game_id, sight.caller.player_id, sight.reads_all, sight.now, own_dice
