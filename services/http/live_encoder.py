"""Writes what watchers get over HTTP: server-sent events with the game as spectators see it."""

from domain.evolve import fold
from domain.history.replaying import Step
from domain.state import Ended, State
from domain.views import Viewer, seen_by, view
from services.archive.listing import GameListing
from services.http.answers import GameShown, LiveStep, StreamEnd
from services.http.event_stream import written
from services.http.events import step_answer
from services.live.game import Happened, WatchedGame


class SseEncoder:
    """Writes the events `game`, `step` and `end`, and nothing about connections and rematches."""

    shows_every_step = True

    def snapshot(self, game: WatchedGame[GameListing], _viewer: Viewer) -> bytes:
        """The event `game`, and `end` if the game is over."""
        return written("game", GameShown(game.version, view(game.state, None)), game.version) + _end(game)

    def update(
        self, game: WatchedGame[GameListing], happened: Happened, _viewer: Viewer, *, include_game: bool
    ) -> bytes:
        """An event `step` for each event of the game, and `end` if the game is over."""
        state: State = happened.before
        first = game.version - len(happened.events) + 1
        pieces: list[bytes] = []
        for version, (event, digest) in enumerate(zip(happened.events, happened.digests, strict=True), first):
            state = fold((event,), state) if include_game else state
            step = step_answer(Step(version, seen_by(event, None), digest))
            pieces.append(written("step", LiveStep(step, view(state, None) if include_game else None), version))
        return b"".join(pieces) + _end(game)

    def connection(self, _game_id: str, _seat: int, *, connected: bool) -> bytes:  # noqa: ARG002 - readers have no seats
        """No bytes."""
        return b""

    def rematch(self, _game_id: str, _rematch_id: str) -> bytes:
        """No bytes."""
        return b""


class PlainWrapping:
    """Leaves content as it is: an event needs no message around it."""

    def snapshot(self, content: bytes) -> bytes:
        """The content itself."""
        return content

    update = connection = rematch = snapshot


PLAIN = PlainWrapping()


def _end(game: WatchedGame[GameListing]) -> bytes:
    return written("end", StreamEnd(game.version, final=True)) if isinstance(game.state, Ended) else b""
