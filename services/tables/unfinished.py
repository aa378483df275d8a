"""Games of a store that are not over, and their end where they can't go on in fairness.

After a restore to an older state the server's links are those that it had before. What fell in the lost rounds would fall
again, and players have seen it. So none of these games may go on.
"""

from domain.commands import AbandonGame
from domain.events import GameAbandoned, GameCreated, GameEnded
from infra.postgres.event_reader import EventReader
from services.tables.application import GameApplication

_BATCH = 1_000
_REQUEST = "abandon-games"
_ENDS = frozenset((GameEnded.TOPIC, GameAbandoned.TOPIC))


async def unfinished_games(store: EventReader) -> list[str]:
    """The ids of all games that are not over, those that nobody has started included."""
    found: dict[str, None] = {}
    for lane in range(store.lanes):
        position = 0
        while batch := await store.read_lane(lane, position, _BATCH):
            for event in batch:
                if event.topic == GameCreated.TOPIC:
                    found[str(event.originator_id)] = None
                elif event.topic in _ENDS:
                    found.pop(str(event.originator_id), None)
            position = batch[-1].id
    return list(found)


async def abandon_all(games: GameApplication, store: EventReader, reason: str, now: int) -> int:
    """Abandon all games that are not over; returns how many there were. If it is cut off, it can be called again."""
    unfinished = await unfinished_games(store)
    for game_id in unfinished:
        await games.execute(game_id, AbandonGame(at=now, reason=reason), _REQUEST)
    return len(unfinished)
