"""The server's answers about games, as values."""

from collections.abc import Iterable
from typing import cast

from liarsdice.v1 import event_pb2, game_pb2, game_service_pb2, player_service_pb2

from domain.events import AnyEvent
from domain.fairness.findings import Findings
from domain.freshness import Freshness
from domain.options import RaiseRuleName
from domain.values import Value
from domain.views import GameView, Phase
from services.wire.translation import enum_names, event_of, from_message, milliseconds, view_of

_PHASES = enum_names(game_pb2.Phase.DESCRIPTOR)


class Player(Value, frozen=True):
    """The player that the client plays as."""

    player_id: str
    name: str


class Game(Value, frozen=True, kw_only=True):
    """A table: the game on it as the client may see it, and all that belongs to the table."""

    view: GameView
    version: int
    owner_id: str
    private: bool
    invitation_code: str
    """Empty if the table is open to all, or if the client may not invite to it."""
    seats_max: int
    spectator_delay_seconds: int
    connected: frozenset[int]
    """The seats whose players are connected."""
    due: int | None
    """When the time for the next move is up, in milliseconds since 1970; None without a clock."""
    link_number: int
    """The number of the link that the next roll or reroll takes, for a player who keeps the chain."""
    chain_length: int
    rematch_of: str | None
    rematch_id: str | None
    forked_from: str | None = None
    """The game that a practice game goes on from; the dice of a practice game prove nothing."""
    forked_version: int | None = None
    """How many events of that game the practice game begins with."""
    digest: bytes = b""
    """The digest of the last event, which a signature of the next move covers; empty for spectators with a delay."""


class Happened(Value, frozen=True):
    """An event with its number in the game."""

    version: int
    event: AnyEvent


class Came(Value, frozen=True):
    """A player came to a seat, or went from it."""

    seat: int
    connected: bool


class Update(Value, frozen=True):
    """How a game stands, and what happened since the last update."""

    game: Game
    events: tuple[Happened, ...] = ()
    came: Came | None = None
    proven: Findings | None = None
    """When dice are laid open to a client that keeps its chain: what all dice so far prove, by its own check."""


class Done(Value, frozen=True):
    """What a command did."""

    version: int
    events: tuple[Happened, ...]
    repeated: bool
    """Whether an earlier try of the same command did it, and only the answer was lost."""
    digest: bytes = b""
    """The digest of the last event, which a signature of the next move covers."""
    receipt: bytes = b""
    """What the log's key has signed about this version and digest; empty from servers that give no receipts."""


class Listed(Value, frozen=True, kw_only=True):
    """A table in the server's list."""

    game_id: str
    rulebook: str
    phase: Phase
    players: tuple[str, ...]
    seats_max: int
    created: int
    turn_seconds: int | None
    private: bool
    forked_from: str | None = None
    """The game that a practice game goes on from."""


class ListedPage(Value, frozen=True):
    """A page of the server's list of tables."""

    games: tuple[Listed, ...]
    freshness: Freshness | None
    """Whether tables may be missing; None if the server does not say it."""

    @property
    def is_complete(self) -> bool:
        """Whether no table is missing, as far as the server says."""
        return self.freshness is None or self.freshness.complete


class OfferedRulebook(Value, frozen=True, kw_only=True):
    """A rulebook that the server offers, and the options that it has."""

    id: str
    version: int
    title: str
    players_min: int
    players_max: int
    wild_name: str
    wild: bool
    show_and_reroll: bool
    chips: bool
    wild_aces: bool
    raise_rules: tuple[RaiseRuleName, ...]
    opener_named: bool


def player_of(message: player_service_pb2.Player) -> Player:
    """A player from the wire."""
    return Player(message.player_id, message.name)


def game_of(message: game_pb2.Game) -> Game:
    """A table from the wire."""
    return Game(
        view=view_of(message.view),
        version=message.version,
        owner_id=message.owner_id,
        private=message.private,
        invitation_code=message.invitation_code,
        seats_max=message.seats_max,
        spectator_delay_seconds=message.spectator_delay_seconds,
        connected=frozenset(message.connected),
        due=milliseconds(message.due) if message.HasField("due") else None,
        link_number=message.link_number,
        chain_length=message.chain_length,
        rematch_of=message.rematch_of or None,
        rematch_id=message.rematch_id or None,
        forked_from=message.forked_from or None,
        forked_version=message.forked_version or None,
        digest=message.digest,
    )


def happened(messages: Iterable[event_pb2.GameEvent]) -> tuple[Happened, ...]:
    """Events from the wire."""
    return tuple(Happened(message.version, event_of(message)) for message in messages)


def done_of(message: game_service_pb2.CommandResult) -> Done:
    """What a command did, from the wire."""
    return Done(message.version, happened(message.events), message.repeated_answer, message.digest, message.receipt)


def listed_of(message: game_pb2.GameSummary) -> Listed:
    """A table in a list, from the wire."""
    return Listed(
        game_id=message.game_id,
        rulebook=message.rulebook,
        phase=cast("Phase", _PHASES[message.phase]),
        players=tuple(message.players),
        seats_max=message.seats_max,
        created=milliseconds(message.created),
        turn_seconds=message.turn_seconds if message.HasField("turn_seconds") else None,
        private=message.private,
        forked_from=message.forked_from or None,
    )


def rulebook_of(message: game_pb2.Rulebook) -> OfferedRulebook:
    """A rulebook from the wire."""
    return from_message(message, OfferedRulebook)
