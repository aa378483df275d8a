"""The keeper of seats: what it keeps is there after a restart, for its owner alone, and never shows."""

import json
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.pretty import pretty_repr

from domain.refusals import Malformed
from services.client import Kept, SeatKeeper, Sent

KEPT = Kept(server="h:1", player_id="ann", game_id="g", length=70, seed=b"s" * 32, signing_key=b"k" * 32)


def sent(number: int) -> Sent:
    return Sent(number, 3 * number, bytes([number]) * 32)


def file_in(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def test_secrets_are_kept_by_server_player_and_game_for_the_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "seats"
    SeatKeeper(folder).keep(KEPT)

    again = SeatKeeper(folder)
    assert again.find("h:1", "ann", "g") == KEPT
    assert not any((again.find("h:2", "ann", "g"), again.find("h:1", "bob", "g"), again.find("h:1", "ann", "h")))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(file_in(folder).stat().st_mode) == 0o600


def test_in_memory_nothing_is_written_and_all_else_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    keeper = SeatKeeper()
    keeper.keep(KEPT)
    keeper.note(KEPT, sent(4))

    assert keeper.find("h:1", "ann", "g") == replace(KEPT, sent=sent(4))
    keeper.forget(KEPT)
    assert keeper.find("h:1", "ann", "g") is None
    assert not list(tmp_path.iterdir())


def test_the_highest_link_that_was_sent_is_remembered_whoever_sent_it(tmp_path: Path) -> None:
    keepers = [SeatKeeper(tmp_path) for _ in range(4)]
    keepers[0].keep(KEPT)

    def send(offset: int) -> None:
        for number in range(1 + offset, 41, len(keepers)):
            keepers[offset].note(KEPT, sent(number))

    threads = [threading.Thread(target=send, args=(offset,)) for offset in range(len(keepers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert keepers[0].find("h:1", "ann", "g") == replace(KEPT, sent=sent(40))
    keepers[1].note(KEPT, sent(7))
    assert keepers[2].find("h:1", "ann", "g") == replace(KEPT, sent=sent(40))
    assert len(list(tmp_path.iterdir())) == 1


def test_a_seat_that_is_forgotten_leaves_no_file(tmp_path: Path) -> None:
    keeper = SeatKeeper(tmp_path)
    keeper.keep(KEPT)
    keeper.forget(KEPT)
    keeper.forget(KEPT)

    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "spoil",
    [
        lambda _text: "",
        lambda text: text[:-20],
        lambda text: text.replace('"length": 70', '"length": 0'),
        lambda text: text.replace('"seed"', '"sead"'),
        lambda text: text.replace('"g"', '"h"'),
        lambda text: json.dumps(json.loads(text) | {"seed": "c2hvcnQ="}),
        lambda text: text.replace("}", ""),
    ],
)
def test_a_spoiled_file_is_refused_with_its_name_and_without_its_secrets(
    spoil: Callable[[str], str], tmp_path: Path
) -> None:
    keeper = SeatKeeper(tmp_path)
    keeper.keep(KEPT)
    path = file_in(tmp_path)
    path.write_text(spoil(path.read_text()))

    with pytest.raises(Malformed, match="file of a seat's secrets") as refused:
        keeper.find("h:1", "ann", "g")

    assert str(path) in refused.value.fields["what"]
    assert "c3Nz" not in str(refused.value)


def test_secrets_never_show() -> None:
    for shown in (repr(KEPT), str(KEPT), f"{KEPT!r}", pretty_repr(KEPT), repr(SeatKeeper())):
        assert "sss" not in shown
        assert "kkk" not in shown
