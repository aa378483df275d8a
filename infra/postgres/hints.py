"""Listening for the notifications of a store. They are only hints that a lane has new events: one may come late or never.

A process needs one connection that listens, however many of its parts want to hear.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

import asyncpg

from infra.postgres.connections import CONNECT_SECONDS_MAX, PASSING

CHANNEL = "stored_events"
LISTENER_NAME = "liarsdice listener"
_DIGITS_MAX = 19

Hearer: TypeAlias = "Callable[[int, int | None], None]"
"""Gets a lane that may have new events, and the position that the lane has reached, if the notification says so."""


class Listener:
    """Keeps a connection that listens, and opens a new one when it breaks."""

    def __init__(self, url: str, lanes: int, *, check_seconds: float = 1.0, retry_seconds: float = 0.2) -> None:
        self._url, self._lanes = url, lanes
        self._check_seconds, self._retry_seconds = check_seconds, retry_seconds
        self.hearers: list[Hearer] = []

    async def run(self) -> None:
        """Listen for ever."""
        while True:
            # Even if Postgres refuses to let us listen, those who hear nothing look by the clock.
            with suppress(*PASSING, asyncpg.PostgresError):
                await self._listen()
            await asyncio.sleep(self._retry_seconds)

    async def _listen(self) -> None:
        connection = await asyncpg.connect(
            self._url, timeout=CONNECT_SECONDS_MAX, server_settings={"application_name": LISTENER_NAME}
        )
        try:
            lost = asyncio.Event()
            connection.add_termination_listener(lambda _: lost.set())
            await connection.execute("SET ROLE liarsdice_reader")
            await connection.add_listener(CHANNEL, self._heard)
            for lane in range(self._lanes):
                self._tell(lane, None)  # There was no notification for what was committed before we listened.
            while True:
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._check_seconds):
                        await lost.wait()
                await connection.execute("SELECT 1", timeout=CONNECT_SECONDS_MAX)  # Fails if the connection is gone.
        finally:
            connection.terminate()

    def _heard(self, _connection: object, _process: int, _channel: str, payload: object) -> None:
        """Tell of the lane that a notification names. It should say `<lane> <position>`, but any login may send anything."""
        lane, _, position = str(payload).partition(" ")
        number = lane.removeprefix("lane_")
        if _is_number(number) and int(number) < self._lanes:
            self._tell(int(number), int(position) if _is_number(position) else None)

    def _tell(self, lane: int, position: int | None) -> None:
        for hearer in self.hearers:
            hearer(lane, position)


def _is_number(text: str) -> bool:
    """Whether a text is a number that Postgres could mean; Python refuses to read very long ones."""
    return text.isdecimal() and len(text) <= _DIGITS_MAX
