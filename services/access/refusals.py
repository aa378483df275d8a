"""Why a caller was not let in, or what was asked for could not be understood."""

from domain.refusals import Refusal


class FieldInvalid(Refusal):
    """The field {field} {problem}."""


class TokenMissing(Refusal):
    """This call needs a Bearer token: send the metadata `authorization: Bearer <token>`; Register gives one."""


class TokenInvalid(Refusal):
    """This token is not known, or it is revoked or has expired."""


class TokenOfIssuer(Refusal):
    """This token is one of your own issuer: it ends at its time `exp`, and this server can't exchange or revoke it."""


class ScopeMissing(Refusal):
    """This needs a token with the scope {scope}."""


class GamePrivate(Refusal):
    """Game {game_id} is private: only those who sit there, its owner and auditors may read it."""


class TooFast(Refusal):
    """That is too fast: {what} are limited to {rate} a second; try again in {retry_seconds} seconds."""
