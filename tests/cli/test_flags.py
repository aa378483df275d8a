"""The flags that name the origins of web pages that may read over HTTP."""

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
