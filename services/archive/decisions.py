"""Reading decisions: those of a player from the read model, and those of a game as far as the reader may see it."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any, NamedTuple

import asyncpg
import msgspec

from domain.deciding.gathering import book_called
from domain.naming import is_id
from domain.statistics.answers import DecisionMade, DecisionsWanted, Span
from domain.statistics.counting import decisions_of
from domain.statistics.decisions import PHASES, Decision
from domain.statistics.facts import ONE
from domain.values import Bid
from infra.workers.meter import touched
from services.access.refusals import FieldInvalid
from services.access.sight import Sight
from services.archive.archive import Archive
from services.archive.people import known_player
from services.archive.sums import days_of, decisions_query
from services.bots.names import counted_id

_MILLISECONDS = 1_000
_ENDED_AT_END, _VERSION_END = 2**62, 2**31
"""The database has no larger numbers."""
ALL = DecisionsWanted()
NOWHERE = (None, None, None, None)
"""Instead of the mark of a page before."""


class Mark(NamedTuple):
    """Where a page of decisions ended: regret, the end of the game, the game and the number of the event."""

    regret: int
    ended_at: int
    game_id: str
    version: int


class DecisionsPage(NamedTuple):
    """Some decisions, and where the page ended if there are more."""

    decisions: tuple[DecisionMade, ...]
    last: Mark | None


def mark_token(mark: Mark | None) -> str:
    """The token of a place in a list of decisions; empty for the end."""
    return "" if mark is None else urlsafe_b64encode(msgspec.json.encode(mark)).decode()


def mark_of(token: str, field: str = "page_token") -> Mark | None:
    """The place of a token; None for the beginning."""
    if not token:
        return None
    try:
        mark = msgspec.json.decode(urlsafe_b64decode(token), type=Mark)
    except (ValueError, msgspec.MsgspecError):
        mark = None
    if mark is None or not is_mark(mark):
        raise FieldInvalid(field=field, problem="must be a token from an earlier answer, unchanged")
    return mark


def is_mark(mark: Mark) -> bool:
    """Whether a mark from a token can be one of ours."""
    return (
        is_id(mark.game_id)
        and 0 <= mark.regret <= ONE
        and 0 <= mark.ended_at < _ENDED_AT_END
        and 0 <= mark.version < _VERSION_END
    )


class Decisions:
    """The decisions of a store, for reading."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    async def of_player(
        self,
        player_id: str,
        sight: Sight,
        span: Span,
        wanted: DecisionsWanted,
        *,
        limit: int,
        after: Mark | None = None,
    ) -> DecisionsPage:
        """The decisions of a player in games that everybody may know, and in private games if the player asks."""
        check_book(span)
        player = await known_player(self._archive.pool, player_id, sight)
        rows = await self._archive.pool.fetch(
            decisions_query(wanted.order, first=after is None),
            *asked_of(player.player_id, sight, span, wanted),
            *(after or NOWHERE),
            limit + 1,
        )
        last = rows[limit - 1] if len(rows) > limit else None
        mark = last and Mark(last["regret"], last["ended_at"], last["game_id"], last["version"])
        return DecisionsPage(tuple(decision_of(row) for row in rows[:limit]), mark)

    async def of_game(self, game_id: str, sight: Sight) -> tuple[DecisionMade, ...]:
        """The decisions of a game, as far as the caller may see it: those of a round once its dice are revealed."""
        listing = await self._archive.game(game_id, sight)
        events = (await self._archive.replay(game_id, sight)).replay.events
        touched(len(events))
        players = [counted_id(seat.player_id) for seat in listing.seats]
        made = decisions_of(events, listing.forked_version or 0)
        return tuple(decision_made(game_id, listing.rulebook, players[one.seat], one) for one in made)


def decision_made(game_id: str, rulebook: str, player_id: str, made: Decision) -> DecisionMade:
    """A decision as readers get it."""
    return DecisionMade(
        game_id=game_id,
        version=made.version,
        at=made.at,
        rulebook=rulebook,
        player_id=player_id,
        seat=made.seat,
        round=made.round,
        action=made.action,
        bid=made.bid,
        standing=made.standing,
        hidden=made.hidden,
        shown=made.shown,
        own_dice=made.own_dice,
        dice_left=made.dice_left,
        players_left=made.players_left,
        opened=made.opened,
        phase=made.phase,
        chance=made.chance / ONE,
        standing_chance=None if made.standing_chance is None else made.standing_chance / ONE,
        best_action=made.best_action,
        best_bid=made.best_bid,
        best_chance=made.best_chance / ONE,
        regret=made.regret / ONE,
        bluff=made.bluff,
        took_seconds=made.took / _MILLISECONDS,
        challenged_by=made.challenged_by,
        challenged_by_clock=made.challenged_by_clock,
        challenged=made.challenged,
        final_chance=None if made.final_chance is None else made.final_chance / ONE,
        won=made.won,
        exact=made.exact,
    )


def check_book(span: Span) -> None:
    """Refuse a rulebook that does not exist."""
    if span.rulebook is not None:
        book_called(span.rulebook)


def asked_of(counted: str, sight: Sight, span: Span, wanted: DecisionsWanted) -> tuple[Any, ...]:
    """What the queries for decisions of a player take first."""
    days = days_of(span)
    return (
        *(counted, sight.now, sight.caller.player_id == counted),
        *(span.rulebook, days.since, days.until, span.played),
        *(wanted.action, round(wanted.regret_min * ONE), wanted.dice_left, wanted.players_left),
        *(None if wanted.phase is None else PHASES.index(wanted.phase), wanted.bluff),
    )


def decision_of(row: asyncpg.Record) -> DecisionMade:
    """The decision in a row of the read model."""
    given: dict[str, Any] = {name: row[name] for name in _SAME}
    made = Decision(
        bid=_bid(row["quantity"], row["face"]),
        standing=_bid(row["standing_quantity"], row["standing_face"]),
        best_bid=_bid(row["best_quantity"], row["best_face"]),
        hidden=tuple(row["hidden"]),
        shown=tuple(row["shown"]),
        phase=PHASES[row["phase"]],
        **given,
    )
    return decision_made(row["game_id"], row["rulebook"], row["player_id"], made)


_SAME = frozenset(Decision.__struct_fields__) - {"bid", "standing", "best_bid", "hidden", "shown", "phase"}
"""The fields of a decision that have a column of their own name."""


def _bid(quantity: int | None, face: int | None) -> Bid | None:
    return None if quantity is None or face is None else Bid(quantity, face)
