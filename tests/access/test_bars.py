"""Addresses that flood the server are kept out by the system itself."""

import socket
import sys
from collections.abc import Iterator

import pytest

from services.access.bars import FORGIVEN_SECONDS, SECONDS_MAX, SECONDS_MIN, Bars
from services.access.packet_filter import ADDRESSES_MAX, filter_out

FOE, FRIEND = "127.0.0.1", "127.0.0.2"

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux has such filters; elsewhere nobody is barred"
)


class Clock:
    """A clock that stands still."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server((FOE, 0)) as found:
        yield found


def is_let_in(listening: socket.socket, address: str) -> bool:
    with socket.socket(listening.family) as plug:
        plug.settimeout(0.3)
        plug.bind((address, 0))
        try:
            plug.connect(listening.getsockname()[:2])
        except TimeoutError:
            return False
        return True


def test_a_barred_address_can_not_connect_and_others_can(listening: socket.socket) -> None:
    bars, cut = Bars(), list[str]()
    bars.guard(listening, cut.append)

    bars.bar(FOE, "bytes")

    assert (is_let_in(listening, FOE), is_let_in(listening, FRIEND)) == (False, True)
    assert cut == [FOE]


def test_after_its_time_a_barred_address_is_let_in_again(listening: socket.socket) -> None:
    clock = Clock()
    bars = Bars(clock)
    bars.guard(listening, lambda _: None)
    bars.bar(FOE, "bytes")
    clock.now += SECONDS_MIN

    bars.lift()

    assert not bars.is_barred(FOE)
    assert is_let_in(listening, FOE)


def test_each_further_bar_takes_twice_as_long_until_the_address_was_quiet_for_a_while() -> None:
    clock = Clock()
    bars, took = Bars(clock), []
    for _ in range(8):
        bars.bar(FOE, "bytes")
        began = clock.now
        while bars.is_barred(FOE):
            clock.now += 1
        took.append(clock.now - began)
    clock.now += FORGIVEN_SECONDS + 1
    bars.bar(FOE, "bytes")
    clock.now += SECONDS_MIN

    assert took == [30, 60, 120, 240, 480, SECONDS_MAX, SECONDS_MAX, SECONDS_MAX]
    assert not bars.is_barred(FOE)


def test_an_address_that_is_barred_already_is_not_barred_for_longer() -> None:
    clock = Clock()
    bars = Bars(clock)
    bars.bar(FOE, "bytes")
    bars.bar(FOE, "connections")
    clock.now += SECONDS_MIN

    assert not bars.is_barred(FOE)


def test_a_bar_is_passed_on_once_and_holds_on_every_socket_of_a_shared_port() -> None:
    """As in a server of several processes: each filters its own sockets, and the kernel gives connections to any."""
    with (
        socket.create_server((FOE, 0), reuse_port=True) as one,
        socket.create_server((FOE, one.getsockname()[1]), reuse_port=True) as other,
    ):
        bars, others, cut = Bars(), Bars(), list[str]()
        bars.guard(one, lambda _: None)
        others.guard(other, cut.append)
        told = list[str]()
        bars.hearers.append(lambda address, _: told.append(address))
        others.hearers.append(lambda address, _: told.append(address))

        bars.bar(FOE, "bytes")
        assert others.join(FOE) == SECONDS_MIN

        assert told == cut == [FOE]
        assert bars.join(FOE) == others.join(FOE) == 0
        assert not any(is_let_in(one, FOE) for _ in range(6))
        assert is_let_in(one, FRIEND)


@pytest.mark.skipif(not socket.has_ipv6, reason="this system has no IPv6")
def test_a_whole_network_of_ipv6_is_filtered_out_and_another_is_not() -> None:
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as listening:
        assert filter_out(listening, ["2001:db8::/64", "::/64", FOE])
        assert not is_let_in(listening, "::1")
        assert filter_out(listening, ["2001:db8::/64", "0:0:0:1::/64"])
        assert is_let_in(listening, "::1")


def test_a_filter_holds_as_many_addresses_as_there_may_be(listening: socket.socket) -> None:
    others = [f"10.0.0.{number}" for number in range(ADDRESSES_MAX - 1)]

    assert filter_out(listening, [*others, FOE])
    assert (is_let_in(listening, FOE), is_let_in(listening, FRIEND)) == (False, True)
    networks = [f"2001:db8:0:{number:x}::/64" for number in range(ADDRESSES_MAX)]
    assert filter_out(listening, networks)
    assert is_let_in(listening, FOE)
    assert filter_out(listening, [])


def test_the_newest_bars_count_where_there_are_too_many(listening: socket.socket) -> None:
    bars = Bars(Clock())
    bars.guard(listening, lambda _: None)
    bars.bar(FOE, "bytes")
    for number in range(ADDRESSES_MAX):
        bars.bar(f"10.0.0.{number}", "bytes")

    assert is_let_in(listening, FOE)
    assert bars.is_barred("10.0.0.127")
