"""Statistics over real channels: what was played is counted, for those who may know it."""

import asyncio
from typing import Any, get_args

import pytest
from liarsdice.v1 import game_pb2
from liarsdice.v1 import statistics_service_pb2 as wire
from msgspec.structs import replace

from domain.history.replaying import revealed
from domain.statistics.answers import DecisionsWanted, GameGrouping, Grouping, PlayerStatistics
from domain.statistics.counting import facts_of
from services.access.caller import NOBODY
from services.access.sight import Sight
from services.archive.decisions import Decisions
from services.archive.statistics import Statistics
from services.client import Client as LibraryClient
from services.client import Refused, Span
from services.wire.translation import from_message, timestamp
from tests.infra.postgres.databases import new_database
from tests.rpc.clients import Client
from tests.rpc.servers import Player, Server, Told, on_server


async def played(server: Server, ann: Player, rulebook: str = "single-hand", **fields: Any) -> str:
    """A game that Ann has played against two bots to its end."""
    fields.setdefault("options", {"dice_each": 2})
    game_id = await server.table([ann], rulebook, **fields)
    for strategy in ("cautious", "bluffing"):
        await ann.ask("AddBot", game_id=game_id, strategy=strategy)
    await ann.ask("StartGame", game_id=game_id)
    await Client(ann, game_id, seed=1).play()
    await counted(server, game_id)
    return game_id


async def counted(server: Server, game_id: str) -> None:
    """Wait until the statistics have a game."""
    found = "SELECT count(*) FROM statistics_v2.seats WHERE game_id = $1"
    while True:
        if await server.running.archive.pool.fetchval(found, game_id):
            return
        await asyncio.sleep(0.02)


async def numbers_of(player: Player, player_id: str, **span: Any) -> Any:
    return (await player.ask("GetPlayerStatistics", player_id=player_id, span=span)).statistics


async def refusal(call: Any) -> Told:
    with pytest.raises(Told) as told:
        await call
    return told.value


def test_a_game_that_was_played_over_the_wire_is_counted_for_everybody() -> None:
    async def story(server: Server) -> None:
        ann = await server.player("Ann")
        game_id = await played(server, ann)
        events = revealed(await server.running.host.games.events(game_id))
        facts = facts_of(events)[0]
        for asking in (ann, server.stranger):
            numbers = await numbers_of(asking, ann.player_id)
            assert (numbers.name, numbers.kind, numbers.games) == ("Ann", game_pb2.KIND_HUMAN, 1)
            assert numbers.played == wire.PLAYED_ENDED
            assert numbers.rounds == facts.rounds
            assert (numbers.challenges_won.count, numbers.challenges_won.out_of) == (
                facts.challenges_won,
                facts.challenges,
            )
            assert numbers.regret.count == facts.decisions
            assert len(numbers.calibration) == 10
            assert numbers.rating.games == 1
        board = await server.stranger.ask("GetLeaderboard", measure="MEASURE_RATING")
        assert {entry.player_id for entry in board.entries} == {ann.player_id, "bot.cautious", "bot.bluffing"}
        people = await server.stranger.ask("GetLeaderboard", measure="MEASURE_WINS", kind="KIND_HUMAN")
        assert [entry.player_id for entry in people.entries] == [ann.player_id]
        compared = await server.stranger.ask("GetHeadToHead", player_id=ann.player_id, other_id="bot.cautious")
        assert (compared.games, compared.ahead.count + compared.level + compared.behind) == (1, 1)
        history = await server.stranger.ask("GetRatingHistory", player_id=ann.player_id)
        assert [point.game_id for point in history.points] == [game_id]

    on_server(story, url=new_database())


def test_private_tables_late_tables_and_practice_games_are_not_told_to_others() -> None:
    async def story(server: Server) -> None:
        ann, eve = await server.players(2)
        public = await played(server, ann)
        await played(server, ann, private=True)
        await played(server, ann, spectator_delay_seconds=600)
        practice = (await ann.ask("ForkGame", game_id=public, version=1, seat=0)).game.view.game_id
        await Client(ann, practice, seed=2).play()
        await counted(server, practice)

        own, others = await numbers_of(ann, ann.player_id), await numbers_of(eve, ann.player_id)
        assert (own.games, own.private_games, own.practice_games) == (2, 1, 1)
        assert (others.games, others.private_games, others.practice_games) == (1, 0, 1)
        assert own.rating == others.rating
        assert own.rating.games == 1
        assert (await numbers_of(eve, ann.player_id, played="PLAYED_PRACTICE")).games == 1
        for asking in (ann, eve, server.stranger):
            history = await asking.ask("GetRatingHistory", player_id=ann.player_id)
            assert [point.game_id for point in history.points] == [public]
            board = await asking.ask("GetLeaderboard", measure="MEASURE_GAMES", kind="KIND_HUMAN")
            assert [(entry.player_id, entry.games) for entry in board.entries] == [(ann.player_id, 1)]

    on_server(story, url=new_database())


