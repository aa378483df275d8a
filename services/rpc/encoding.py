"""Turns games, events and lists into the messages of answers."""

from collections.abc import Sequence
from typing import Any

from liarsdice.v1 import game_pb2

from domain.deciding.checks import Calling
from domain.events import AnyEvent
from domain.rulebooks import BOOKS, Rulebook
from domain.views import Viewer, seen_by, view
from services.live.game import WatchedGame
from services.tables.lobby import Listing
from services.tables.seats import table_of
from services.tables.table_store import HostedTable
from services.tables.turns import due_at
from services.wire.translation import Fields, enum_names, event_fields, timestamp, view_fields

_PHASES = {name: number for number, name in enum_names(game_pb2.Phase.DESCRIPTOR).items()}
_RAISE_RULES = {name: number for number, name in enum_names(game_pb2.RaiseRule.DESCRIPTOR).items()}


def game_message(game: WatchedGame[HostedTable], viewer: Viewer, *, now: int) -> game_pb2.Game:
    """A table as a viewer sees it now."""
    return game_pb2.Game(**game_fields(game, viewer, now=now))


def game_fields(game: WatchedGame[HostedTable], viewer: Viewer, *, now: int) -> Fields:
    """The fields of a table's message, for a message that holds it."""
    table, state = game.about, game.state
    seen = view(state, viewer)
    fixed = table_of(state)
    assert seen is not None
    due = due_at(state)
    opened = table.opened
    return {
        "view": view_fields(seen),
        "version": game.version,
        "owner_id": opened.owner_id,
        "private": opened.private,
        "invitation_code": (opened.invitation_code or "") if viewer is not None else "",
        "seats_max": fixed.seats,
        "spectator_delay_seconds": opened.spectator_delay_seconds,
        "connected": game.connected_seats,
        "due": None if due is None else timestamp(due),
        "link_number": state.link_number if isinstance(state, Calling) else 0,
        "chain_length": fixed.fairness.chain_length,
        "rematch_of": (opened.rematch_of or "") if opened.delay.tells_rematch(opened.at, now) else "",
        "rematch_id": game.rematch_id or "",
        "forked_from": opened.forked_from or "",
        "forked_version": opened.forked_version or 0,
        "digest": game.digest,
    }


def events_fields(events: Sequence[AnyEvent], version: int, viewer: Viewer) -> list[Any]:
    """Events as a viewer may see them; `version` is the version of the last one."""
    first = version - len(events) + 1
    return [event_fields(number, seen_by(event, viewer)) for number, event in enumerate(events, first)]


def summary_message(listing: Listing) -> game_pb2.GameSummary:
    """A table as lists show it."""
    return game_pb2.GameSummary(
        game_id=listing.game_id,
        rulebook=listing.rulebook,
        phase=_PHASES[listing.phase],  # type: ignore[arg-type]  # the stubs want an integer type of their own
        players=listing.players,
        seats_max=listing.seats_max,
        created=timestamp(listing.created_at),
        owner_id=listing.owner_id,
        turn_seconds=listing.turn_seconds,
        private=listing.private,
        forked_from=listing.forked_from or "",
    )


def rulebook_messages() -> list[game_pb2.Rulebook]:
    """All rulebooks."""
    return [_rulebook(book) for book in BOOKS]


def _rulebook(book: Rulebook) -> game_pb2.Rulebook:
    return game_pb2.Rulebook(
        id=book.id,
        version=book.version,
        title=book.title,
        players_min=book.players_min,
        players_max=book.players_max,
        wild_name=book.wild_name,
        wild=book.wild,
        show_and_reroll=book.show_and_reroll,
        chips=book.chips_each is not None,
        wild_aces=book.wild_aces,
        raise_rules=[_RAISE_RULES[name] for name in book.raise_variants],  # type: ignore[misc]  # as above
        opener_named=book.opening_roll is None,
    )
