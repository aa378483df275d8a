"""The session of a person who watches a replay: steps come in their time, keys steer them, and each is drawn."""

import asyncio
from collections.abc import Awaitable, Callable

from services.cli.replay.landmarks import Landmarks
from services.cli.replay.pressed_keys import Jump, Key, Keys
from services.cli.replay.screen import ReplayScreen
from services.client import ReplayedStep, ReplayEnd, Replaying, ReplayPosition
from services.client.replay import Replayed

SPEED_MIN, SPEED_MAX = 0.01, 1_000.0
_KEYS = "space: pause and go on   left, right: step   c: next challenge   ?: all keys   q: quit"
_DRAWN_AT_ONCE: tuple[Key, ...] = ("help", "typing")
"""Keys for which the replay has no answer that would be drawn."""
_HELP = """\
space               pause, and go on
left, right         one step back, forward
page up, page down  the beginning of the round before, of the next
c, C                the next challenge, the one before
r 5 Enter           round 5
g 120 Enter         step 120
Home, End           the first step, the last
up, down            twice as fast, half as fast
?                   hide this help
q                   quit"""


class Session:
    """One replay in a terminal."""

    def __init__(
        self, replay: Replaying, screen: ReplayScreen, keys: Keys, look_up: Callable[[], Awaitable[Landmarks]]
    ) -> None:
        """`look_up` finds the places to jump to; it is called when the person first wants one."""
        self._replay, self._screen, self._keys, self._look_up = replay, screen, keys, look_up
        self._landmarks: Landmarks | None = None
        self._shown: ReplayedStep | None = None
        self._position = ReplayPosition(1, 1, 1.0, paused=False)
        self._wanted = 1
        """The step that was shown or sought last: pressing a key twice means two steps."""
        self._over = False
        self._helps = False
        self._note = ""
        """Why the last key did nothing."""

    async def run(self) -> None:
        """Show the game until the person quits."""
        showing = asyncio.create_task(self._show())
        try:
            while (key := await self._next_key(showing)) != "quit":
                self._note = ""
                await (self._jump(key) if isinstance(key, Jump) else self._steer(key))
                if self._note or key in _DRAWN_AT_ONCE:
                    self._draw()
        finally:
            showing.cancel()
            await asyncio.gather(showing, return_exceptions=True)

    async def _next_key(self, showing: "asyncio.Task[None]") -> Key | Jump:
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
            case "faster":
                await self._replay.change_speed(min(SPEED_MAX, position.speed * 2))
            case "slower":
                await self._replay.change_speed(max(SPEED_MIN, position.speed / 2))
            case "help":
                self._helps = not self._helps
            case "typing":
                pass
            case _:
                await self._walk(key)

    async def _walk(self, key: Key) -> None:
        match key:
            case "back" | "forward":
                await self._go(self._wanted + (-1 if key == "back" else 1))
            case "first":
                await self._go(1)
            case "last":
                await self._go(self._position.last_version)
            case "round_back":
                await self._go((await self._places()).round_before(self._wanted), "This is the first round.")
            case "round_forward":
                await self._go((await self._places()).round_after(self._wanted), "This is the last round.")
            case "challenge_back":
                await self._go((await self._places()).challenge_before(self._wanted), "No challenge came before.")
            case "challenge_forward":
                await self._go((await self._places()).challenge_after(self._wanted), "No challenge follows.")
            case _:
                raise AssertionError(f"{key} is no way to walk")

    async def _jump(self, jump: Jump) -> None:
        if jump.to == "step":
            steps = self._position.last_version
            await self._go(jump.number if 1 <= jump.number <= steps else None, f"The steps are 1 to {steps}.")
        else:
            rounds = (await self._places()).rounds
            known = f"The rounds are 1 to {max(rounds)}." if rounds else "No round has begun."
            await self._go(rounds.get(jump.number), known)

    async def _go(self, wanted: int | None, otherwise: str = "") -> None:
        """Go to a step, and pause: a person who goes step by step does not want the replay to run on."""
        if wanted is None:
            self._note = otherwise
            return
        if not self._position.paused:
            await self._replay.pause()
        wanted = min(max(1, wanted), self._position.last_version)
        if wanted != self._wanted:
            self._wanted = wanted
            await self._replay.seek(wanted)

    async def _places(self) -> Landmarks:
        if self._landmarks is None:
            self._landmarks = await self._look_up()
        return self._landmarks

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
        for words in _HELP.splitlines() if self._helps else (_KEYS,):
            console.print(words, style="dim")
        last = self._keys.half_typed or self._note
        if last:
            console.print(last, style="bold", end="")