def test_the_client_library_hands_out_what_the_reader_answers() -> None:
    async def story(server: Server) -> None:
        ann = await server.player("Ann")
        await played(server, ann, "bidding-track")
        await played(server, ann)
        reader = Statistics(server.running.archive.pool)
        sight = Sight(NOBODY, server.running.host.now())
        async with LibraryClient.connect(server.running.address) as client:
            for span in (
                Span(),
                Span(rulebook="single-hand"),
                Span(since=1, until=sight.now),
                Span(played="abandoned"),
            ):
                player = await client.statistics.player(ann.player_id, span)
                assert replace(player, freshness=None) == await reader.player(ann.player_id, sight, span)
                pair = await client.statistics.head_to_head(ann.player_id, "bot.cautious", span)
                assert replace(pair, freshness=None) == (
                    await reader.head_to_head(ann.player_id, "bot.cautious", sight, span)
                )
                assert player.freshness is not None
                assert pair.freshness is not None
                assert player.freshness.caught_up_to is not None
            with pytest.raises(Refused) as unknown:
                await client.statistics.player("nobody")
            assert unknown.value.reason == "NO_SUCH_PLAYER"
            for by in get_args(Grouping):
                groups = [group async for group in client.statistics.groups(ann.player_id, by)]
                assert tuple(groups) == (await reader.groups(ann.player_id, by, sight)).groups
            players = (ann.player_id, "bot.cautious", "bot.bluffing")
            matrix = await client.statistics.matrix(players)
            assert replace(matrix, freshness=None) == await reader.matrix(players, sight)
            for by_game in get_args(GameGrouping):
                games = await client.statistics.games(by_game)
                assert replace(games, freshness=None) == await reader.games(by_game, sight)
            decisions, wanted = Decisions(server.running.archive), DecisionsWanted(order="worst", action="bid")
            made = await decisions.of_player(ann.player_id, sight, Span(), wanted, limit=1_000)
            assert tuple([one async for one in client.statistics.decisions(ann.player_id, wanted)]) == made.decisions
            assert made.decisions
            game_id = made.decisions[0].game_id
            assert await client.statistics.game_decisions(game_id) == await decisions.of_game(game_id, sight)
            board = await client.statistics.leaderboard(measure="decisions", size=2)
            assert replace(board, freshness=None) == await reader.leaderboard(sight, measure="decisions", limit=2)
            assert board.more
            abandoned = await client.statistics.leaderboard(Span(played="abandoned"), measure="games")
            assert (abandoned.played, abandoned.entries) == ("abandoned", ())
            points = [point async for point in client.statistics.ratings(ann.player_id)]
            assert tuple(points) == (await reader.rating_history(ann.player_id, sight)).points
            with pytest.raises(Refused) as refused:
                await client.statistics.player(ann.player_id, Span(rulebook="go"))
            assert refused.value.reason == "NO_SUCH_RULEBOOK"
            with pytest.raises(Refused, match=r"span\.played must be ended for ratings") as refused:
                await client.statistics.leaderboard(Span(played="practice"))
            assert refused.value.reason == "FIELD_INVALID"
        history = await ann.ask("GetRatingHistory", player_id=ann.player_id, span={"until": timestamp(sight.now)})
        assert (history.played, history.until, history.HasField("since")) == (1, timestamp(sight.now), False)

    on_server(story, url=new_database())


def test_ratings_come_in_pages() -> None:
    async def story(server: Server) -> None:
        ann = await server.player("Ann")
        games = [await played(server, ann) for _ in range(3)]
        first = await ann.ask("GetRatingHistory", player_id=ann.player_id, page_size=2)
        rest = await ann.ask("GetRatingHistory", player_id=ann.player_id, page_size=2, page_token=first.next_page_token)
        assert [point.game_id for point in (*first.points, *rest.points)] == games[::-1]
        assert not rest.next_page_token

    on_server(story)


@pytest.mark.parametrize(
    ("method", "fields", "field"),
    [
        ("GetPlayerStatistics", {"player_id": ""}, "player_id"),
        ("GetPlayerStatistics", {"player_id": "no id"}, "player_id"),
        ("GetPlayerStatistics", {"player_id": "ann", "span": {"played": 99}}, "span.played"),
        ("GetPlayerStatistics", {"player_id": "ann", "span": {"since": {"seconds": -1}}}, "span.since"),
        ("GetHeadToHead", {"player_id": "ann", "other_id": "ann"}, "other_id"),
        ("GetLeaderboard", {"page_size": 101}, "page_size"),
        ("GetLeaderboard", {"measure": 77}, "measure"),
        ("GetLeaderboard", {"kind": 77}, "kind"),
        ("GetLeaderboard", {"after": -1}, "after"),
        ("GetLeaderboard", {"games_min": -1}, "games_min"),
        ("GetRatingHistory", {"player_id": "ann", "page_token": "?"}, "page_token"),
        ("ListPlayerDecisions", {"player_id": "ann", "dice_left": -1}, "dice_left"),
        ("ListPlayerDecisions", {"player_id": "ann", "players_left": 21}, "players_left"),
        ("ListPlayerDecisions", {"player_id": "ann", "action": 2, "bluff": True}, "bluff"),
    ],
)
def test_a_request_that_makes_no_sense_is_told_which_field_is_wrong(
    method: str, fields: dict[str, Any], field: str
) -> None:
    async def story(server: Server) -> None:
        told = await refusal(server.stranger.ask(method, **fields))
        assert (told.code.name, told.field) == ("INVALID_ARGUMENT", field)
        assert field != "player_id" or "1 to 64 letters, digits, dots, hyphens or underscores" in str(told)

    on_server(story)


def test_a_token_that_is_worth_nothing_is_refused_and_not_taken_for_none() -> None:
    async def story(server: Server) -> None:
        liar = Player(server.channel, "lies", "")
        assert (await refusal(numbers_of(liar, "ann"))).reason == "TOKEN_INVALID"
        public = await numbers_of(server.stranger, "bot.cautious")
        assert from_message(public, PlayerStatistics).private_games == 0

    on_server(story)
