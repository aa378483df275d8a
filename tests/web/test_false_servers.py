"""Servers that lie to the JavaScript client: it finds out each, and sends none a link that was not due."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from liarsdice.v1 import game_pb2

from domain.events import AnyEvent
from tests.client.liars import Liar, Lie
from tests.client.lies import LIES, another_anchor_of_the_server, another_die_at_the_reveal, sent_and_due
from tests.servers import run, served
from tests.web.connect_door import ConnectDoor
from tests.web.node_programs import needs_node, run_node

pytestmark = needs_node


class Met:
    """How a story with a liar ended."""

    def __init__(self, told: dict[str, Any], liar: Liar, events: tuple[AnyEvent, ...]) -> None:
        self.told, self.message = told, str(told["message"])
        self._liar, self._events = liar, events

    def check_links(self) -> None:
        """The liar got no link that the true server had not called for."""
        sent, due = sent_and_due(self._liar, self._events)
        assert set(sent) <= due


def meet(story: str, lie: Lie | None, folder: Path | None = None) -> Met:
    """Let a client meet a liar, which begins to lie when the client says so."""

    async def meeting() -> Met:
        async with (
            served() as server,
            Liar.before(server.address) as liar,
            ConnectDoor.before(liar.address) as door,
        ):

            def begin_to_lie(_with: Any) -> None:
                liar.lie = lie

            answers: dict[str, Callable[[Any], Any]] = {
                "lie": begin_to_lie,
                "spoil": begin_to_lie,
                "links": lambda _with: len(liar.links),
            }
            asked = {"address": door.address, "story": story, "folder": None if folder is None else str(folder)}
            ran = (await run_node("false_server.js", asked, answers)).check()
            game_id = ran.last.get("gameId")
            return Met(ran.last, liar, await server.host.games.events(game_id) if game_id else ())

    return run(meeting())


@pytest.mark.parametrize(("lie", "sentence"), LIES)
def test_a_server_that_lies_is_found_out_and_gets_no_link_that_is_not_due(lie: Lie, sentence: str) -> None:
    met = meet("liesFromTheStart", lie)

    assert sentence in met.message
    met.check_links()
    assert met.told["sentAfterwards"] == 0


def test_after_a_restart_anchors_must_be_those_that_were_told_before(tmp_path: Path) -> None:
    met = meet("liesLater", another_anchor_of_the_server, tmp_path)

    assert "another past than before" in met.message
    assert met.told["sentAfterwards"] == 0


def test_after_a_restart_no_link_is_sent_for_a_number_below_the_highest_that_was_sent(tmp_path: Path) -> None:
    met = meet("callsAgain", None, tmp_path)

    assert "after link 60 was sent" in met.message
    assert met.told["sentAfterwards"] == 0


def test_what_was_told_once_must_be_the_same_when_it_is_told_again() -> None:
    met = meet("tellsOtherwise", another_anchor_of_the_server)

    assert "event 1 is not the one that it sent before" in met.message


def test_a_table_whose_chains_have_another_length_than_its_rules_say_is_not_joined() -> None:
    def longer(game: game_pb2.Game, _events: Any) -> None:
        game.chain_length += 1

    assert "its chains have" in meet("hasOtherChains", longer).message


def test_a_spectator_finds_false_dice_too() -> None:
    met = meet("liesToSpectators", another_die_at_the_reveal)

    assert met.told["dice"] > 0
    assert "The links make" in met.message
