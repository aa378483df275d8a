"""Seats whose secrets the JavaScript client keeps, in stories that Node runs against a real server."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.client.liars import Liar
from tests.servers import run, served
from tests.web.connect_door import ConnectDoor
from tests.web.node_programs import HERE, needs_node, run_node

pytestmark = needs_node
STORIES = re.findall(r"^  async (\w+)\(\)", (HERE / "seat_stories.js").read_text(), re.MULTILINE)


@pytest.mark.parametrize("story", STORIES)
def test_a_story_of_seats_goes_as_it_says(story: str, tmp_path: Path) -> None:
    async def telling() -> None:
        async with (
            served() as server,
            Liar.before(server.address) as liar,
            ConnectDoor.before(liar.address) as door,
        ):

            def be_deaf(method: Any) -> None:
                liar.deaf_to = method

            answers = {
                "deaf": be_deaf,
                "links": lambda _with: len(liar.links),
                "different links": lambda _with: len(set(liar.links)),
            }
            asked = {"address": door.address, "story": story, "folder": str(tmp_path)}
            (await run_node("seat_stories.js", asked, answers)).check()

    run(telling())


def test_there_are_stories() -> None:
    assert len(STORIES) > 8
