"""`liarsdice club`: what people type. The session of docs/play/clubs.md shows that it works at a server."""

import pytest

from infra.failure import CommandFailed
from services.cli.club.invitation import invitation_of


@pytest.mark.parametrize(
    ("club", "code", "meant"),
    [
        ("abc", "xyz", ("abc", "xyz")),
        ("https://dice.example/clubs/abc#xyz", None, ("abc", "xyz")),
        ("http://127.0.0.1:8080/clubs/abc#xyz", "later", ("abc", "later")),
    ],
)
def test_an_invitation_is_an_id_with_a_code_or_a_link(club: str, code: str | None, meant: tuple[str, str]) -> None:
    assert invitation_of(club, code) == meant


@pytest.mark.parametrize("club", ["abc", "https://dice.example/clubs/abc", "https://dice.example/join/abc#xyz"])
def test_an_invitation_without_a_code_is_told_so(club: str) -> None:
    with pytest.raises(CommandFailed, match="give the code"):
        invitation_of(club, None)
