"""Numbers about players at the server."""

from collections.abc import AsyncIterator, Sequence

from liarsdice.v1 import game_pb2
from liarsdice.v1 import statistics_service_pb2 as wire
from msgspec.structs import replace

from domain.commands import Kind
from domain.statistics.answers import (
    DecisionMade,
    DecisionsWanted,
    GameGrouping,
    GameStatistics,
    Grouping,
    HeadToHead,
    Leaderboard,
    Matrix,
    Measure,
    PlayerGroup,
    PlayerStatistics,
    RatingPoint,
    Span,
)
from services.client.channel import Channel
from services.client.past_answers import ExportedDecisions, freshness_of
from services.client.resumed_export import resumed
from services.wire.translation import enum_names, from_message, to_message

_PAGE_SIZE = 100
_MEASURES = {name: number for number, name in enum_names(wire.Measure.DESCRIPTOR).items()}
_KINDS = {name: number for number, name in enum_names(game_pb2.Kind.DESCRIPTOR).items()}
_GROUPINGS = {name: number for number, name in enum_names(wire.Grouping.DESCRIPTOR).items()}
_GAME_GROUPINGS = {name: number for number, name in enum_names(wire.GameGrouping.DESCRIPTOR).items()}
_ACTIONS = {name: number for number, name in enum_names(wire.DecisionAction.DESCRIPTOR).items()}
_PHASES = {name: number for number, name in enum_names(wire.DecisionPhase.DESCRIPTOR).items()}
_ORDERS = {name: number for number, name in enum_names(wire.DecisionOrder.DESCRIPTOR).items()}
_ALL, _ANY = Span(), DecisionsWanted()


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

    async def groups(self, player_id: str, by: Grouping, span: Span = _ALL) -> AsyncIterator[PlayerGroup]:
        """The numbers of a player, group by group; by `game` further pages are asked for as needed."""
        request = wire.GetPlayerGroupsRequest(
            player_id=player_id,
            by=_GROUPINGS[by],  # type: ignore[arg-type]  # as above
            span=_span(span),
            page_size=_PAGE_SIZE,
        )
        async for page in self._channel.pages(self._channel.statistics.GetPlayerGroups, request):
            for group in page.groups:
                yield from_message(group, PlayerGroup)

    async def matrix(self, player_ids: Sequence[str], span: Span = _ALL) -> Matrix:
        """Every player of some against every other."""
        request = wire.GetMatrixRequest(player_ids=player_ids, span=_span(span))
        answer = await self._channel.ask(self._channel.statistics.GetMatrix, request)
        return from_message(answer, Matrix)

    async def games(self, by: GameGrouping = "rulebook", span: Span = _ALL) -> GameStatistics:
        """How long public games are and what it is worth to open, group by group."""
        request = wire.GetGameStatisticsRequest(
            by=_GAME_GROUPINGS[by],  # type: ignore[arg-type]  # as above
            span=_span(span),
        )
        answer = await self._channel.ask(self._channel.statistics.GetGameStatistics, request)
        return from_message(answer, GameStatistics)

    async def decisions(
        self, player_id: str, wanted: DecisionsWanted = _ANY, span: Span = _ALL
    ) -> AsyncIterator[DecisionMade]:
        """Decisions of a player, the newest or the worst first; further pages are asked for as needed."""
        request = wire.ListPlayerDecisionsRequest(
            player_id=player_id,
            span=_span(span),
            action=_ACTIONS[wanted.action],  # type: ignore[arg-type]  # as above
            regret_min=wanted.regret_min,
            dice_left=wanted.dice_left,
            players_left=wanted.players_left,
            phase=_PHASES[wanted.phase],  # type: ignore[arg-type]  # as above
            bluff=wanted.bluff,
            order=_ORDERS[wanted.order],  # type: ignore[arg-type]  # as above
            page_size=_PAGE_SIZE,
        )
        async for page in self._channel.pages(self._channel.statistics.ListPlayerDecisions, request):
            for made in page.decisions:
                yield from_message(made, DecisionMade)

    async def export_decisions(
        self, player_id: str, wanted: DecisionsWanted = _ANY, span: Span = _ALL, after: str = ""
    ) -> AsyncIterator[ExportedDecisions]:
        """All decisions of a player, each once; an export that breaks is resumed.

        With `after`, the last `resume_token` of an earlier export with the same filters, only those of games that are new.
        """
        request = wire.ExportPlayerDecisionsRequest(
            player_id=player_id,
            span=_span(span),
            action=_ACTIONS[wanted.action],  # type: ignore[arg-type]  # as above
            regret_min=wanted.regret_min,
            dice_left=wanted.dice_left,
            players_left=wanted.players_left,
            phase=_PHASES[wanted.phase],  # type: ignore[arg-type]  # as above
            bluff=wanted.bluff,
            order=_ORDERS[wanted.order],  # type: ignore[arg-type]  # as above
            after=after,
        )
        async for message in resumed(self._channel, self._channel.statistics.ExportPlayerDecisions, request):
            decisions = tuple(from_message(made, DecisionMade) for made in message.decisions)
            freshness = freshness_of(message) if message.HasField("freshness") else None
            yield ExportedDecisions(decisions, message.resume_token, freshness)

    async def game_decisions(self, game_id: str) -> tuple[DecisionMade, ...]:
        """The decisions of a game, as far as you may see it."""
        request = wire.ListGameDecisionsRequest(game_id=game_id)
        answer = await self._channel.ask(self._channel.statistics.ListGameDecisions, request)
        return tuple(from_message(made, DecisionMade) for made in answer.decisions)

    async def ratings(self, player_id: str, span: Span = _ALL) -> AsyncIterator[RatingPoint]:
        """The ratings of a player, the newest first; further pages are asked for as needed."""
        request = wire.GetRatingHistoryRequest(player_id=player_id, span=_span(span), page_size=_PAGE_SIZE)
        async for page in self._channel.pages(self._channel.statistics.GetRatingHistory, request):
            for point in page.points:
                yield from_message(point, RatingPoint)


def _span(span: Span) -> wire.Span:
    return to_message(span, wire.Span)
