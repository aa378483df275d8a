"""The limits of a server, made from its settings."""

from services.access.bars import Bars
from services.access.budget import Budget
from services.access.identity import Identities
from services.access.open_streams import OpenStreams
from services.access.rate_limit import AddressLimit, RateLimit
from services.app.settings import HttpSettings, Settings
from services.rpc.gate import Gate

REGISTER_BURST_SECONDS = 30.0
"""A school class or a party that starts together registers many players from one address, so a burst is allowed."""


def limits_of_reading(settings: Settings | HttpSettings) -> tuple[OpenStreams, Budget]:
    """How many streams a caller may have open, and what heavy reads may cost."""
    # Without a limit for addresses, a proxy in front has the address of all callers.
    by_address = bool(settings.address_rate)
    streams = OpenStreams(settings.streams_max, by_address=by_address)
    return streams, Budget(settings.read_rate, by_address=by_address)


def bars_of(settings: Settings | HttpSettings) -> Bars | None:
    """What keeps addresses out that flood the server; None if nobody must be kept out."""
    # Behind a proxy all callers have its address. Then neither limit is set, and nobody must be barred.
    return Bars() if settings.address_rate and settings.address_connections else None


def gates(
    settings: Settings, identities: Identities, streams: OpenStreams, budget: Budget, bars: Bars | None
) -> tuple[Gate, Gate]:
    """The gate for all calls, and the one for calls that register a player."""
    of_player = RateLimit(settings.player_rate)
    of_address = AddressLimit(settings.address_rate, bars=bars)
    gate = Gate(identities, of_player, of_address, streams, budget, table_rate=settings.table_rate)
    if not settings.register_rate:
        return gate, gate
    # What is registered stays for ever, so all processes together register no more than one would. Each allows a class at once.
    of_registering = AddressLimit(
        settings.register_rate / settings.processes,
        REGISTER_BURST_SECONDS * settings.processes,
        what="registrations",
        shared=settings.register_shared,
    )
    return gate, Gate(identities, of_player, of_registering, streams, budget)
