"""What a model is told when something can't be done: a reason and a sentence, and what it could do instead."""

import re
from typing import Any

import pytest

from tests.mcp.models import Model


def bidding(shared: Model, opener: int = 0) -> dict[str, Any]:
    """A game in its first round, at the model's turn."""
    wanted = {"rulebook": "single-hand", "bots": ["calculating"], "dice_each": 3, "opener": opener}
    game_id = shared.call("create_table", **wanted)["now"]["game_id"]
    now: dict[str, Any] = shared.call("wait_for_my_turn", game_id=game_id)["now"]
    assert now["my_turn"]
    return now


def test_a_bid_that_is_too_low_is_refused_with_the_lowest_legal_bids(shared: Model) -> None:
    now = bidding(shared, opener=1)
    game_id = now["game_id"]
    standing = now["standing_bid"]
    bid = {"quantity": standing["quantity"], "face": standing["face"]}
    told = shared.refused("act", game_id=game_id, action="bid", **bid, version=now["version"])

    assert told["reason"] == "BID_NOT_HIGHER"
    assert "does not raise" in told["sentence"]
    assert told["clauses"] == ["SH-10"]
    assert told["lowest_bids"] == now["moves"]["bid"]
    assert (told["version"], told["my_turn"]) == (now["version"], True)
    assert shared.call("observe", game_id=game_id)["version"] == now["version"], "nothing was done"


def test_a_move_for_an_older_version_is_refused_and_says_how_the_game_stands(shared: Model) -> None:
    now = bidding(shared)

    told = shared.refused("act", game_id=now["game_id"], action="bid", quantity=1, face=2, version=now["version"] - 1)

    assert told["reason"] == "VERSION_MOVED"
    assert told["version"] == now["version"]
    assert told["lowest_bids"] == now["moves"]["bid"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"action": "challenge"}, "NO_BID_TO_CHALLENGE"),
        ({"action": "show_and_reroll", "show": [2]}, "SHOW_AND_REROLL_NOT_IN_RULEBOOK"),
        ({"action": "roll"}, "NOTHING_TO_ROLL"),
        ({"action": "start"}, "GAME_ALREADY_STARTED"),
        ({"action": "add_bot"}, "GAME_ALREADY_STARTED"),
        ({"action": "leave"}, "GAME_ALREADY_STARTED"),
        ({"action": "bid"}, "ARGUMENTS_INVALID"),
    ],
)
def test_what_the_game_does_not_allow_now_is_refused_with_its_reason(
    arguments: dict[str, Any], reason: str, shared: Model
) -> None:
    now = bidding(shared)

    told = shared.refused("act", game_id=now["game_id"], version=now["version"], **arguments)

    assert told["reason"] == reason
    assert " " in told["sentence"]


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("act", {"game_id": "g", "action": "bid", "version": 1, "quantity": 0, "face": 2}, ">= 1 - at `$.quantity`"),
        ("act", {"game_id": "g", "action": "bid", "version": 1, "quantity": 1, "face": 7}, "<= 6 - at `$.face`"),
        ("act", {"game_id": "g", "action": "pass", "version": 1}, "pass"),
        ("act", {"game_id": "g", "action": "bid"}, "`version`"),
        ("observe", {"game_id": "../x"}, "$.game_id"),
        ("observe", {"game_id": "g", "seat": 1}, "unknown field `seat`"),
        ("wait_for_my_turn", {"game_id": "g", "seconds": 9999}, "$.seconds"),
        ("look_back", {"what": "round"}, "This needs game_id."),
        ("look_back", {"what": "round", "game_id": "g"}, "This needs round."),
        ("create_table", {"rulebook": "pirates", "dice_each": 11}, "$.dice_each"),
        ("create_table", {"rulebook": "pirates", "bots": ["reckless"]}, "$.bots[0]"),
    ],
)
def test_arguments_that_make_no_sense_are_refused_by_name(
    tool: str, arguments: dict[str, Any], sentence: str, shared: Model
) -> None:
    told = shared.refused(tool, **arguments)

    assert told["reason"] == "ARGUMENTS_INVALID"
    assert sentence in told["sentence"]


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        ("observe", {"game_id": "nowhere"}, "NO_SUCH_GAME"),
        ("act", {"game_id": "nowhere", "action": "start", "version": 1}, "NO_SUCH_GAME"),
        ("audit", {"game_id": "nowhere"}, "NO_SUCH_GAME"),
        ("look_back", {"what": "game", "game_id": "nowhere"}, "NO_SUCH_GAME"),
        ("create_table", {"rulebook": "poker"}, "NO_SUCH_RULEBOOK"),
        ("create_table", {"rulebook": "pirates", "chips": True}, "OPTION_NOT_IN_RULEBOOK"),
        ("create_table", {"rulebook": "pirates", "bots": ["cautious"] * 4}, "TABLE_FULL"),
        ("deal", {}, "NO_SUCH_TOOL"),
    ],
)
def test_what_is_not_there_is_refused_with_its_reason(
    tool: str, arguments: dict[str, Any], reason: str, shared: Model
) -> None:
    assert shared.refused(tool, **arguments)["reason"] == reason


def test_rounds_and_steps_that_have_not_come_yet_are_refused(shared: Model) -> None:
    game_id = bidding(shared)["game_id"]

    assert shared.refused("look_back", what="round", game_id=game_id, round=2)["reason"] == "NO_SUCH_ROUND"
    assert shared.refused("look_back", what="step", game_id=game_id, version=0)["reason"] == "NO_SUCH_STEP"
    assert shared.refused("look_back", what="step", game_id=game_id, version=9999)["sentence"]
    assert shared.refused("audit", game_id=game_id, round=1)["sentence"]


def test_no_refusal_is_a_traceback_and_the_log_has_only_reasons(shared: Model) -> None:
    bidding(shared)
    shared.refused("join_table", game_id="nowhere", code="my-secret-code")

    assert not [text for text in shared.told if "Traceback" in text or ".py" in text]
    assert shared.logged
    for line in shared.logged.splitlines():
        assert re.fullmatch(r".{23} INFO services\.mcp\.toolbox: [a-z_]+: [A-Z_]+( \(and .*)?", line), line
