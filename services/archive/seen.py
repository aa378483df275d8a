"""A game as one reader may see it: in a list, and event by event."""

from collections.abc import Sequence

from msgspec.structs import replace

from domain.events import AnyEvent
from domain.history.replaying import revealed
from domain.views import seen_by
from services.access.sight import Sight
from services.archive.listing import GameListing


def listed_for(sight: Sight, listing: GameListing) -> GameListing:
    """A game in a list: one whose end the reader may not know yet goes on, and a rematch of it is of no other game."""
    if not listing.delay.tells_rematch(listing.created_at, sight.now):
        listing = replace(listing, rematch_of=None)
    if listing.ended_at is None or sight.sees_end(listing.protection):
        return listing
    return replace(listing, result="running", ended_at=None, winner=None, places=(), rounds=None, events=None)


def events_for(sight: Sight, events: Sequence[AnyEvent], listing: GameListing) -> tuple[AnyEvent, ...]:
    """As much of a game as the reader may see now, with what the reveals within that have told."""
    seat = sight.seat_in(listing.protection)
    if listing.delay.applies_to(seat):
        events = listing.delay.visible(events, sight.now)
    # First cut, then filled in: what a later reveal tells is not known yet.
    filled = revealed(events)
    return tuple(
        after if after is not before else seen_by(before, seat) for before, after in zip(events, filled, strict=True)
    )
