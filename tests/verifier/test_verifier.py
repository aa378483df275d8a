"""Whatever an honest server stores verifies, and the report says what the game's record says."""

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from domain.commands import AbandonGame, LeaveGame, StartGame
from domain.history.recording import record_of
from services import verifier
from services.simulation.simulation import Setup, setups_of_all
from services.verifier import Failed, verify
from tests.verifier.agreeing import agrees, agrees_on_round
from tests.verifier.games import SignedPlay, bundle, played, rounds_of, stored
from tests.verifier.log import OLD_SERVER, SERVER, WITNESSING

MODULE = Path(verifier.__file__)
PARTS = 5
GAMES_IN_A_PART = 50
SETUPS = [setup for setup in setups_of_all() if setup.options.dice_each < 10]


def setups(part: int) -> list[Setup]:
    """A mixture of everything; every part has others, and big tables are rare."""
    chance = Random(part)
    weights = [1 / (setup.players * setup.options.dice_each) for setup in SETUPS]
    return chance.choices(SETUPS, weights, k=GAMES_IN_A_PART)


@pytest.mark.parametrize("part", range(PARTS))
def test_every_honest_bundle_verifies_and_tells_what_the_record_tells(part: int) -> None:
    chance = Random(part)
    for index, setup in enumerate(setups(part)):
        play = played(setup, f"honest-{part}-{index}", quits=chance.choice([0.0, 0.02, 0.1]))
        game = stored(play)
        record = record_of(play.events)
        agrees(verify(bundle(game, None), SERVER.key), record)
        rounds = [number for number in rounds_of(game) if number is not None]
        if rounds:
            number = chance.choice(rounds)
            report = verify(bundle(game, number, others=chance.randrange(9)), SERVER.key)
            (told,) = report.rounds
            agrees_on_round(told, record.rounds[number - 1])
            assert report.round == told.number == number


def test_the_games_have_everything_in_them() -> None:
    """What the test above goes through: every way out, rerolls, both kinds of chains, and signatures."""
    kinds: set[str] = set()
    for part in range(PARTS):
        chance = Random(part)
        for index, setup in enumerate(setups(part)):
            play = played(setup, f"honest-{part}-{index}", quits=chance.choice([0.0, 0.02, 0.1]))
            kinds |= {entry.topic for entry in play.entries}
            kinds |= {f"signed {entry.kind}" for entry in play.entries if entry.signer is not None}
            kinds |= {"joint" for entry in play.entries if entry.with_reroll}
            chance.randrange(9)

    assert len({kind for kind in kinds if kind.endswith(("v1", "v2"))}) >= 25
    assert {"joint", "signed rolled", "signed bid-placed", "signed dice-rerolled"} <= kinds
    assert {"signed bid-challenged", "signed player-forfeited"} <= kinds


def test_a_game_without_digests_and_one_that_got_them_midway_verify_and_the_report_says_so() -> None:
    play = played(Setup("pirates", SETUPS[0].options, 2), "plain")
    for entry in play.entries:
        entry.signer, entry.bare = None, True
        if entry.kind == "player-joined":
            entry.topic = "player-joined.v1"
            entry.public.pop("signing_key", None)
    bare = verify(bundle(stored(play), None))
    for entry in play.entries[9:]:
        entry.bare = False
    midway = verify(bundle(stored(play), None))
    play.entries[12].bare = True

    assert f"{len(play.entries)} events were stored without a digest." in bare.not_proven
    assert "9 events were stored without a digest." in midway.not_proven
    with pytest.raises(Failed, match="digests"):
        verify(bundle(stored(play), None))


def test_who_leaves_before_the_start_moves_the_others_down() -> None:
    """R16"""
    play = SignedPlay("leaving", "palafico", 3, frozenset())
    play.do(LeaveGame(seat=0))
    play.do(StartGame())
    play.do(AbandonGame(reason="enough"))
    report = verify(bundle(stored(play), None))

    assert [(player["seat"], player["player_id"]) for player in report.players] == [(0, "player-1"), (1, "player-2")]
    assert "The server held the chains of seats [1]." in report.not_proven
    assert report.abandoned == "enough"


def test_a_game_that_is_abandoned_before_it_starts_verifies() -> None:
    play = SignedPlay("early", "palafico", 3, frozenset({1}))
    play.do(AbandonGame(reason="nobody came"))

    assert verify(bundle(stored(play), None)).abandoned == "nobody came"


def test_a_table_of_twenty_verifies() -> None:
    play = SignedPlay("many", "single-hand", 20, frozenset({0, 3}), dice_each=1)
    play.play()

    assert verify(bundle(stored(play), None)).places == [list(place) for place in record_of(play.events).places]


def test_the_report_tells_what_is_proven_and_what_is_not() -> None:
    game = stored(played(Setup("single-hand", SETUPS[0].options, 3), "telling"))
    alone = verify(bundle(game, 1))
    data = bundle(game, 1, (OLD_SERVER, SERVER, WITNESSING))
    with_all = verify(data, OLD_SERVER.key, [WITNESSING.key])

    assert "The key is the bundle's own: whose it is was not checked." in alone.not_proven
    assert "The server held the chains of seats [2]." in alone.not_proven
    assert "The key is the bundle's own: whose it is was not checked." not in with_all.not_proven
    assert f"signed by {OLD_SERVER.key} and seen by 1 witnesses." in with_all.proven[-1]
    assert "Other signatures under the checkpoint were not checked." in verify(data).not_proven
    assert any("links lead to the anchors" in sentence for sentence in alone.proven)


def test_a_bundle_of_a_usual_game_is_checked_in_less_than_fifty_milliseconds() -> None:
    """The best of some runs, because others may be at work on the machine."""
    from time import process_time

    data = bundle(stored(played(Setup("bidding-track", SETUPS[0].options, 4), "fast")), None)
    seconds = []
    for _ in range(5):
        began = process_time()
        verify(data)
        seconds.append(process_time() - began)

    assert min(seconds) < 0.05


def test_the_verifier_is_one_short_module_that_needs_only_the_standard_library_and_cryptography() -> None:
    text = MODULE.read_text()
    nodes = list(ast.walk(ast.parse(text)))
    imported = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    imported += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]

    assert len(text.splitlines()) < 500
    assert max(map(len, text.splitlines())) <= 120
    assert {name.split(".")[0] for name in imported} <= {*sys.stdlib_module_names, "cryptography"}
    assert not [node for node in nodes if isinstance(node, ast.ImportFrom) and node.level]


def test_the_module_works_alone_in_an_empty_folder(tmp_path: Path) -> None:
    shutil.copy(MODULE, tmp_path / "verifier.py")
    (tmp_path / "bundle").write_bytes(bundle(stored(played(Setup("pirates", SETUPS[0].options, 2), "alone")), 1))
    program = (
        "import sys; sys.path.insert(0, '.'); import json, dataclasses, verifier; "
        "report = verifier.verify(open('bundle', 'rb').read()); print(json.dumps(dataclasses.asdict(report)))"
    )

    ran = subprocess.run([sys.executable, "-I", "-c", program], cwd=tmp_path, capture_output=True, check=True)

    assert json.loads(ran.stdout)["rounds"][0]["result"]["penalties"]
