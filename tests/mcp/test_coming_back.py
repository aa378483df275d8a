"""Waiting and coming back: the server may restart, the model may be killed, and the game goes on."""

import os
import signal
import threading
from pathlib import Path
from typing import Any

from tests.mcp.models import Model, choice, model
from tests.servers import SECONDS_MAX, ServerProcess


def begun(playing: Model, **wanted: Any) -> dict[str, Any]:
    """A game with a bot."""
    wanted = {"rulebook": "bidding-track", "bots": ["cautious"], "dice_each": 2} | wanted
    now: dict[str, Any] = playing.call("create_table", **wanted)["now"]
    return now


def test_a_model_that_is_killed_in_the_middle_of_a_round_plays_on_and_the_dice_are_proven(
    server: ServerProcess, tmp_path: Path
) -> None:
    with model(server.address, tmp_path, "--name", "Ann") as first:
        game_id = begun(first)["game_id"]
        before = first.call("wait_for_my_turn", game_id=game_id)["now"]
        os.kill(pid_of_mcp_server(tmp_path), signal.SIGKILL)

    with model(server.address, tmp_path, mode="legacy") as again:
        listed = again.call("list_tables")
        assert listed["you"] == "Ann"
        assert [table["game_id"] for table in listed["mine"]] == [game_id]
        assert again.call("observe", game_id=game_id) == before
        over = again.play(game_id)
        proof = again.call("audit", game_id=game_id)

    assert over["because"] == "game_over"
    assert proof["verified"]
    assert "The server held the chains of seats [1]." in proof["not_proven"]


def pid_of_mcp_server(folder: Path) -> int:
    """The process that was started for a folder."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if str(folder / "tokens.json").encode() in line and b"services.cli" in line:
            return int(process.name)
    raise AssertionError("no such process")


def test_the_server_may_restart_while_the_model_waits_and_while_it_moves(server: ServerProcess, shared: Model) -> None:
    now = begun(shared, rulebook="single-hand", opener=0)
    waiting = shared.call("create_table", rulebook="pirates")["now"]["game_id"]

    server.end()
    looked = shared.call("observe", game_id=now["game_id"])
    assert looked["my_dice"] == now["my_dice"]
    told = shared.call("wait_for_my_turn", game_id=waiting, seconds=1)
    assert told["because"] == "time_up"
    assert "does not answer" in told["now"]["remarks"][0]
    restarting = threading.Thread(target=server.start)
    restarting.start()
    shared.call("act", game_id=now["game_id"], version=now["version"], **choice(now))
    restarting.join()
    over = shared.play(now["game_id"])

    assert over["because"] == "game_over"
    told = shared.call("wait_for_my_turn", game_id=waiting, seconds=1)
    assert "remarks" not in told["now"]
    shared.call("act", game_id=waiting, action="leave", version=told["now"]["version"])


def test_waiting_for_others_ends_when_the_time_is_up(shared: Model) -> None:
    game_id = shared.call("create_table", rulebook="pirates")["now"]["game_id"]

    told = shared.call("wait_for_my_turn", game_id=game_id, seconds=0)

    assert told["because"] == "time_up"
    assert told["now"]["phase"] == "gathering"
    shared.call("act", game_id=game_id, action="leave", version=told["now"]["version"])


def test_while_one_tool_waits_the_others_work(shared: Model) -> None:
    game_id = shared.call("create_table", rulebook="pirates")["now"]["game_id"]
    waiting = shared.begin("wait_for_my_turn", game_id=game_id, seconds=SECONDS_MAX)

    now = shared.call("observe", game_id=game_id)
    assert not waiting.done()
    shared.call("act", game_id=game_id, action="add_bot", strategy="cautious", version=now["version"])

    told = waiting.result(SECONDS_MAX).structured_content
    assert isinstance(told, dict)
    assert told["because"] == "table_changed"
    assert told["now"]["moves"]["start"]
    shared.call("act", game_id=game_id, action="leave", version=told["now"]["version"])
