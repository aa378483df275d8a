"""Programs of Node that talk with the test that started them: JSON on each line, in both directions."""

import asyncio
import json
import shutil
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

HERE = Path(__file__).parent
NODE = shutil.which("node") or "node"

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed here")

Answer = Callable[[Any], Any]


class Ran(NamedTuple):
    """A program that has ended, and what it told."""

    code: int
    told: list[dict[str, Any]]
    errors: str

    @property
    def last(self) -> dict[str, Any]:
        """What it told in the end."""
        return self.told[-1] if self.told else {}

    def check(self) -> "Ran":
        """The same, if it ended well."""
        assert self.code == 0, (self.last, self.errors)
        return self


async def run_node(
    script: str,
    instructions: Mapping[str, Any],
    answers: Mapping[str, Answer] | None = None,
    on_told: Callable[[dict[str, Any]], Awaitable[None]] | None = None,
) -> Ran:
    """Run a program to its end. A line `{"ask": name, "with": ...}` is answered, every other one is what it tells."""
    pipe, told = asyncio.subprocess.PIPE, list[dict[str, Any]]()
    program = await asyncio.create_subprocess_exec(
        NODE, str(HERE / script), json.dumps(instructions), stdin=pipe, stdout=pipe, stderr=pipe, limit=2**24
    )
    assert program.stdin is not None
    assert program.stdout is not None
    assert program.stderr is not None
    errors = asyncio.create_task(program.stderr.read())
    try:
        async for line in program.stdout:
            one = json.loads(line)
            if "ask" in one:
                answer = (answers or {})[one["ask"]](one.get("with"))
                program.stdin.write(json.dumps(answer).encode() + b"\n")
            else:
                told.append(one)
                if on_told is not None:
                    await on_told(one)
        return Ran(await program.wait(), told, (await errors).decode())
    finally:
        if program.returncode is None:
            program.kill()
            await program.wait()
        await errors
