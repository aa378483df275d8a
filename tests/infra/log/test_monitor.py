"""A monitor follows a log in tiles and finds each way in which it can contradict itself."""

import json
import sqlite3
from pathlib import Path

import pytest

from domain.refusals import Refusal
from infra.log.entries import FIRST_FORM, FORM, entry_text
from infra.log.monitor import Followed, LogUnreadable, Monitor, MonitorStateRefused
from infra.log.notes import Signer
from infra.log.tile_source import TileSource
from services.cli.main import main
from tests.infra.log.tiled_logs import hashed, write_log

LOG = Signer("example.com/dice", b"l" * 32)


def ended(game: int, round_number: int | None, version: int, digest: bytes = b"d" * 32, form: int = FORM) -> bytes:
    """An entry."""
    topic = "game-ended.v1" if round_number is None else "round-ended.v1"
    return entry_text(form, f"game-{game}", version, topic, round_number, digest)


def honest(count: int) -> list[bytes]:
    """The entries of an honest log: games of three rounds."""
    return [ended(at // 4, None if at % 4 == 3 else at % 4 + 1, 10 * (at % 4 + 1)) for at in range(count)]


class Scene:
    """A log in a folder, and a monitor with its file."""

    def __init__(self, folder: Path) -> None:
        self.log, self.state = folder / "log", folder / "monitor.state"

    def look(self, unpublished_before: int = 0) -> Followed:
        """What a monitor that starts anew finds."""
        return Monitor(self.state, [LOG.verifier], unpublished_before).look(TileSource(str(self.log)))


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """A log and a monitor."""
    return Scene(tmp_path)


def test_an_honest_log_is_followed_through_all_widths_of_tiles(scene: Scene) -> None:
    known = 0
    for size in (1, 3, 255, 256, 257, 300, 512, 1_000, 1_000):
        write_log(scene.log, LOG, honest(size))
        found = scene.look()
        assert (found.size, found.previous_size, found.unread, found.contradictions) == (size, known, 0, ())
        known = size


def test_a_full_tile_may_take_the_place_of_a_partial_one(scene: Scene) -> None:
    entries = honest(256)
    write_log(scene.log, LOG, entries[:200])
    checkpoint = (scene.log / "checkpoint").read_bytes()
    write_log(scene.log, LOG, entries)
    (scene.log / "checkpoint").write_bytes(checkpoint)
    (scene.log / "tile/entries/000.p/200").unlink()

    assert scene.look().size == 200
    write_log(scene.log, LOG, entries)
    assert scene.look().size == 256


@pytest.mark.parametrize(
    "second",
    [
        ended(5, 2, 20, b"x" * 32),
        ended(5, 2, 21, b"x" * 32),
        ended(5, 3, 20, b"x" * 32),
        ended(5, None, 50, b"x" * 32),
        ended(5, 2, 20, b"x" * 32, FIRST_FORM),
        ended(5, None, 99, b"x" * 32, FIRST_FORM),
    ],
    ids=["version and round", "a round", "a version", "the end", "a version, first form", "the end, first form"],
)
def test_two_stories_about_one_game_are_found_and_told_for_ever(scene: Scene, second: bytes) -> None:
    """The made fault: a log that is consistent in itself, signed, and tells one game in two ways."""
    write_log(scene.log, LOG, honest(40))
    assert scene.look().contradictions == ()
    write_log(scene.log, LOG, [*honest(40), second])

    found = scene.look()
    assert found.size == 41
    assert found.contradictions
    assert all("and 40 are two stories about one place" in sentence for sentence in found.contradictions)
    write_log(scene.log, LOG, [*honest(40), second, *honest(80)[40:]])
    assert scene.look().contradictions == found.contradictions


def test_a_log_that_changes_its_past_is_found_at_any_size(scene: Scene) -> None:
    entries = honest(300)
    for size in (300, 301, 600):
        scene.state.unlink(missing_ok=True)
        write_log(scene.log, LOG, entries)
        assert scene.look().contradictions == ()
        write_log(scene.log, LOG, [ended(99, 1, 1), *honest(size)[1:]])
        found = scene.look()
        assert (found.size, len(found.contradictions)) == (300, 1)
        assert f"The checkpoint of {size} leaves" in found.contradictions[0]
        assert scene.look().contradictions == found.contradictions


def test_a_log_that_becomes_shorter_is_found(scene: Scene) -> None:
    write_log(scene.log, LOG, honest(300))
    scene.look()
    write_log(scene.log, LOG, honest(299))

    assert scene.look().contradictions == ("The log had 300 leaves, and its checkpoint has only 299.",)
    with sqlite3.connect(scene.state) as memory:
        (note,) = memory.execute("SELECT note FROM contradictions").fetchone()
    assert note == (scene.log / "checkpoint").read_bytes()


def test_an_entry_that_is_none_is_found(scene: Scene) -> None:
    write_log(scene.log, LOG, [*honest(3), b"anything\x1b[2J"])

    (sentence,) = scene.look().contradictions
    assert sentence == r"Leaf 3 is not the end of a round or of a game: b'anything\x1b[2J'."


def test_entries_that_are_missing_or_not_those_of_the_tree_stop_the_monitor_and_change_nothing(scene: Scene) -> None:
    write_log(scene.log, LOG, honest(10))
    scene.look()
    write_log(scene.log, LOG, honest(300))
    bundle = scene.log / "tile/entries/000"
    content = bundle.read_bytes()
    for wrong in (None, content[:-1], content[:-2] + b"!\n", b""):
        bundle.unlink() if wrong is None else bundle.write_bytes(wrong)
        with pytest.raises(Refusal):
            scene.look()
    bundle.write_bytes(content)

    found = scene.look()
    assert (found.previous_size, found.size, found.contradictions) == (10, 300, ())


def test_old_entries_may_stay_unpublished_if_the_operator_of_the_monitor_accepts_it(scene: Scene) -> None:
    entries = honest(600)
    write_log(scene.log, LOG, entries)
    (scene.log / "tile/entries/000").unlink()
    with pytest.raises(LogUnreadable, match="does not give out the entries 0 to 255"):
        scene.look()
    with pytest.raises(LogUnreadable):
        scene.look(unpublished_before=255)

    found = scene.look(unpublished_before=256)
    assert (found.size, found.unread) == (600, 256)


def test_a_checkpoint_of_another_key_or_another_log_is_refused(scene: Scene) -> None:
    write_log(scene.log, LOG, honest(3))
    scene.look()
    for stranger in (Signer(LOG.verifier.name, b"x" * 32), Signer("example.com/other", b"l" * 32)):
        write_log(scene.log, stranger, honest(4))
        with pytest.raises(Refusal):
            scene.look()
    both = Monitor(scene.state, [LOG.verifier, stranger.verifier])
    with pytest.raises(MonitorStateRefused, match=r"of the log example.com/dice, and this is example.com/other"):
        both.look(TileSource(str(scene.log)))


def test_a_damaged_memory_is_refused(scene: Scene) -> None:
    write_log(scene.log, LOG, honest(3))
    scene.look()
    for damage in ("DELETE FROM edge", "UPDATE edge SET hash = zeroblob(32)", "PRAGMA application_id = 7"):
        content = scene.state.read_bytes()
        with sqlite3.connect(scene.state) as memory:
            memory.execute(damage)
        memory.close()
        with pytest.raises(MonitorStateRefused):
            scene.look()
        scene.state.write_bytes(content)
    scene.state.write_bytes(b"no database" * 100)
    with pytest.raises(MonitorStateRefused):
        scene.look()


def test_the_hashes_in_the_tiles_are_those_of_the_entries() -> None:
    """The helper of these tests and the program agree, although they share nothing."""
    assert hashed(b"").hex() == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"


def test_the_command_says_by_its_exit_code_what_it_has_found(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    flags = [str(scene.log), "--log-key", LOG.verifier.vkey, "--state", str(scene.state), "--once"]
    assert main(["monitor", *flags]) == 2
    assert "it has no checkpoint yet" in capsys.readouterr().err
    write_log(scene.log, LOG, honest(40))
    assert main(["monitor", *flags]) == 0
    assert capsys.readouterr().out.startswith("example.com/dice: 40 leaves, all of them new.\n")
    write_log(scene.log, LOG, [*honest(40), ended(5, 2, 21)])

    assert main(["monitor", *flags]) == 3
    shown = capsys.readouterr()
    assert "Leaves 21 and 40 are two stories about one place of one game" in shown.err
    assert "only grew" not in shown.out
    assert main(["monitor", *flags, "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["contradictions"]
