"""A game as one reader may see it: in a list, and event by event."""

from collections.abc import Sequence

from msgspec.structs import replace

from domain.events import AnyEvent, DiceDealt
from domain.history.replaying import revealed
from domain.views import seen_by
from services.access.sight import Sight
from services.archive.listing import GameListing


def listed_for(sight: Sight, listing: GameListing) -> GameListing:
    """The listing for one reader. It leaves out the end and `rematch_of` until the reader may know them."""
    if not listing.delay.tells_rematch(listing.created_at, sight.now):
        listing = replace(listing, rematch_of=None)
    if listing.ended_at is None or sight.sees_end(listing.protection):
        return listing
    return replace(listing, result="running", ended_at=None, winner=None, places=(), rounds=None, events=None)


def events_for(sight: Sight, events: Sequence[AnyEvent], listing: GameListing) -> tuple[AnyEvent, ...]:
    """The events of a game that the reader may see now, with the secrets that these events reveal filled in."""
    seat = sight.seat_in(listing.protection)
    if listing.delay.applies_to(seat):
        events = listing.delay.visible(events, sight.now)
    # First cut, then fill in: the reader must not see what a later event reveals.
    filled = revealed(events)
    return tuple(
        after if after is not before else seen_by(before, seat) for before, after in zip(events, filled, strict=True)
    )


def with_covered_hands(events: Sequence[AnyEvent], seats: int) -> tuple[AnyEvent, ...]:
    """The events with a hidden hand for each seat, as a reader with keys gets them; without keys not even their number is read."""
    return tuple(
        replace(event, hands=(None,) * seats) if isinstance(event, DiceDealt) and event.hands is None else event
        for event in events
    )
