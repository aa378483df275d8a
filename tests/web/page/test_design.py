"""The look of the page holds to its own notes."""

import re

from tests.servers import ROOT
from tests.web.page.contrast import PAIRS, colours, contrast, table

STYLES = ROOT / "services/web/page/styles"


def test_every_pair_of_colours_has_enough_contrast_in_both_themes() -> None:
    for theme in (colours(0), colours(1)):
        for ink, ground, least, where in PAIRS:
            assert contrast(theme[ink], theme[ground]) >= least, where


def test_the_design_notes_have_the_figures_of_the_tokens() -> None:
    assert table() in (ROOT / "docs/understand/page-design.md").read_text(encoding="utf-8")


def test_only_the_tokens_name_colours() -> None:
    for path in STYLES.glob("*.css"):
        if path.name != "tokens.css":
            found = re.findall(r"#[0-9a-fA-F]{3,8}\b|\b(?:hsl|oklch)\(", path.read_text(encoding="utf-8"))
            assert found == [], path.name
