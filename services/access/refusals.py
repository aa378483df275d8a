"""Why the server does not accept a caller or does not understand a request."""

from typing import ClassVar

from domain.refusals import Refusal


class FieldInvalid(Refusal):
    """The field {field} {problem}."""

    WHOLE: ClassVar[tuple[str, ...]] = ("problem",)


class TokenMissing(Refusal):
    """This call needs a Bearer token: send `authorization: Bearer <token>` with it, as metadata or as a header; Register gives one."""


class TokenInvalid(Refusal):
    """This server does not know this token, or it is revoked or has expired."""


class TokenOfIssuer(Refusal):
    """Your own issuer made this token: it expires at its time `exp`, and this server can't exchange or revoke it."""


class ScopeMissing(Refusal):
    """This needs a token with the scope {scope}."""


class NameMisleading(Refusal):
    """The name {name} can't be used, because {problem}."""


class GamePrivate(Refusal):
    """Game {game_id} is private: only its players, its owner and auditors may read it."""


class MessageTooLarge(Refusal):
    """A message may have {limit} bytes, and this one has more."""


class EncodingUnknown(Refusal):
    """This server does not know messages that are packed with {encoding}: use gzip, or send them as they are."""


class TooFast(Refusal):
    """That is too fast: the limit for {what} is {rate} a second; try again in {retry_seconds} seconds."""


class ReadTooMuch(Refusal):
    """You have read too much at once: reads may touch {rate} events a second; try again in {retry_seconds} seconds."""


class ReadsWaiting(Refusal):
    """Too many of your reads wait for their turn already; at most {limit} may. Try again in {retry_seconds} seconds."""


class StreamsTooMany(Refusal):
    """There are too many open streams; at most {limit} are allowed. End one before you open the next."""


class TooManyConnections(Refusal):
    """There are {limit} open connections {whose} already; close some, or try again in {retry_seconds} seconds."""
