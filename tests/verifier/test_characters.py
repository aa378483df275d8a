"""Which characters a text in a bundle may have is fixed, and the same for everybody who checks one."""

import re
import unicodedata
from pathlib import Path

from domain import shown_text
from domain.naming import is_name, is_reason
from services.verifier import characters

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "docs" / "reference" / "audit-format.md").read_text().partition("### Characters")[2].partition("\n#")[0]
IN_JAVASCRIPT = (ROOT / "services" / "web" / "page" / "verifier" / "characters.js").read_text()
EVERY_CHARACTER = [chr(code) for code in range(0x110000)]
HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zs", "Zl", "Zp"}


def test_the_server_and_all_verifiers_have_the_ranges_of_the_format_page() -> None:
    told = [tuple(int(end, 16) for end in pair) for pair in re.findall(r"U\+([0-9A-F]+)-U\+([0-9A-F]+)", TABLE)]
    written = re.findall(r"^  \[0x([0-9a-f]+), 0x([0-9a-f]+)\],", IN_JAVASCRIPT, re.MULTILINE)

    assert tuple(told) == shown_text.UNSHOWN == characters.UNSHOWN
    assert tuple((int(first, 16), int(last, 16)) for first, last in written) == shown_text.UNSHOWN


def test_everything_that_could_ever_be_stored_is_allowed_and_nothing_that_hides() -> None:
    """A name had to be printable in the Python of its time, and printable characters stay printable."""
    printable = [one for one in EVERY_CHARACTER if one.isprintable()]
    hidden = [one for one in EVERY_CHARACTER if unicodedata.category(one) in HIDDEN and one not in " \u200d"]

    assert [one for one in (*printable, "\u200d") if not characters.is_shown(one)] == []
    assert [one for one in hidden if characters.is_shown(one)] == []


def test_a_name_or_a_reason_that_is_chosen_now_may_be_in_a_bundle() -> None:
    allowed = [one for one in EVERY_CHARACTER if is_name(one) or is_reason(one)]

    assert len(allowed) > 100_000
    assert characters.is_shown("".join(allowed))
