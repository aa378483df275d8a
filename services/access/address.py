"""The address of a caller, as limits count it."""

import ipaddress
from functools import lru_cache
from urllib.parse import unquote

_PEERS_MAX = 4_096
_NETWORK_BITS = 64
"""One machine with IPv6 usually has a whole /64 network to itself, so an address in it says nothing."""


@lru_cache(_PEERS_MAX)
def limit_key(peer: str) -> str:
    """The key by which limits know a caller: an IPv4 address, an IPv6 network, or the kind of another peer.

    gRPC writes `ipv4:127.0.0.1:5000`, `ipv6:%5B::1%5D:5000` and `unix:`. HTTP names the host alone.
    """
    kind, _, rest = peer.partition(":")
    host = unquote(rest).rpartition(":")[0] if kind in {"ipv4", "ipv6"} else peer
    try:
        address = ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return kind
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((int(address), _NETWORK_BITS), strict=False))
