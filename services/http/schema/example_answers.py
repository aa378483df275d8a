"""Examples of answers: those of a real server, shortened. `python -m tests.http.example_answers` writes them anew."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

FILE = Path(__file__).parent / "example_answers.json"


@cache
def example_answers() -> Mapping[str, Mapping[str, Any]]:
    """Examples by operation and media type; a text is a text, and everything else is JSON."""
    answers: Mapping[str, Mapping[str, Any]] = msgspec.json.decode(FILE.read_bytes())
    return answers
