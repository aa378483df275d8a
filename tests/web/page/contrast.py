"""The contrast of the page's colours, as WCAG 2 reckons it: `python -m tests.web.page.contrast` prints the table of the design notes."""

import re
from pathlib import Path

from tests.servers import ROOT

TOKENS = ROOT / "services/web/page/styles/tokens.css"
PAIRS = (
    ("ink", "paper", 7.0, "text"),
    ("ink", "surface", 7.0, "text on cards"),
    ("ink-soft", "paper", 4.5, "quiet text"),
    ("ink-soft", "surface", 4.5, "quiet text on cards"),
    ("brass", "paper", 4.5, "links"),
    ("brass", "surface", 4.5, "links on cards"),
    ("brass-ink", "brass", 4.5, "main buttons"),
    ("ink", "brass-wash", 7.0, "what is marked"),
    ("felt-ink", "felt", 4.5, "names at the table"),
    ("felt-ink-soft", "felt", 4.5, "quiet text at the table"),
    ("good", "surface", 4.5, "what is proven"),
    ("bad", "surface", 4.5, "what went wrong"),
    ("line-strong", "surface", 3.0, "edges of fields and buttons"),
    ("focus", "paper", 3.0, "focus"),
    ("pip", "ivory", 7.0, "pips"),
)
"""What stands on what, the least contrast, and where it is."""


def colours(theme: int, path: Path = TOKENS) -> dict[str, str]:
    """The colours of a theme: 0 is the light one, 1 the dark one."""
    text = path.read_text(encoding="utf-8")
    both = re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]+), (#[0-9a-f]+)\)", text)
    plain = re.findall(r"--([\w-]+): (#[0-9a-f]{6});", text)
    return {name: pair[theme] for name, *pair in both} | dict(plain)


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def table() -> str:
    """The table of the design notes."""
    light, dark = colours(0), colours(1)
    lines = ["| on the page | colours | light | dark | at least |", "|---|---|---|---|---|"]
    for ink, ground, least, where in PAIRS:
        found = [f"{contrast(theme[ink], theme[ground]):.1f}" for theme in (light, dark)]
        lines.append(f"| {where} | `{ink}` on `{ground}` | {found[0]} | {found[1]} | {least} |")
    return "\n".join(lines)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


if __name__ == "__main__":
    print(table())  # noqa: T201 - it is run by hand
