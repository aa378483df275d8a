"""Whole games of the JavaScript client against a real server: with chains, signatures, restarts and lines that are cut."""

from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from domain.rulebooks import BOOKS
from services.verifier import Report, verify
from tests.client.proxies import Proxy
from tests.extent import cases
from tests.servers import run, served
from tests.web.node_programs import Ran, needs_node, run_node

pytestmark = needs_node


@asynccontextmanager
async def door() -> AsyncIterator[str]:
    """Where a server takes calls of Connect."""
    async with served() as server:
        assert server.reading is not None
        yield server.reading.url


def report(ran: Ran) -> Report:
    """What the bundle of a game proves, by the verifier that shares nothing with the client."""
    last = ran.check().last
    return verify(b64decode(last["bundle"]), last["key"])


TIMES = "The times of all events are the server's word. It is only proven that they never run backwards."
NO_WITNESS = "No witness has cosigned the checkpoint."


@pytest.mark.at_length
@pytest.mark.parametrize("rulebook", cases([BOOKS[0].id], [book.id for book in BOOKS]))
def test_a_whole_game_in_which_all_bring_chains_and_sign(rulebook: str, tmp_path: Path) -> None:
    async def story() -> Ran:
        async with door() as address:
            return await run_node(
                "all_bring_chains.js", {"address": address, "folder": str(tmp_path), "rulebook": rulebook}
            )

    ran = run(story())

    assert report(ran).not_proven == [TIMES, NO_WITNESS], "no chain is the server's, and every move is signed"
    assert ran.last["proven"]["heldByServer"] == []
    assert ran.last["proven"]["unrevealed"] == 0
    assert ran.last["kept"] == 0, "what is over is forgotten"
    _check_that_the_receipts_are_those_of_the_bundle(ran.last)
    _check_that_each_round_says_what_is_proven(ran.told[:-1])
    _check_that_moves_do_not_read_the_whole_game(ran)


def _check_that_the_receipts_are_those_of_the_bundle(last: dict[str, Any]) -> None:
    assert len(last["receipts"]) == 3
    for receipts in last["receipts"]:
        proven = verify(b64decode(last["bundle"]), last["key"], receipts=receipts.encode()).proven
        assert proven[-1] == f"{receipts.count(chr(10)) - 2} receipts say the same as the bundle."


def _check_that_each_round_says_what_is_proven(updates: list[dict[str, Any]]) -> None:
    laid_open, reveals = 0, 0
    for update in updates:
        for event in update["events"]:
            laid_open += sum(len(hand) for deal in event.get("deals", ()) for hand in deal["hands"])
            laid_open += sum(len(roll["dice"]) for roll in event.get("rolls", ()))
        if any(event["type"] == "CupsLifted" for event in update["events"]):
            assert update["proven"]["dice"] == laid_open
            reveals += 1
    assert reveals


def _check_that_moves_do_not_read_the_whole_game(ran: Ran) -> None:
    """Each player reads it at the start and before a reroll, and now and then because somebody else rolled meanwhile."""
    happened = [event["type"] for update in ran.told[:-1] for event in update["events"]]
    rolls, rerolls = happened.count("Rolled"), happened.count("DiceRerolled")
    assert ran.last["reads"] <= 3 + rolls + 2 * rerolls, (rolls, rerolls)


@pytest.mark.at_length
@pytest.mark.parametrize("rulebook", cases(["pirates"], ["bidding-track", "pirates"]))
def test_a_program_that_ends_in_the_middle_of_rounds_is_followed_by_one_that_plays_on(
    rulebook: str, tmp_path: Path
) -> None:
    async def story() -> tuple[Ran, int]:
        async with door() as address:
            asked: dict[str, Any] = {"address": address, "folder": str(tmp_path), "rulebook": rulebook}
            ran, programs = (await run_node("player.js", asked | {"bids": 1})).check(), 1
            asked |= ran.told[0]
            while "stopped" in ran.last:
                seen = programs * 2
                ran, programs = (await run_node("player.js", asked | {"bids": seen})).check(), programs + 1
            return ran, programs

    ran, programs = run(story())

    assert programs > 3
    assert ran.last["proven"]["heldByServer"] == [1]
    assert report(ran).not_proven == [
        "The server held the chains of seats [1].",
        "Seats [1] sign nothing: their moves are the server's word.",
        TIMES,
        NO_WITNESS,
    ]
    assert {path.suffix for path in tmp_path.iterdir()} == {".receipts"}, "no secret is left"


@pytest.mark.at_length
@pytest.mark.parametrize("rulebook", cases(["prediction-track"], ["bidding-track", "prediction-track"]))
def test_a_line_that_is_cut_at_every_message_loses_nothing_and_doubles_nothing(rulebook: str) -> None:
    async def story() -> tuple[Ran, int]:
        async with door() as address, Proxy.to(address.removeprefix("http://")) as proxy:

            async def cut(_told: dict[str, Any]) -> None:
                proxy.cut()

            asked = {"address": f"http://{proxy.address}", "rulebook": rulebook}
            return await run_node("player.js", asked, on_told=cut), proxy.connections

    ran, connections = run(story())

    versions = [version for told in ran.check().told for version in told.get("versions", ())]
    assert versions == list(range(1, len(versions) + 1))
    assert connections > 10
    assert report(ran).rounds
