"""The characters that the texts of a bundle may have (audit-format.md, "Characters").

The ranges are fixed. A newer version of Unicode adds letters and pictures, but it does not change a verdict.
"""

import re

UNSHOWN = (
    (0x0000, 0x001F),  # Control characters.
    (0x007F, 0x00A0),  # More of them, and the space that does not break.
    (0x00AD, 0x00AD),
    (0x0600, 0x0605),
    (0x061C, 0x061C),
    (0x06DD, 0x06DD),
    (0x070F, 0x070F),
    (0x0890, 0x0891),
    (0x08E2, 0x08E2),
    (0x1680, 0x1680),
    (0x180E, 0x180E),
    (0x2000, 0x200C),  # Spaces; U+200D, which joins emoji, is allowed.
    (0x200E, 0x200F),
    (0x2028, 0x202F),  # Line ends, and characters that turn the direction of writing.
    (0x205F, 0x206F),
    (0x3000, 0x3000),
    (0xD800, 0xF8FF),  # Halves of surrogate pairs, and private use.
    (0xFDD0, 0xFDEF),
    (0xFEFF, 0xFEFF),
    (0xFFF0, 0xFFFB),
    (0xFFFE, 0xFFFF),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1343F),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0x1FFFE, 0x1FFFF),
    (0x2FFFE, 0x2FFFF),
    (0x3FFFE, 0xE00FF),
    (0xE01F0, 0x10FFFF),
)
"""The first and the last character of each range that no text may have."""

_UNSHOWN = re.compile("[" + "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in UNSHOWN) + "]")


def is_shown(text: str) -> bool:
    """Whether a text has only characters that are allowed. The space is one of them, a line feed is not."""
    return _UNSHOWN.search(text) is None
