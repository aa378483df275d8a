"""The ids of the keys that seal in a store. The store notes them, so that no host seals with a key the others don't have.

Otherwise two hosts that each made their own key could both write to one store, and neither could open what the other
sealed.
"""

from infra.keys.key_ring import KeyRing
from infra.postgres.failures import StoreFailed
from infra.postgres.migrating import Connection
from infra.postgres.queries import query


class SealedWithOtherKeys(StoreFailed):
    """This store is sealed with {wanted}, but this host has only {found}: copy the key file or the LIARSDICE_KEYS of a host that has it."""


async def note_keys(connection: Connection, keys: KeyRing) -> None:
    """Note the key that will seal; refuses if a key has sealed here that is not on the ring."""
    newest = keys.newest.id.hex()
    await connection.execute(query("note_first_key"), newest)
    noted = str(await connection.fetchval(query("read_key_ids"))).split()
    if not all(keys.find(bytes.fromhex(key_id)) for key_id in noted):
        raise SealedWithOtherKeys(wanted=_named(noted), found=_named([key_id.hex() for key_id in keys.ids]))
    await connection.execute(query("note_another_key"), newest)


def _named(key_ids: list[str]) -> str:
    return f"the key {key_ids[0]}" if len(key_ids) == 1 else f"the keys {', '.join(key_ids)}"
