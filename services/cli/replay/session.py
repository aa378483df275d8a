"""The session of a person who watches a replay: steps come in their time, keys steer them, and each is drawn."""

import asyncio

from services.cli.replay.pressed_keys import Key, Keys
from services.cli.replay.screen import ReplayScreen
from services.client import ReplayedStep, ReplayEnd, Replaying, ReplayPosition
from services.client.replay import Replayed

SPEED_MIN, SPEED_MAX = 0.01, 1_000.0
_HELP = "space: pause and go on   left, right: step   up, down: speed   q: quit"


class Session:
    """One replay in a terminal."""

    def __init__(self, replay: Replaying, screen: ReplayScreen, keys: Keys) -> None:
        self._replay, self._screen, self._keys = replay, screen, keys
        self._shown: ReplayedStep | None = None
        self._position = ReplayPosition(1, 1, 1.0, paused=False)
        self._wanted = 1
        """The step that was shown or sought last: pressing a key twice means two steps."""
        self._over = False

    async def run(self) -> None:
        """Show the game until the person quits."""
        showing = asyncio.create_task(self._show())
        try:
            while (key := await self._next_key(showing)) != "quit":
                await self._steer(key)
        finally:
            showing.cancel()
            await asyncio.gather(showing, return_exceptions=True)

    async def _next_key(self, showing: "asyncio.Task[None]") -> Key:
        """The next key; if the replay fails meanwhile, its failure is raised."""
        pressing = asyncio.create_task(self._keys.key())
        try:
            await asyncio.wait((pressing, showing), return_when=asyncio.FIRST_COMPLETED)
            if showing.done():
                await showing
                return "quit"
            return await pressing
        finally:
            pressing.cancel()

    async def _show(self) -> None:
        async for replayed in self._replay:
            self._take(replayed)
            self._draw()

    def _take(self, replayed: Replayed) -> None:
        match replayed:
            case ReplayedStep(step=step):
                self._shown, self._wanted, self._over = replayed, step.version, False
            case ReplayPosition():
                self._position = replayed
            case ReplayEnd():
                self._over = True

    async def _steer(self, key: Key) -> None:
        position = self._position
        match key:
            case "pause":
                await (self._replay.resume() if position.paused else self._replay.pause())
            case "back" | "forward":
                await self._step(-1 if key == "back" else 1)
            case "faster":
                await self._replay.change_speed(min(SPEED_MAX, position.speed * 2))
            case "slower":
                await self._replay.change_speed(max(SPEED_MIN, position.speed / 2))
            case "quit":
                raise AssertionError("`run` ends with this key")

    async def _step(self, steps: int) -> None:
        """Go to another step, and pause: a person who goes step by step does not want the replay to run on."""
        if not self._position.paused:
            await self._replay.pause()
        wanted = min(max(1, self._wanted + steps), self._position.last_version)
        if wanted != self._wanted:
            self._wanted = wanted
            await self._replay.seek(wanted)

    def _draw(self) -> None:
        if self._shown is None:
            return
        step, view = self._shown.step, self._shown.view
        state = "the end" if self._over else "paused" if self._position.paused else f"speed {self._position.speed:g}"
        position = f"step {step.version} of {self._position.last_version}, {state}"
        console = self._screen.console
        console.clear()
        for line in self._screen.frame(step, view, position):
            console.print(line)
        console.print(_HELP, style="dim")
