"""Gives a receipt for every accepted command, with one signature for all commands of a turn of the event loop.

A group commit wakes all its callers in one turn, so under load a signature is shared by as many commands as a commit.
"""

import asyncio

from infra.keys.log_keys import SignerRing
from infra.log.receipts import SIZE_MAX, Accepted, sign_receipts

_NONE = b""


class Receipts:
    """Signs receipts."""

    def __init__(self, signers: SignerRing) -> None:
        self._signers = signers
        self._waiting: list[tuple[Accepted, asyncio.Future[bytes]]] = []

    async def receipt(self, game_id: str, version: int, digest: bytes) -> bytes:
        """The receipt for a command that is stored; none (empty) if its event is older than digests."""
        if not digest:
            return _NONE
        loop = asyncio.get_running_loop()
        future: asyncio.Future[bytes] = loop.create_future()
        if not self._waiting:
            loop.call_soon(self._sign)
        self._waiting.append((Accepted(game_id, version, digest), future))
        return await future

    def _sign(self) -> None:
        """Sign for all that wait by now, those who have given up included: nothing about them has to be secret."""
        waiting, self._waiting = self._waiting[:SIZE_MAX], self._waiting[SIZE_MAX:]
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._sign)
        try:
            receipts = sign_receipts([accepted for accepted, _ in waiting], self._signers.newest)
        except Exception as error:  # noqa: BLE001 - whatever it is, every caller waits for an answer
            for _, future in waiting:
                if not future.done():
                    future.set_exception(error)
            return
        for (_, future), receipt in zip(waiting, receipts, strict=True):
            if not future.done():
                future.set_result(receipt)
