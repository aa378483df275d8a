"""Players and the hashes of their tokens."""

from contextlib import suppress
from typing import Any, Self

import asyncpg

from domain.values import Value
from infra.postgres.connections import PASSING, open_pool
from infra.postgres.queries import query


class TokenHolder(Value, frozen=True):
    """The player that a token belongs to, and what it allows."""

    player_id: str
    name: str
    scopes: tuple[str, ...]


class TokenReader:
    """Looks up tokens, with a role that can do nothing else."""

    _ROLE = "liarsdice_tokens"

    def __init__(self, pool: "asyncpg.Pool[Any]") -> None:
        """Use `open`."""
        self._pool = pool

    @classmethod
    async def open(cls, url: str) -> Self:
        """Connect to a store that is up to date."""
        # It connects at once, so that a login without the role is refused now and not at the first token.
        return cls(await open_pool(url, cls._ROLE, size_min=1))

    async def close(self) -> None:
        """Disconnect; it is no error if the server is gone."""
        with suppress(*PASSING):
            await self._pool.close()

    async def holder(self, token_hash: bytes) -> TokenHolder | None:
        """The holder of a token; None if it is unknown or revoked."""
        row = await self._pool.fetchrow(query("find_token"), token_hash)
        return None if row is None else TokenHolder(row["player_id"], row["name"], tuple(row["scopes"]))


class PlayerStore(TokenReader):
    """The players of a store, for the service that registers them."""

    _ROLE = "liarsdice_appender"

    async def add(self, player_id: str, name: str, token_hash: bytes, scopes: tuple[str, ...]) -> None:
        """Store a token, and its player if the player is new."""
        async with self._pool.acquire() as connection, connection.transaction():
            await connection.execute(query("add_player"), player_id, name)
            await connection.execute(query("add_token"), token_hash, player_id, scopes)

    async def rotate(self, old_hash: bytes, new_hash: bytes, holder: TokenHolder) -> bool:
        """Replace a token by another; False if the old one was revoked already."""
        async with self._pool.acquire() as connection, connection.transaction():
            if await connection.fetchval(query("revoke_token"), old_hash) is None:
                return False
            await connection.execute(query("add_token"), new_hash, holder.player_id, holder.scopes)
            return True

    async def revoke(self, token_hash: bytes) -> None:
        """Revoke a token."""
        await self._pool.execute(query("revoke_token"), token_hash)

    async def revoke_all(self, player_id: str) -> None:
        """Revoke all tokens of a player."""
        await self._pool.execute(query("revoke_tokens"), player_id)
