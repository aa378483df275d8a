"""Listening for the notifications of a store. They are only hints that a lane has new events: one may come late or never."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import asyncpg

from infra.postgres.connections import CONNECT_SECONDS_MAX, PASSING

CHANNEL = "stored_events"
LISTENER_NAME = "liarsdice listener"


class Listener:
    """Sets the `asyncio.Event` of a lane when there may be new events; opens a new connection when one breaks."""

    def __init__(self, url: str, hints: Sequence[asyncio.Event], *, check_seconds: float = 5.0) -> None:
        self._url, self._hints, self._check_seconds = url, hints, check_seconds

    async def run(self) -> None:
        """Listen for ever."""
        while True:
            with suppress(
                *PASSING, asyncpg.PostgresError
            ):  # Even if Postgres refuses to let us listen, the clock works.
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
                hint.set()  # There was no notification for what was committed before we listened.
            while True:
                await asyncio.sleep(self._check_seconds)
                await connection.execute("SELECT 1", timeout=CONNECT_SECONDS_MAX)  # Fails if the connection is gone.
        finally:
            connection.terminate()

    def _heard(self, _connection: object, _process: int, _channel: str, payload: object) -> None:
        """Wake the lane that a notification names. It should say `<lane> <position>`, but any login may send anything."""
        lane = str(payload).partition(" ")[0].removeprefix("lane_")
        if lane.isdecimal() and int(lane) < len(self._hints):
            self._hints[int(lane)].set()
