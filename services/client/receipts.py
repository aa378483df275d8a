"""The receipts of a player: what the server has signed about each accepted command. They are checked when they come, and kept.

A kept receipt proves what was accepted, also if the server forgets or changes it before the log has it: `liarsdice audit`
and `liarsdice verify --receipts` hold receipts against a bundle.
"""

from liarsdice.v1 import audit_service_pb2 as wire

from services.client.answers import Done
from services.client.channel import Channel
from services.client.errors import FalseServer, Refused
from services.client.receipt import public_keys, read_receipt

_KEYS_SECONDS = 5.0


class Receipts:
    """Checks the receipts of one client with the keys of the server's log."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._keys: dict[bytes, bytes] = {}

    async def check(self, game_id: str, content: bytes, done: Done | None = None) -> None:
        """Refuse a receipt that the log's key has not signed, or that is for something else than what the answer says."""
        receipt = read_receipt(content)
        if receipt is None:
            raise FalseServer(game_id, "it gives a receipt that is none")
        if done is not None and (receipt.version, receipt.digest) != (done.version, done.digest):
            raise FalseServer(game_id, f"its receipt for event {done.version} is one for another event or digest")
        if receipt.key_id not in self._keys and not await self._found_keys():
            return  # Nobody can check it now. It is kept, and checked against a bundle later.
        key = self._keys.get(receipt.key_id)
        if key is None or not receipt.is_signed_by(key, game_id):
            raise FalseServer(game_id, f"its receipt for event {receipt.version} is not signed by a key of its log")

    async def _found_keys(self) -> bool:
        """Ask for the keys of the log; returns whether the server told them."""
        try:
            asked = wire.GetCheckpointRequest()
            answer = await self._channel.ask_once(self._channel.audit.GetCheckpoint, asked, _KEYS_SECONDS)
        except Refused:
            return False
        self._keys |= public_keys(answer.keys)
        return True
