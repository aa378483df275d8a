"""Invitation codes, for private tables and for clubs."""

import secrets

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
_LENGTH = 10


def new_invitation_code() -> str:
    """A code that nobody can guess and that is easy to read out over the telephone."""
    return "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))
