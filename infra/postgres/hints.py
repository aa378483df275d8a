"""Listening for the notifications of a store: hints that a lane has something new, which may come late or never."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import asyncpg

from infra.postgres.connections import CONNECT_SECONDS_MAX, PASSING

CHANNEL = "stored_events"
LISTENER_NAME = "liarsdice listener"


class Listener:
    """Sets the event of a lane whenever something may be new there, over a new connection whenever one breaks."""

    def __init__(self, url: str, hints: Sequence[asyncio.Event], *, check_seconds: float = 5.0) -> None:
        self._url, self._hints, self._check_seconds = url, hints, check_seconds

    async def run(self) -> None:
        """Listen for ever."""
        while True:
            with suppress(*PASSING, asyncpg.PostgresError):  # Even if listening is refused, there is the clock.
                await self._listen()
            await asyncio.sleep(self._check_seconds)

    async def _listen(self) -> None:
        connection = await asyncpg.connect(
            self._url, timeout=CONNECT_SECONDS_MAX, server_settings={"application_name": LISTENER_NAME}
        )
        try:
            await connection.execute("SET ROLE liarsdice_reader")
            await connection.add_listener(CHANNEL, self._heard)
            for hint in self._hints:
                hint.set()  # Nobody told what was committed while no one listened.
            while True:
                await asyncio.sleep(self._check_seconds)
                await connection.execute("SELECT 1", timeout=CONNECT_SECONDS_MAX)  # Fails if the connection is gone.
        finally:
            connection.terminate()

    def _heard(self, _connection: object, _process: int, _channel: str, payload: object) -> None:
        """Wake the lane that a notification names; it says `<lane> <position>`, and may be anyone's."""
        lane = str(payload).partition(" ")[0].removeprefix("lane_")
        if lane.isdecimal() and int(lane) < len(self._hints):
            self._hints[int(lane)].set()
