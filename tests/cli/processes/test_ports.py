"""Ports that the processes of one server share, and nobody else."""

import socket
import sys
from contextlib import ExitStack, closing

import pytest

from infra.failure import CommandFailed
from services.access.packet_filter import keep_newcomers_out
from services.cli.processes.ports import ReservedPort

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux shares a port between processes like this")
HOST = "127.0.0.1"
SECONDS_MAX = 5.0


def listening(port: int) -> socket.socket:
    """A socket as a process of the server has it."""
    return socket.create_server((HOST, port), reuse_port=True)


def port_of(reserved: ReservedPort) -> int:
    return int(reserved.address.rpartition(":")[2])


def test_a_port_that_the_system_chose_is_for_all_processes_of_the_server_and_for_no_other_server() -> None:
    with closing(ReservedPort(f"{HOST}:0")) as reserved, ExitStack() as stack:
        for _ in range(2):
            with pytest.raises(CommandFailed, match="is the port taken"):
                ReservedPort(reserved.address)
            stack.enter_context(listening(port_of(reserved)))


def test_the_reserved_port_gets_no_connection_itself() -> None:
    with closing(ReservedPort(f"{HOST}:0")) as reserved:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((HOST, port_of(reserved)))
        with listening(port_of(reserved)):
            for _ in range(20):
                socket.create_connection((HOST, port_of(reserved)), timeout=SECONDS_MAX).close()


def test_a_port_that_another_program_has_is_refused() -> None:
    with socket.create_server((HOST, 0)) as other, pytest.raises(CommandFailed, match="can't listen on"):
        ReservedPort(f"{HOST}:{other.getsockname()[1]}")


@pytest.mark.parametrize("address", ["nonsense", f"{HOST}:99999"])
def test_an_address_that_is_none_is_refused_with_the_flag(address: str) -> None:
    with pytest.raises(CommandFailed, match=f"--http takes HOST:PORT, not {address}"):
        ReservedPort(address, "--http")


def test_a_socket_that_lets_nobody_new_in_can_be_closed_and_every_caller_gets_to_the_other() -> None:
    """Without the filter some of the connections would be reset, or stay with the socket that nobody reads any more."""
    with closing(ReservedPort(f"{HOST}:0")) as reserved, listening(port_of(reserved)) as stays:
        leaves = listening(port_of(reserved))
        assert keep_newcomers_out(leaves)
        plugs = [socket.socket() for _ in range(16)]
        for plug in plugs:
            plug.setblocking(False)  # noqa: FBT003 - its only argument
            plug.connect_ex((HOST, port_of(reserved)))
        leaves.settimeout(0.1)
        with pytest.raises(TimeoutError):
            leaves.accept()
        leaves.close()
        stays.settimeout(SECONDS_MAX)
        for _ in plugs:
            stays.accept()[0].close()
        for plug in plugs:
            plug.close()


def test_a_caller_who_is_on_the_way_is_still_taken_in() -> None:
    with listening(0) as leaves, socket.create_connection(leaves.getsockname()) as plug:
        assert keep_newcomers_out(leaves)
        plug.sendall(b"hello")
        taken, _ = leaves.accept()
        with taken:
            assert taken.recv(5) == b"hello"
