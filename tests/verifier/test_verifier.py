"""Whatever an honest server stores verifies, and the report says what the game's record says."""

import ast
import json
import re
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

FOLDER = Path(verifier.__file__).parent
FORMAT_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "audit-format.md"
CHECK_MADE = re.compile(r'(?:need\(|Failed\(|expect\("[a-z-]+", )"(\w+)"')
"""A place where a check may fail, and the name of the check."""
LAMBDAS_MAX = 2
"""Keys to sort by are short enough to stand where they are used."""
PARTS = 5
GAMES_IN_A_PART = 50
SETUPS = [setup for setup in setups_of_all() if setup.options.dice_each < 10]


def setups(part: int) -> list[Setup]:
    """Setups of all kinds; each part of the test run gets others, and big tables are rare."""
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
    assert f"signed by {OLD_SERVER.key} and seen by 1 witness." in with_all.proven[-1]
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


def test_the_verifier_needs_only_the_standard_library_and_cryptography() -> None:
    """Its own modules are imported relatively, so that its folder can be copied and called anything."""
    nodes = [node for module in FOLDER.glob("*.py") for node in ast.walk(ast.parse(module.read_text()))]
    imported = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    imported += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]

    assert {name.split(".")[0] for name in imported} <= {*sys.stdlib_module_names, "cryptography"}
    assert {node.level for node in nodes if isinstance(node, ast.ImportFrom)} == {0, 1}
    assert not [path for path in FOLDER.iterdir() if path.is_dir() and path.name != "__pycache__"]


def test_every_function_of_the_verifier_says_what_it_is_for() -> None:
    kinds = (ast.FunctionDef, ast.ClassDef, ast.Module)
    found = [
        f"{module.name}: {getattr(node, 'name', '')}"
        for module in FOLDER.glob("*.py")
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, kinds) and not getattr(node, "name", "").startswith("__") and not ast.get_docstring(node)
    ]

    assert found == []


def test_no_function_of_the_verifier_stands_in_another() -> None:
    functions = (ast.FunctionDef, ast.Lambda)
    outer = [
        node
        for module in FOLDER.glob("*.py")
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.FunctionDef)
    ]
    inner = [(one.name, node) for one in outer for node in ast.walk(one) if node is not one]

    assert [name for name, node in inner if isinstance(node, ast.FunctionDef)] == []
    assert len([name for name, node in inner if isinstance(node, functions)]) <= LAMBDAS_MAX


@pytest.mark.parametrize("page", [FOLDER / "__init__.py", FORMAT_PAGE], ids=lambda page: page.name)
def test_a_table_says_in_which_modules_each_check_is_made(page: Path) -> None:
    table = page.read_text().partition("| check | modules |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", table, re.MULTILINE)
    told = {check: set(re.findall(r"`(\w+)`", modules)) for check, modules in rows}
    made = {module.stem: set(CHECK_MADE.findall(module.read_text())) for module in FOLDER.glob("*.py")}

    assert {module for modules in told.values() for module in modules} <= set(made)
    assert set(told) == {check for checks in made.values() for check in checks}
    for module, checks in made.items():
        assert [check for check in checks if module not in told[check]] == [], module


def copied(folder: Path, name: str) -> Path:
    """The verifier's folder, copied under another name, with a bundle beside it."""
    shutil.copytree(FOLDER, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    data = bundle(stored(played(Setup("pirates", SETUPS[0].options, 2), "alone")), 1)
    (folder / "bundle").write_bytes(data)
    (folder / "changed").write_bytes(data.replace(b"pirates", b"palafico", 1))
    return folder / name


def ran(folder: Path, *arguments: str) -> tuple[int, str]:
    """The exit code and the output of a Python that sees nothing of this project."""
    command = [sys.executable, "-I", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize("name", ["verifier", "checker", "any-name.1"])
def test_a_copy_of_the_folder_runs_under_any_name(tmp_path: Path, name: str) -> None:
    folder = copied(tmp_path, name)

    code, printed = ran(tmp_path, name, "bundle", "--public-key", SERVER.key)
    assert (code, json.loads(printed)["round"]) == (0, 1)
    assert json.loads(printed)["rounds"][0]["result"]["penalties"]

    code, printed = ran(tmp_path, str(folder), "changed")
    assert (code, json.loads(printed)["failed"]) == (1, "digests")

    assert ran(tmp_path, name, "nothing")[0] == ran(tmp_path, name)[0] == 2


def test_a_copy_of_the_folder_prints_nothing_that_a_terminal_obeys(tmp_path: Path) -> None:
    copied(tmp_path, "verifier")
    drawing = "\x1b[1;32mVerified\x7f\x9b"
    data = (tmp_path / "bundle").read_bytes()
    (tmp_path / drawing).write_bytes(data.replace(b'"key":"', b'"key":"' + drawing.replace("\x1b", "\\u001b").encode()))

    for arguments in ([drawing], [f"{drawing}, not there"], ["bundle", drawing], ["bundle", "--public-key", drawing]):
        command = [sys.executable, "-I", "verifier", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode
        assert not {"\x1b", "\x7f", "\x9b"} & set(done.stdout + done.stderr)


def test_a_copy_of_the_folder_is_a_package_of_another_program(tmp_path: Path) -> None:
    copied(tmp_path, "checker")
    program = (
        "import sys; sys.path.insert(0, '.'); import json, dataclasses, checker; "
        "report = checker.verify(open('bundle', 'rb').read()); print(json.dumps(dataclasses.asdict(report))); "
        "assert not [name for name in sys.modules if name.split('.')[0] in ('services', 'domain', 'infra')]"
    )

    code, printed = ran(tmp_path, "-c", program)

    assert code == 0
    assert json.loads(printed)["rounds"][0]["result"]["penalties"]


def test_a_program_that_has_the_folder_beside_it_may_run_it_as_a_module(tmp_path: Path) -> None:
    copied(tmp_path, "checker")
    command = [sys.executable, "-m", "checker", "bundle", "--public-key", SERVER.key]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)

    assert json.loads(done.stdout)["round"] == 1
