"""The values of flags: numbers, times, and the origins of web pages that may read over HTTP."""

import pytest

from services.cli.flags.of_services import origin
from services.cli.main import main


@pytest.mark.parametrize("text", ["*", "https://a.example", "http://localhost:3000", "http://[::1]:8080", "app://dice"])
def test_an_origin_is_taken_as_browsers_send_it(text: str) -> None:
    assert origin(text) == text


@pytest.mark.parametrize(
    "text",
    ["", "a.example", "https://", "https://a.example/", "https://A.example", "https://*.example", "localhost:3000"],
)
@pytest.mark.parametrize("command", ["serve", "http"])
def test_what_no_browser_sends_is_refused_at_the_start(
    command: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([command, "--cors-origin", text])

    assert stopped.value.code == 2
    assert "an origin such as https://example.com or http://localhost:3000" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "allowed"),
    [
        (["statistics", "--leaderboard", "--games-min", "0"], "from 1 to 2147483647"),
        (["statistics", "--leaderboard", "--games-min", "2147483648"], "from 1 to 2147483647"),
        (["replay", "--list", "--page", "9" * 5_000], "from 1 to 2147483647"),
        (["club", "table", "b83e4c1f", "--season", "99999999999"], "from 0 to 2147483647"),
        (["statistics", "ann", "--since", "yesterday"], "such as 2026-01-31T18:00:00Z or milliseconds since 1970"),
    ],
)
def test_a_value_that_can_not_be_meant_is_answered_with_what_may_be(
    command: list[str], allowed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(command)

    assert stopped.value.code == 2
    assert allowed in " ".join(capsys.readouterr().err.split())
