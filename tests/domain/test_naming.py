"""What names are accepted."""

import pytest

from domain.naming import is_id, is_name, is_reason, is_request_id


@pytest.mark.parametrize(
    "name", ["Ann", "Zoë", "李雷", "O'Neil 3rd", "🏴\u200d☠️", "👩🏽\u200d🚀 Eve", "x" * 40, '"quoted" \\ #1']
)
def test_a_name_is_anything_visible(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize(
    "name", ["", " Ann", "Ann ", "x" * 41, "a\nb", "tab\there", "\ud800", "A\u200dnn", "\u202eevil", "\u200d", "nul\0"]
)
def test_a_name_that_hides_something_or_breaks_a_line_is_none(name: str) -> None:
    assert not is_name(name)


@pytest.mark.parametrize(
    ("text", "valid"), [("a-1._Z", True), ("", False), ("x" * 65, False), ("é", False), ("a b", False)]
)
def test_an_id_has_only_plain_characters(text: str, *, valid: bool) -> None:
    assert is_id(text) is valid


@pytest.mark.parametrize(("text", "valid"), [("server moved", True), ("", False), ("x" * 201, False), ("a\nb", False)])
def test_a_reason_is_one_visible_line(text: str, *, valid: bool) -> None:
    assert is_reason(text) is valid


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("a/b é 1", True),
        ("x" * 200, True),
        ("", False),
        ("x" * 201, False),
        ("a\nb", False),
        ("\0", False),
        ("\ud800", False),
    ],
)
def test_a_request_id_is_one_visible_line(text: str, *, valid: bool) -> None:
    assert is_request_id(text) is valid
