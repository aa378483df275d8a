"""The test vectors in the documentation are what the code makes."""

from pathlib import Path

from tests.domain.fairness.vectors import VECTORS, write


def test_the_published_vectors_are_the_ones_that_the_code_makes(tmp_path: Path) -> None:
    """If they are not, the derivation has changed: that takes a new version of it, not new vectors."""
    made = tmp_path / "vectors.json"

    write(made)

    assert made.read_text(encoding="utf-8") == VECTORS.read_text(encoding="utf-8")
