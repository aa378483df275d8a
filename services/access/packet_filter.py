"""A filter in the system that drops all packets of some addresses to a listening socket.

Refusing a connection costs us time, and gRPC takes connections in before we can refuse them. A filter (classic BPF) works
before both: an address that is filtered out can't even connect. Any process may filter its own sockets. Where the system has no such
filters, nobody is filtered out.
"""

import ctypes
import ipaddress
import socket
import struct
import sys
from collections.abc import Sequence
from contextlib import suppress

ADDRESSES_MAX = 128
"""Each packet is compared with all of them, and the system takes at most 4,096 instructions."""
_SO_ATTACH_FILTER = 26
_SO_DETACH_FILTER = 27

_LOAD_BYTE, _LOAD_WORD, _SHIFT_RIGHT, _AND, _JUMP, _IF_EQUAL, _RETURN = 0x30, 0x20, 0x74, 0x54, 0x05, 0x15, 0x06
_NETWORK_HEADER = 0xFFF00000
"""The system's name for the place where the header of IP begins."""
_IPV4_SOURCE, _IPV6_SOURCE = _NETWORK_HEADER + 12, _NETWORK_HEADER + 8
_KEEP, _DROP = 0xFFFFFFFF, 0
_FLAGS_AT, _OPENING_FLAGS, _SYN = 13, 0x12, 0x02
"""Where the header of TCP has its flags, those that count here (SYN and ACK), and how a connection begins."""

_Instruction = tuple[int, int, int, int]


def filter_out(listening: socket.socket, addresses: Sequence[str]) -> bool:
    """Drop packets of these addresses and networks from now on, and of no others; False if the system can't do it.

    The addresses are keys of `services.access.address`; other keys are passed over.
    """
    if sys.platform != "linux":
        return False
    try:
        program = _program(addresses[:ADDRESSES_MAX])
        if program is None:
            _detach(listening)
        else:
            _attach(listening, program)
    except OSError:
        return False
    return True


def keep_newcomers_out(listening: socket.socket) -> bool:
    """Drop packets that begin a connection, and let those through that are on their way; False if the system can't do it.

    A client whose packet is dropped sends it again after a second. If this socket is closed by then, another one on the same port
    takes it. A socket that is closed without this resets the connections that nobody has taken from it yet.
    """
    if sys.platform != "linux":
        return False
    try:
        _attach(
            listening,
            [
                (_LOAD_BYTE, 0, 0, _FLAGS_AT),
                (_AND, 0, 0, _OPENING_FLAGS),
                (_IF_EQUAL, 0, 1, _SYN),
                (_RETURN, 0, 0, _DROP),
                (_RETURN, 0, 0, _KEEP),
            ],
        )
    except OSError:
        return False
    return True


def _attach(listening: socket.socket, program: Sequence[_Instruction]) -> None:
    raw = b"".join(struct.pack("HBBI", *instruction) for instruction in program)
    buffer = ctypes.create_string_buffer(raw, len(raw))
    # The system wants the number of instructions and where they are. It copies them.
    listening.setsockopt(
        socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("HP", len(program), ctypes.addressof(buffer))
    )


def _detach(listening: socket.socket) -> None:
    with suppress(FileNotFoundError):  # There was none.
        listening.setsockopt(socket.SOL_SOCKET, _SO_DETACH_FILTER, 0)


def _program(addresses: Sequence[str]) -> list[_Instruction] | None:
    """The instructions that drop these addresses; None if there are none."""
    of_ipv4, of_ipv6 = [(_LOAD_WORD, 0, 0, _IPV4_SOURCE)], list[_Instruction]()
    known = [network for address in addresses if (network := _network(address)) is not None]
    if not known:
        return None
    for network in known:
        if isinstance(network, ipaddress.IPv4Network):
            of_ipv4 += [(_IF_EQUAL, 0, 1, int(network.network_address)), (_RETURN, 0, 0, _DROP)]
        else:
            of_ipv6 += _of_network(int(network.network_address) >> 64)
    # Only a jump without a condition reaches further than 255 instructions, so each version of IP ends with a return.
    return [
        (_LOAD_BYTE, 0, 0, _NETWORK_HEADER),
        (_SHIFT_RIGHT, 0, 0, 4),
        (_IF_EQUAL, 1, 0, 4),
        (_JUMP, 0, 0, len(of_ipv4) + 1),
        *of_ipv4,
        (_RETURN, 0, 0, _KEEP),
        *of_ipv6,
        (_RETURN, 0, 0, _KEEP),
    ]


def _of_network(prefix: int) -> list[_Instruction]:
    """The instructions that drop a /64 network of IPv6 with this prefix."""
    return [
        (_LOAD_WORD, 0, 0, _IPV6_SOURCE),
        (_IF_EQUAL, 0, 3, prefix >> 32),
        (_LOAD_WORD, 0, 0, _IPV6_SOURCE + 4),
        (_IF_EQUAL, 0, 1, prefix & 0xFFFFFFFF),
        (_RETURN, 0, 0, _DROP),
    ]


def _network(address: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(address)
    except ValueError:
        return None
