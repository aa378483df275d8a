"""Invitations to clubs, as people pass them on: an id and a code, or a link."""

import re

from infra.failure import CommandFailed

_LINK = re.compile(r"https?://[^/]+/(?:[^#?]*/)?clubs/(?P<club>[A-Za-z0-9._-]{1,64})#(?P<code>[a-z0-9]+)")
"""The code is in the fragment, which no browser sends to a server."""


def invitation_of(club: str, code: str | None) -> tuple[str, str]:
    """The id and the code of an invitation."""
    link = _LINK.fullmatch(club)
    if link is not None:
        return link["club"], code or link["code"]
    if code is None:
        raise CommandFailed("give the code of the club too, or the whole link of the invitation")
    return club, code
