"""What names are accepted."""

import pytest

from domain.lookalikes import look_alike
from domain.naming import deception_in, distinct_name, is_id, is_name, is_reason, is_request_id


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


@pytest.mark.parametrize(
    "name",
    [
        *(
            "Ann",
            "Zoë",
            "O'Neil 3rd",
            "Nguyễn",
            "Łukasz",
            "Robot",
            "Höst",
            "Abbott",
            "Нина",
            "Ελένη",
            "שרה",
            "سارة",
            "สมชาย",
            "नीता",
        ),
        *("李雷", "山田タロウ", "佐々木", "ノート", "김민수 Kim", "🏴\u200d☠️ Ann", "1️⃣", "Ａｎｎ"),
    ],
)
def test_a_name_in_any_common_script_deceives_nobody(name: str) -> None:
    assert is_name(name)
    assert deception_in(name) is None


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        *((blank, "nobody can see") for blank in ("\u3164", "\u2800", "\u115f", "\uffa0", "A\u034fnn", "A\ufe0fnn")),
        *((mixed, "mixes letters") for mixed in ("Аnn", "Annа", "Ivan Иванов", "Αnn", "Ваllа")),
        *((rare, "few programs") for rare in ("ᏚᎪᎠ", "ꓮꓠꓠ", "𐌀𐌍𐌍")),
        *((heap, "accent") for heap in ("\u0301Ann", "a\u0301\u0302\u0303\u0304")),
        *((like, "name of the server") for like in ("Server", "SERVER", "ｓｅｒｖｅｒ", "Admin", "adrnin", "you")),
        *(
            (like, "name of the server")
            for like in ("[server]", "* Server *", "The server", "admin 2", "ꜱʏꜱᴛᴇᴍ", "🅐🅓🅜🅘🅝")
        ),
        *((bot, "one of its bots") for bot in ("Bot", "bot 3", "B0T", "Bot Ada", "Ada (bot)", "Ada_bot", "𝐛𝐨𝐭", "ʙᴏᴛ")),
        *((bot, "one of its bots") for bot in ("BotAda", "Bot1", "bot2", "🅱ot Ada", "🅱️ot", "🇧🇴🇹 Ada", "B○t")),
    ],
)
def test_a_name_that_could_deceive_is_told_why(name: str, problem: str) -> None:
    assert problem in (deception_in(name) or "")


@pytest.mark.parametrize(
    ("name", "other"),
    [
        *(("Ann", "ann"), ("Ian", "lan"), ("AI", "Al"), ("асе", "ace"), ("ВАВ", "BAB"), ("Αννα", "Avva")),
        *(("mary", "rnary"), ("Ann Bee", "Ann  Bee"), ("Bob", "B0b"), ("𝐀𝐧𝐧", "Ann"), ("ᴀɴɴ", "Ann"), ("☠️", "☠")),
        *(("ᴊɪᴍ", "JIM"), ("🅐🅝🅝", "Ann"), ("🆂🅸🅼", "Sim"), ("🇦🇳🇳", "ann"), ("Ann ○", "Ann O")),
        *(("O’Neil", "O'Neil"), ("Ann–Bee", "Ann-Bee"), ("ロ", "口"), ("Zoë", "Zoe\u0308")),
    ],
)
def test_names_that_people_can_not_tell_apart_look_alike(name: str, other: str) -> None:
    assert look_alike(name, other)
    assert look_alike(other, name)


@pytest.mark.parametrize(
    ("name", "other"), [("Ann", "Anna"), ("Al", "Ai"), ("Zoe", "Zoë"), ("Player 1", "Player 11"), ("李", "季")]
)
def test_names_that_differ_to_the_eye_do_not_look_alike(name: str, other: str) -> None:
    assert not look_alike(name, other)


def test_a_name_that_is_taken_gets_a_number() -> None:
    assert distinct_name("Ann", ()) == "Ann"
    assert distinct_name("Ann", ("ANN",)) == "Ann (2)"
    assert distinct_name("Ann", ("Ann", "Ann (2)")) == "Ann (3)"
    long = distinct_name("x" * 40, ("x" * 40,))
    assert is_name(long)
    assert long.endswith("x (2)")
