"""The page about notebooks: its code makes five pictures from a table of games."""

import re
import subprocess
import sys
from pathlib import Path

from domain.history.record import encode_record
from domain.history.recording import record_of
from domain.options import Options
from services.export.formats import FORMATS
from services.simulation.simulation import Setup, game_name, play_game

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "notebook.md"
PICTURES = ("rating", "calibration", "luck", "regret", "doubt")
CHECKS = """
assert len(rated) == len(games) == 12
assert rated[-1]["rating"] > 25, "it plays best of the three"
assert rated[-1]["high"] - rated[-1]["low"] < rated[0]["high"] - rated[0]["low"]
assert challenged and {one["held"] for one in challenged} <= {0.0, 1.0}
assert len(luck) > 50
assert all(0 <= one["regret"] <= 1 for one in regrets)
likely, unlikely = (
    [one["doubted"] for one in faced if (one["chance"] > 0.5) is side] for side in (True, False)
)
assert sum(likely) / len(likely) < sum(unlikely) / len(unlikely)
"""


def test_the_page_makes_five_pictures_from_an_export(tmp_path: Path) -> None:
    form = FORMATS["parquet"].begin()
    setup = Setup("single-hand", Options(), 3)
    records = [record_of(play_game(setup, 1, index, game_name(setup, 1, index)).events) for index in range(12)]
    pieces = [form.head(), *(form.take(encode_record(record)) for record in records), form.tail()]
    (tmp_path / "games.parquet").write_bytes(b"".join(pieces))
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL))

    ran = subprocess.run(
        [sys.executable, "-c", code + CHECKS], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert ran.returncode == 0, ran.stderr
    for name in PICTURES:
        picture = (tmp_path / f"{name}.svg").read_text()
        assert picture.startswith("<svg")
        assert picture.count("<path") > 5
