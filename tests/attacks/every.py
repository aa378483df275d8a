"""All attacks: importing their modules notes them down."""

from tests.attacks import of_calls, of_connections, of_reads, of_streams, of_tables, of_the_door
from tests.attacks.attack import ATTACKS

MODULES = (of_reads, of_tables, of_connections, of_streams, of_calls, of_the_door)

__all__ = ["ATTACKS", "MODULES"]
