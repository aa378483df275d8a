"""Finding the caller of a token: a token from this server, or one that the operator's own issuer has signed."""

import hashlib
import json
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jwt

from domain.ids import digest
from domain.naming import NAME_LENGTH_MAX, deception_in, is_id, is_name
from domain.refusals import NameInvalid
from infra.failure import CommandFailed
from infra.postgres.players import PlayerStore, TokenHolder, TokenReader
from services.access.caller import PLAYER, Caller
from services.access.refusals import NameMisleading, TokenInvalid, TokenOfIssuer

SCOPES = (PLAYER, "auditor", "admin")
TOKEN_PREFIX = "ldt_"  # noqa: S105 - what makes a leaked token easy to recognise
_LIKE_AN_ID = re.compile(r"p[0-9a-f]{16}|(x|xh|bot)\..*")
"""An id stands in the place of a name that can't be shown, so no name may look like one."""
_BEARER = "bearer "
_CACHE_MAX = 50_000
_CACHE_SECONDS = 5.0
_ALGORITHMS = ["EdDSA", "RS256"]


def bearer_of(header: str) -> str | None:
    """The token in the header `authorization`; None if there is none."""
    return header[len(_BEARER) :].strip() or None if header[: len(_BEARER)].lower() == _BEARER else None


def token_hash(token: str) -> bytes:
    """The hash of a token, which is stored instead of the token. A token is random and long, so a fast hash is enough."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


def new_token() -> str:
    """A new token that nobody can guess."""
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def new_player_id() -> str:
    """The id of a new player."""
    return "p" + secrets.token_hex(8)


class TrustedIssuer:
    """Another service that may say who a player is, by signing JSON web tokens."""

    def __init__(self, jwks: Path, issuer: str, audience: str) -> None:
        """Read the issuer's public keys."""
        self._issuer, self._audience = issuer, audience
        try:
            keys = jwt.PyJWKSet.from_dict(json.loads(jwks.read_text(encoding="utf-8"))).keys
        except (OSError, ValueError, TypeError, AttributeError, jwt.PyJWTError) as error:
            raise CommandFailed(f"the keys in {jwks} can't be used: {error}") from None
        self._keys = {key.key_id: key for key in keys}

    def caller(self, token: str) -> tuple[Caller, float]:
        """The caller that a signed token names, and when the token expires."""
        try:
            key = self._keys[jwt.get_unverified_header(token).get("kid")]
            claims = jwt.decode(
                token,
                key,
                algorithms=_ALGORITHMS,
                issuer=self._issuer,
                audience=self._audience,
                options={"require": ["exp", "sub", "iss", "aud"]},
            )
        except (KeyError, TypeError, jwt.PyJWTError):
            raise TokenInvalid from None
        return _caller_of_claims(claims), float(claims["exp"])


def _caller_of_claims(claims: dict[str, Any]) -> Caller:
    subject, name = str(claims["sub"]), str(claims.get("name", claims["sub"]))
    # The prefixes keep the ids of the issuer apart from the ids of this server, and hashes apart from other subjects.
    player_id = f"x.{subject}" if is_id(f"x.{subject}") else f"xh.{digest(subject)}"
    # A JWT without a scope claim counts as `player`. Otherwise it has the scopes it names; unknown ones are ignored.
    asked = str(claims.get("scope", PLAYER)).split()
    scopes = tuple(scope for scope in SCOPES if scope in asked)
    return Caller(player_id, _shown_name(name, player_id), scopes)


def _shown_name(name: str, player_id: str) -> str:
    """The name of a player, or the id in place of a name that could deceive.

    An issuer may give any name, and a stored name may be older than today's rules.
    """
    is_own = is_name(name) and deception_in(name) is None and not _LIKE_AN_ID.fullmatch(name)
    return name if is_own else player_id[:NAME_LENGTH_MAX]


def check_name(name: str) -> None:
    """Refuse a name that a new player or a new club can't have."""
    if not is_name(name):
        raise NameInvalid(name=name)
    problem = "it looks like the id of a player" if _LIKE_AN_ID.fullmatch(name) else deception_in(name)
    if problem is not None:
        raise NameMisleading(name=name, problem=problem)


def _is_signed(token: str) -> bool:
    """Whether a token did not come from this server, so that only an issuer can have made it."""
    return not token.startswith(TOKEN_PREFIX)


class Identities:
    """Finds the callers of tokens."""

    def __init__(
        self, tokens: TokenReader, issuer: TrustedIssuer | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._tokens, self._issuer, self._clock = tokens, issuer, clock
        self._known: OrderedDict[bytes, tuple[Caller, float]] = OrderedDict()

    def known(self, token: str) -> Caller | None:
        """The caller of a token if the cache has it, else None."""
        found = self._known.get(token_hash(token))
        return found[0] if found is not None and found[1] > self._clock() else None

    async def identify(self, token: str) -> Caller:
        """The caller of a token; refuses a token that is not valid."""
        caller = self.known(token)
        if caller is not None:
            return caller
        until = self._clock() + _CACHE_SECONDS
        if self._issuer is not None and _is_signed(token):
            caller, expires = self._issuer.caller(token)
            until = min(until, expires)
        else:
            holder = await self._tokens.holder(token_hash(token))
            if holder is None:
                raise TokenInvalid
            caller = Caller(holder.player_id, _shown_name(holder.name, holder.player_id), holder.scopes)
        self._remember(token_hash(token), caller, until)
        return caller

    def _remember(self, key: bytes, caller: Caller, until: float) -> None:
        self._known[key] = (caller, until)
        if len(self._known) > _CACHE_MAX:
            self._known.popitem(last=False)


class Registry(Identities):
    """Also registers players, and gives out, replaces and revokes tokens: only the game service does that."""

    def __init__(
        self, players: PlayerStore, issuer: TrustedIssuer | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        super().__init__(players, issuer, clock)
        self._players = players

    async def register(self, name: str, scopes: tuple[str, ...] = (PLAYER,)) -> tuple[Caller, str]:
        """A new player, and the player's token. The token is not stored, so nobody can read it again."""
        check_name(name)
        player_id, token = new_player_id(), new_token()
        await self._players.add(player_id, name, token_hash(token), scopes)
        return Caller(player_id, name, scopes), token

    async def rotate(self, token: str, caller: Caller) -> str:
        """A new token that replaces this one."""
        self._check_given_here(token)
        fresh = new_token()
        holder = TokenHolder(caller.player_id, caller.name, caller.scopes)
        if not await self._players.rotate(token_hash(token), token_hash(fresh), holder):
            raise TokenInvalid
        self._known.pop(token_hash(token), None)
        return fresh

    async def revoke(self, token: str, caller: Caller, *, everything: bool) -> None:
        """Revoke this token, or all tokens of the player. Other processes notice it within seconds."""
        self._check_given_here(token)
        if everything:
            await self._players.revoke_all(caller.player_id)
            self._known.clear()
        else:
            await self._players.revoke(token_hash(token))
            self._known.pop(token_hash(token), None)

    def _check_given_here(self, token: str) -> None:
        """Refuse a token of the issuer: this server does not store it, so it can't change or revoke it."""
        if self._issuer is not None and _is_signed(token):
            raise TokenOfIssuer
