"""A model plays whole games through the tools, by every book, and looks back at them."""

from typing import Any

import pytest

from domain.rulebooks import BOOKS
from tests.mcp.models import Model


@pytest.mark.parametrize("rulebook", [book.id for book in BOOKS])
def test_a_model_plays_a_whole_game_of_every_book_and_checks_it(rulebook: str, shared: Model) -> None:
    begun = shared.call("create_table", rulebook=rulebook, bots=["cautious", "bluffing"], dice_each=2)["now"]
    game_id = begun["game_id"]
    assert begun["my_seat"] == 0
    assert len(begun["my_dice"]) == 2

    over = shared.play(game_id)["now"]

    assert over["phase"] == "ended"
    assert sorted(seat for place in over["result"]["places"] for seat in place) == [0, 1, 2]
    proof = shared.call("audit", game_id=game_id)
    assert proof["verified"]
    assert "The server held the chains of seats [1, 2]." in proof["not_proven"], "the model kept its own, and signed"
    assert "Seats [1, 2] sign nothing: their moves are the server's word." in proof["not_proven"]
    assert proof["rounds"][-1] == over["last_round"]
    looked = shared.call("look_back", what="game", game_id=game_id)
    assert looked["final"]
    assert looked["result"] == over["result"]
    assert [strip(played) for played in looked["rounds"]] == proof["rounds"]


def strip(played: dict[str, Any]) -> dict[str, Any]:
    """A round without its place in the game."""
    return {name: value for name, value in played.items() if name not in {"opener", "first_version", "last_version"}}


def test_a_round_is_told_step_by_step_in_notation_and_through_any_eyes(shared: Model) -> None:
    game_id = shared.call("create_table", rulebook="pirates", bots=["cautious"], dice_each=1)["now"]["game_id"]
    over = shared.play(game_id)
    last = over["now"]["last_round"]

    told = shared.call("look_back", what="round", game_id=game_id, round=last["number"])
    assert f"actual count {last['actual']}" in told["notation"]
    lines = [step["line"] for step in told["steps"]]
    assert any("challenges the bid" in line for line in lines)
    (dealt,) = [step for step in told["steps"] if step["line"].startswith("The dice fall")]
    bid = next(step for step in told["steps"] if " bids " in step["line"])
    assert 0 <= bid["chance"] <= 1
    for seat in (0, 1):
        seen = shared.call("look_back", what="step", game_id=game_id, version=dealt["version"], seat=seat)["seen"]
        assert seen["my_dice"] == last["dice"][seat]
        assert f"seat {seat}" in seen["remarks"][0]


def test_the_list_of_past_games_has_the_ones_that_the_model_played(shared: Model) -> None:
    game_id = shared.call("create_table", rulebook="single-hand", bots=["cautious"], dice_each=1)["now"]["game_id"]
    shared.play(game_id)

    newest = shared.call("look_back", what="games", rulebook="single-hand", limit=1)["games"]

    assert [game["game_id"] for game in newest] == [game_id]
    assert [player["name"] for player in newest[0]["players"] if player.get("you")] == ["Model"]


def test_what_happened_is_told_once_and_again_if_asked_for(shared: Model) -> None:
    begun = shared.call("create_table", rulebook="single-hand", bots=["cautious"], dice_each=1, opener=0)
    game_id = begun["now"]["game_id"]
    assert begun["happened"][0] == "A table of single-hand is set up."

    again = shared.call("wait_for_my_turn", game_id=game_id)
    assert again["because"] == "your_turn"
    assert "happened" not in again
    whole = shared.call("wait_for_my_turn", game_id=game_id, since_version=0)
    assert whole["happened"] == begun["happened"]
    done = shared.call("act", game_id=game_id, action="forfeit", version=whole["now"]["version"])

    assert "Seat 0 (you) gives up and is out." in done["happened"]
    assert shared.call("wait_for_my_turn", game_id=game_id)["because"] == "game_over"


def test_the_chances_are_those_of_the_seat(shared: Model) -> None:
    begun = shared.call("create_table", rulebook="single-hand", bots=["cautious"], dice_each=1, opener=0)["now"]
    (die,) = begun["my_dice"]

    chances = {bid["face"]: bid["chance"] for bid in begun["moves"]["bid"]}

    assert chances == {face: 1.0 if face == die else 0.1667 for face in range(1, 7)}
    shared.call("act", game_id=begun["game_id"], action="forfeit", version=begun["version"])
