"""Numbers about players at the server."""

from collections.abc import AsyncIterator

from liarsdice.v1 import game_pb2
from liarsdice.v1 import statistics_service_pb2 as wire
from msgspec.structs import replace

from domain.commands import Kind
from domain.statistics.answers import (
    HeadToHead,
    Leaderboard,
    Measure,
    PlayerStatistics,
    RatingPoint,
    Span,
)
from services.client.channel import Channel
from services.client.past_answers import freshness_of
from services.wire.translation import enum_names, from_message, to_message

_PAGE_SIZE = 100
_MEASURES = {name: number for number, name in enum_names(wire.Measure.DESCRIPTOR).items()}
_KINDS = {name: number for number, name in enum_names(game_pb2.Kind.DESCRIPTOR).items()}
_ALL = Span()


class PlayersNumbers:
    """Reads statistics; docs/reference/statistics.md defines them."""

    def __init__(self, channel: Channel) -> None:
        """Use `Client.statistics`."""
        self._channel = channel

    async def player(self, player_id: str, span: Span = _ALL) -> PlayerStatistics:
        """The numbers of a player; your own, if you ask with your token, count private games too."""
        request = wire.GetPlayerStatisticsRequest(player_id=player_id, span=_span(span))
        answer = await self._channel.ask(self._channel.statistics.GetPlayerStatistics, request)
        found = from_message(answer.statistics, PlayerStatistics)
        return replace(found, freshness=freshness_of(answer))

    async def leaderboard(
        self,
        span: Span = _ALL,
        *,
        measure: Measure = "rating",
        kind: Kind | None = None,
        games_min: int = 1,
        size: int = 20,
        after: int = 0,
    ) -> Leaderboard:
        """Players in the order of a measure, the best first, after the `after` best."""
        request = wire.GetLeaderboardRequest(
            span=_span(span),
            measure=_MEASURES[measure],  # type: ignore[arg-type]  # the stubs want their own integers
            kind=_KINDS[kind],  # type: ignore[arg-type]  # as above
            games_min=games_min,
            page_size=size,
            after=after,
        )
        answer = await self._channel.ask(self._channel.statistics.GetLeaderboard, request)
        return from_message(answer, Leaderboard)

    async def head_to_head(self, player_id: str, other_id: str, span: Span = _ALL) -> HeadToHead:
        """Two players at the same tables, from the side of the first."""
        request = wire.GetHeadToHeadRequest(player_id=player_id, other_id=other_id, span=_span(span))
        answer = await self._channel.ask(self._channel.statistics.GetHeadToHead, request)
        return from_message(answer, HeadToHead)

    async def ratings(self, player_id: str, span: Span = _ALL) -> AsyncIterator[RatingPoint]:
        """The ratings of a player, the newest first; further pages are asked for as needed."""
        request = wire.GetRatingHistoryRequest(player_id=player_id, span=_span(span), page_size=_PAGE_SIZE)
        async for page in self._channel.pages(self._channel.statistics.GetRatingHistory, request):
            for point in page.points:
                yield from_message(point, RatingPoint)


def _span(span: Span) -> wire.Span:
    return to_message(span, wire.Span)
