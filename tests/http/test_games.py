"""Games over HTTP: readers get what was played, and the same as over gRPC."""

import asyncio
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.events import AnyEvent, DiceDealt
from domain.history.record import decode_record
from domain.notation import read_game
from domain.rulebooks import BOOKS
from domain.views import view, view_of_all
from services.http.events import typed
from services.verifier import verify
from services.wire.translation import event_of, view_of
from tests.http.readers import API, HTTP_SETTINGS, Site, on_site
from tests.infra.postgres.databases import new_database
from tests.servers import projected


def as_json(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def test_a_page_after_the_other_leads_through_all_games_exactly_once_newest_first() -> None:
    async def story(site: Site) -> None:
        players = await site.server.players(2)
        games = [await site.server.table(players) for _ in range(7)]
        for game_id in games:
            await site.listed(game_id)
        for size in (1, 3, 7, 100):
            found, path = [], f"{API}/games?page_size={size}"
            while path:
                answer = await site.get(path)
                page = answer.json()
                assert len(page["games"]) <= size
                found += [game["game_id"] for game in page["games"]]
                assert ("next" in answer.links) == (page["next_page_token"] is not None)
                path = answer.links.get("next", {}).get("url", "")
            assert found == games[::-1]

    on_site(story, url=new_database())


def test_a_single_game_is_told_as_it_is_also_where_the_list_is_behind() -> None:
    async def story(site: Site) -> None:
        ann, bob = await site.server.players(2)
        game_id = await site.server.bidding([ann, bob])
        assert (await site.read(f"/games/{game_id}"))["result"] == "running"
        await ann.ask("Forfeit", game_id=game_id)

        told = await site.read(f"/games/{game_id}")

        assert told["result"] == "ended"
        assert told["winner"] == 1
        assert not (await site.read("/games"))["games"]

    on_site(story, url=new_database(), settings=replace(HTTP_SETTINGS, projects=False))


def test_games_are_found_by_player_book_result_time_and_practice() -> None:
    async def story(site: Site) -> None:
        ended, clients = await site.played("pirates")
        owner = clients[0].player
        gathering = await site.server.table([owner], "palafico")
        asked = {"game_id": ended, "version": 20, "seat": 0}
        practice = (await owner.ask("ForkGame", **asked)).game.view.game_id
        await site.listed(gathering)
        await site.listed(practice)
        created = (await site.read(f"/games/{gathering}"))["created_at"]

        async def found(**wanted: Any) -> set[str]:
            return {game["game_id"] for game in (await site.read("/games", params=wanted))["games"]}

        assert await found() == {ended, gathering}
        assert await found(practice="with") == {ended, gathering, practice}
        assert await found(practice="only") == {practice}
        assert await found(player=owner.player_id) == {ended, gathering}
        assert await found(player=clients[1].player.player_id) == {ended}
        assert await found(player="bot.cautious") == set()
        assert (await site.refused("games?player=nobody"))["reason"] == "NO_SUCH_PLAYER"
        newcomer = await site.server.player("Newcomer")
        mine = await site.read("/games", newcomer, params={"player": newcomer.player_id})
        assert mine["games"] == [], "you know that you are a player"
        assert await found(rulebook="palafico") == {gathering}
        assert await found(result="ended") == {ended}
        assert await found(result="running") == set()
        assert await found(until=created) == {ended}
        assert await found(since=str(created)) == {gathering}
        assert await found(since="1970-01-01", until="2020-01-01T00:00:00+02:00") == set()
        assert await found(since="2020-01-01T00:00:00Z", rulebook="pirates", result="ended") == {ended}

    on_site(story, url=new_database())


@pytest.mark.parametrize("rulebook", [book.id for book in BOOKS])
def test_record_steps_and_views_are_those_of_grpc(rulebook: str) -> None:
    async def story(site: Site) -> None:
        game_id, clients = await site.played(rulebook, 3, options={"dice_each": 3})
        eve = await site.server.player("Eve")
        record = await eve.ask("GetRecord", game_id=game_id)
        assert (await site.get(f"{API}/games/{game_id}/record")).content == record.record
        text = await site.read(f"/games/{game_id}/record?format=notation")
        assert read_game(text) == decode_record(record.record)
        asked_for = {"Accept": "text/plain, application/json;q=0.5"}
        assert await site.read(f"/games/{game_id}/record", headers=asked_for) == text

        told = await eve.ask("ListSteps", game_id=game_id)
        steps = await site.read(f"/games/{game_id}/steps")
        assert steps["last_version"] == told.last_version == len(clients[0].events)
        assert [step["event"] for step in steps["steps"]] == [as_json(typed(event_of(one.event))) for one in told.steps]
        last = told.last_version
        for version in range(1, last + 1, 7):
            for asked, eyes in (
                ({"seat": 1}, {"seat": 1}),
                ({}, {"spectator": {}}),
                ({"everything": True}, {"everything": {}}),
            ):
                shown = await site.read(f"/games/{game_id}/steps/{version}", params=asked)
                step = await eve.ask("GetStep", game_id=game_id, version=version, viewpoint=eyes)
                assert shown["view"] == as_json(view_of(step.view))
                assert shown["step"]["event"] == as_json(typed(event_of(step.step.event)))

    on_site(story)


def test_steps_come_in_pages_that_lead_to_each_other() -> None:
    async def story(site: Site) -> None:
        game_id, clients = await site.played()
        path, versions = f"{API}/games/{game_id}/steps?page_size=10", []
        while path:
            answer = await site.get(path)
            versions += [step["version"] for step in answer.json()["steps"]]
            path = answer.links.get("next", {}).get("url", "")

        assert versions == list(range(1, len(clients[0].events) + 1))

    on_site(story)


def test_a_game_that_goes_on_is_shown_as_it_stands_without_hidden_dice() -> None:
    async def story(site: Site) -> None:
        players = await site.server.players(2)
        game_id = await site.server.bidding(players)
        await site.listed(game_id)
        state, version = await site.server.running.host.games.load(game_id)
        for reader in (None, players[0]):
            steps = await site.read(f"/games/{game_id}/steps", reader)
            events = await site.server.running.host.games.events(game_id)
            assert [step["event"] for step in steps["steps"]] == [as_json(typed(hidden(event))) for event in events]
            assert not steps["final"]
            shown = await site.read(f"/games/{game_id}/steps/{version}?everything=true", reader)
            assert shown["view"] == as_json(view(state, None)) != as_json(view_of_all(state))
            await site.eventually(f"/games/{game_id}", lambda game: game["result"] == "running")
            assert (await site.read(f"/games/{game_id}/record", reader))["rounds"] == []

    on_site(story)


def hidden(event: AnyEvent) -> AnyEvent:
    """An event as a reader without any key sees it."""
    return replace(event, hands=None, server_link=None) if isinstance(event, DiceDealt) else event


def test_the_rounds_of_a_game_tell_their_steps_their_leaves_and_who_disputes_them() -> None:
    async def story(site: Site) -> None:
        game_id, clients = await site.played()
        await clients[0].player.ask("OpenDispute", game_id=game_id, round=1, reason="I counted differently.")
        await site.server.running.logbook.caught_up(10)
        rounds = (await site.read(f"/games/{game_id}/rounds"))["rounds"]
        told = (await clients[0].player.ask("ListSteps", game_id=game_id)).rounds

        assert [(one["number"], one["first_version"], one["last_version"], one["leaf_index"]) for one in rounds] == [
            (one.number, one.first_version, one.last_version, one.leaf_index) for one in told
        ]
        assert rounds[0]["disputes"] == [{"seat": 0, "stands": True, "closed": False}]
        assert not rounds[1]["disputes"]

    on_site(story)


def test_bundles_of_rounds_and_games_hold_before_the_verifier() -> None:
    async def story(site: Site) -> None:
        game_id, _ = await site.played()
        for path, rounds in ((f"/games/{game_id}/rounds/1/audit", 1), (f"/games/{game_id}/audit", None)):
            answer = await site.get(f"{API}{path}")
            report = await asyncio.to_thread(verify, answer.content)
            assert report.game_id == game_id
            assert len(report.rounds) == rounds or rounds is None
            assert answer.headers["content-disposition"].startswith("attachment; filename=")
        (key,) = (await site.read("/checkpoints/keys"))["keys"]
        assert answer.json()["key"] == key
        assert (await site.refused(f"games/{game_id}/rounds/99/audit"))["reason"] == "ROUND_NOT_OVER"
        running = await site.server.bidding(await site.server.players(2))
        assert (await site.refused(f"games/{running}/audit"))["reason"] == "GAME_NOT_OVER_YET"

    on_site(story)


def test_the_log_has_checkpoints_and_proofs_that_it_only_grew() -> None:
    async def story(site: Site) -> None:
        assert (await site.refused("checkpoint"))["reason"] == "NO_CHECKPOINT"
        await site.played()
        await site.server.running.logbook.caught_up(10)
        eve = await site.server.player("Eve")
        told = await eve.ask("GetCheckpoint")
        assert (await site.get(f"{API}/checkpoint")).content == told.checkpoint
        size = int(told.checkpoint.splitlines()[1])
        assert (await site.get(f"{API}/checkpoints/{size}")).content == told.checkpoint
        assert (await site.refused(f"checkpoints/{size + 1}"))["reason"] == "NO_CHECKPOINT"
        proof = await site.read("/checkpoints/consistency", params={"old_size": 1, "new_size": size})
        hashes = (await eve.ask("GetConsistencyProof", old_size=1, new_size=size)).hashes
        assert proof["hashes"] == as_json(list(hashes))
        problem = await site.refused("checkpoints/consistency", params={"old_size": 1, "new_size": size + 1})
        assert problem["reason"] == "SIZES_NOT_IN_LOG"

    on_site(story, url=new_database())


def test_players_are_found_by_the_beginning_of_a_name_page_by_page() -> None:
    async def story(site: Site) -> None:
        names = ["Ann", "anna", "Bob", "_%\\", "Zoë 🎲"]
        owner = await site.server.player("Owner")
        others = [await site.server.player(name) for name in names]
        game_id = await site.server.bidding([owner, *others])
        annabel = await site.server.player("Annabel")
        hidden = await site.server.bidding([annabel, await site.server.player("Anton")], private=True)
        assert (await site.refused(f"players/{owner.player_id}"))["reason"] == "NO_SUCH_PLAYER"
        for quitting, game in (([annabel], hidden), (others, game_id)):
            for player in quitting:
                await player.ask("Forfeit", game_id=game)
            await projected(site.server.running, game)
        await site.eventually("/players", lambda page: len(page["players"]) == len(names) + 1)

        async def found(**asked: Any) -> list[str]:
            return [player["name"] for player in (await site.read("/players", params=asked))["players"]]

        assert await found(name="AN") == ["Ann", "anna"]
        assert await found(name="%") == []
        assert await found(name="_") == ["_%\\"]
        assert await found(name="zoë") == ["Zoë 🎲"]
        every, path = [], f"{API}/players?page_size=2"
        while path:
            answer = await site.get(path)
            every += answer.json()["players"]
            path = answer.links.get("next", {}).get("url", "")
        assert sorted(player["name"] for player in every) == sorted([*names, "Owner"])
        ann = next(player for player in every if player["name"] == "Ann")
        shown = await site.read(f"/players/{ann['player_id']}")
        assert shown.pop("freshness")["complete"]
        assert shown == {**ann, "kind": "human", "games": 1}
        assert (await site.refused("players/nobody"))["reason"] == "NO_SUCH_PLAYER"

    on_site(story, url=new_database())


def test_statistics_are_those_of_grpc() -> None:
    async def story(site: Site) -> None:
        game_id, clients = await site.played()
        await projected(site.server.running, game_id)
        ann, bob = (client.player for client in clients)
        await site.eventually("/leaderboards", lambda board: len(board["entries"]) == 2)
        told = (await ann.ask("GetPlayerStatistics", player_id=ann.player_id)).statistics
        numbers = await site.read(f"/players/{ann.player_id}/statistics")
        assert (numbers["games"], numbers["rounds"], numbers["wins"]["count"]) == (1, told.rounds, told.wins.count)
        board = await site.read("/leaderboards", params={"measure": "wins", "page_size": 1})
        best = (await ann.ask("GetLeaderboard", measure="MEASURE_WINS", page_size=1)).entries[0]
        assert [(one["player_id"], one["value"]) for one in board["entries"]] == [(best.player_id, best.value)]
        assert board["more"]
        both = await site.read("/head-to-head", params={"player": ann.player_id, "other": bob.player_id})
        assert (both["games"], both["ahead"]["count"] + both["behind"]) == (1, 1)
        practice = await site.read("/leaderboards", params={"measure": "wins", "played": "practice"})
        assert (practice["played"], practice["entries"]) == ("practice", [])
        ratings = await site.read(f"/players/{ann.player_id}/ratings?since=2020-01-01")
        assert (ratings["since"], ratings["until"], ratings["played"]) == (1_577_836_800_000, None, "ended")
        points = ratings["points"]
        assert [point["game_id"] for point in points] == [game_id]
        problem = await site.refused("head-to-head", params={"player": ann.player_id, "other": ann.player_id})
        assert problem["reason"] == "FIELD_INVALID"

    on_site(story, url=new_database())


def test_the_rulebooks_are_those_that_the_server_plays() -> None:
    async def story(site: Site) -> None:
        books = (await site.read("/rulebooks"))["rulebooks"]
        assert [(book["id"], book["players_min"], book["players_max"]) for book in books] == [
            (book.id, book.players_min, book.players_max) for book in BOOKS
        ]

    on_site(story)
