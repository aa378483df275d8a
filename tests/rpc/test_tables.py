"""Tables: private ones, lists of them, bots, rematches."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from liarsdice.v1 import game_pb2

from domain.fairness.chain import make_chain
from services.tables import lobby
from services.tables.lobby import Lobby
from tests.infra.postgres.databases import new_database
from tests.rpc.servers import Player, Server, Told, on_server, server
from tests.rpc.test_signing import PUBLIC


def test_a_private_table_is_found_seen_and_joined_only_with_its_code() -> None:
    async def story(server: Server) -> None:
        ann, bob, eve = await server.players(3)
        game = (await ann.ask("CreateGame", rulebook="single-hand", private=True)).game
        game_id, code = game.view.game_id, game.invitation_code

        for wrong in ("", "wrong", code.upper(), code + "\0", "🎲"):
            for method in ("JoinGame", "GetGame"):
                with pytest.raises(Told, match="PERMISSION_DENIED INVITATION_WRONG") as caught:
                    await eve.ask(method, game_id=game_id, invitation_code=wrong)
                assert code not in str(caught.value.raw)
            with pytest.raises(Told, match="INVITATION_WRONG"):
                await anext(eve.watch(game_id, invitation_code=wrong))
        joined = await bob.ask("JoinGame", game_id=game_id, invitation_code=code)
        watched = await eve.watch(game_id, invitation_code=code).next("snapshot")

        assert joined.game.invitation_code == code
        assert not watched.invitation_code
        assert [await listed(player, game_id) for player in (ann, bob, eve)] == [True, True, False]

    on_server(story)


async def listed(player: Player, game_id: str) -> bool:
    answer = await player.ask("ListGames", page_size=100)
    return game_id in {game.game_id for game in answer.games}


def test_tables_are_listed_newest_first_page_by_page() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        made = [await server.table([ann]) for _ in range(5)]
        pages: list[list[str]] = []
        token = ""
        while not pages or token:
            answer = await ann.ask("ListGames", page_size=2, page_token=token)
            pages.append([game.game_id for game in answer.games])
            token = answer.next_page_token

        assert [len(page) for page in pages] == [2, 2, 1]
        assert sorted(game_id for page in pages for game_id in page) == sorted(made)
        assert pages[0][0] == made[-1]

    on_server(story, url=new_database())


def test_the_token_of_a_page_is_worth_nothing_in_another_list_and_pages_may_differ_in_size() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        for _ in range(3):
            await server.table([ann])
        first = await ann.ask("ListGames", mine=True, page_size=1)

        others: list[dict[str, Any]] = [{}, {"rulebook": "palafico"}, {"mine": True, "joinable": True}]
        for other in others:
            with pytest.raises(Told, match=r"FIELD_INVALID: .* same filters") as caught:
                await ann.ask("ListGames", page_token=first.next_page_token, **other)
            assert caught.value.field == "page_token"
        with pytest.raises(Told, match="FIELD_INVALID"):
            await ann.ask("ListPastGames", page_token=first.next_page_token)
        rest = await ann.ask("ListGames", mine=True, page_size=2, page_token=first.next_page_token)

        assert len({game.game_id for game in (*first.games, *rest.games)}) == 3
        assert not rest.next_page_token

    on_server(story)


def test_tables_are_found_by_rulebook_phase_seat_and_free_seats() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        open_table = await server.table([ann], "pirates")
        full = await server.table([ann, bob], seats_max=2)
        running = await server.bidding([ann, bob])
        of_bob = await server.table([bob])

        async def found(player: Player, **wanted: Any) -> set[str]:
            return {game.game_id for game in (await player.ask("ListGames", **wanted)).games}

        assert await found(ann) == {open_table, full, running, of_bob}
        assert await found(ann, rulebook="pirates") == {open_table}
        assert await found(ann, phases=[game_pb2.PHASE_BIDDING]) == {running}
        assert await found(ann, mine=True) == {open_table, full, running}
        assert await found(ann, joinable=True) == {open_table, of_bob}
        assert await found(bob, joinable=True, mine=True) == {of_bob}
        assert await found(ann, rulebook="palafico") == set()

    on_server(story, url=new_database())


@pytest.mark.parametrize(
    "wanted",
    [
        {"page_size": -1},
        {"page_size": 101},
        {"page_token": "x"},
        {"page_token": "🎲"},
        {"phases": [0]},
        {"phases": [99]},
    ],
)
def test_a_list_that_can_not_be_made_is_refused(wanted: dict[str, Any]) -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        with pytest.raises(Told, match="INVALID_ARGUMENT FIELD_INVALID") as caught:
            await ann.ask("ListGames", **wanted)
        assert caught.value.field == next(iter(wanted))

    on_server(story)


def test_a_list_of_a_rulebook_that_there_is_not_is_refused_as_a_table_of_it_is() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        refusals = []
        for method in ("CreateGame", "ListGames"):
            with pytest.raises(Told, match="INVALID_ARGUMENT NO_SUCH_RULEBOOK: There is no rulebook go") as caught:
                await ann.ask(method, rulebook="go")
            refusals.append(caught.value.raw)
        assert refusals[0] == refusals[1]

    on_server(story)


def test_of_a_table_with_a_delay_the_list_tells_no_more_than_spectators_have_seen() -> None:
    async def story(server: Server) -> None:
        ann, bob, eve = await server.players(3)
        game_id = await server.table([ann, bob], spectator_delay_seconds=2)

        async def phases(**wanted: Any) -> list[Any]:
            listed = [(await player.ask("ListGames", **wanted)).games for player in (eve, ann)]
            return [game.phase for games in listed for game in games]

        assert await phases(joinable=True) == [game_pb2.PHASE_GATHERING] * 2
        await ann.ask("StartGame", game_id=game_id, opener=0)
        await ann.sees(game_id, lambda game: any(seat.hidden_count for seat in game.view.seats))
        assert await phases() == [game_pb2.PHASE_ROLLING] * 2
        assert await phases(phases=[game_pb2.PHASE_BIDDING]) == []
        await ann.ask("Forfeit", game_id=game_id)
        watched = eve.watch(game_id, include_game=True)
        assert await phases(phases=[game_pb2.PHASE_ENDED]) == []
        assert await phases(phases=[game_pb2.PHASE_ROLLING]) == [game_pb2.PHASE_ROLLING] * 2
        while (await watched.next("update")).game.view.phase != game_pb2.PHASE_ENDED:
            pass
        while not await phases(phases=[game_pb2.PHASE_ENDED]):
            pass
        assert await phases() == [game_pb2.PHASE_ENDED] * 2

    on_server(story, url=new_database())


def test_the_end_of_a_table_with_a_delay_is_listed_also_if_no_server_ran_when_it_was_time() -> None:
    url = new_database()

    async def story() -> None:
        async with server(url) as first:
            ann, bob = await first.players(2)
            game_id = await first.bidding([ann, bob], spectator_delay_seconds=1)
            await ann.ask("Forfeit", game_id=game_id)
            assert [game.phase for game in (await ann.ask("ListGames")).games] == [game_pb2.PHASE_ROLLING]
        await asyncio.sleep(1)
        async with server(url) as second:
            ann = Player(second.channel, ann.token)
            while not (await ann.ask("ListGames", phases=[game_pb2.PHASE_ENDED])).games:
                pass

    asyncio.run(story())


def test_a_bot_can_be_sent_away_and_a_person_can_not() -> None:
    async def story(server: Server) -> None:
        ann, bob, eve = await server.players(3)
        game_id = await server.table([ann, bob])
        await ann.ask("AddBot", game_id=game_id)

        for seat in (-1, 0, 1, 3, 2**31 - 1):
            with pytest.raises(Told, match="NOT_FOUND NOT_A_BOT"):
                await ann.ask("LeaveGame", game_id=game_id, bot_seat=seat)
        with pytest.raises(Told, match="NOT_THE_OWNER"):
            await eve.ask("LeaveGame", game_id=game_id, bot_seat=2)
        await ann.ask("LeaveGame", game_id=game_id, bot_seat=2)
        await bob.ask("LeaveGame", game_id=game_id)

        assert len((await ann.ask("GetGame", game_id=game_id)).game.view.seats) == 1

    on_server(story)


def test_a_strategy_that_no_bot_has_is_refused_with_those_there_are() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        game_id = await server.table([ann])
        with pytest.raises(Told, match="INVALID_ARGUMENT NO_SUCH_STRATEGY") as caught:
            await ann.ask("AddBot", game_id=game_id, strategy="reckless")
        assert caught.value.metadata["strategies"] == "cautious, calculating, bluffing"

    on_server(story)


def test_a_rematch_has_the_same_settings_and_bots_and_whoever_asks_gets_a_seat_at_the_same_table() -> None:
    async def story(server: Server) -> None:
        ann, bob, eve = await server.players(3)
        game_id = await server.table([ann, bob], private=True, options={"dice_each": 3})
        await ann.ask("AddBot", game_id=game_id, strategy="bluffing")
        await ann.ask("StartGame", game_id=game_id)
        with pytest.raises(Told, match="GAME_NOT_OVER"):
            await ann.ask("CreateRematch", game_id=game_id)
        for player in (ann, bob):
            await player.ask("Forfeit", game_id=game_id)

        with pytest.raises(Told, match="NOT_SEATED"):
            await eve.ask("CreateRematch", game_id=game_id)
        answers = await asyncio.gather(
            *(player.ask("CreateRematch", game_id=game_id) for player in (bob, ann, bob)), return_exceptions=True
        )
        again = (await bob.ask("CreateRematch", game_id=game_id)).game
        before = (await bob.ask("GetGame", game_id=game_id)).game

        assert not [answer for answer in answers if isinstance(answer, Exception)]
        assert before.rematch_id == again.view.game_id
        assert again.rematch_of == game_id
        assert again.view.options.dice_each == 3
        assert again.private
        seats = [(seat.player_id, seat.kind) for seat in again.view.seats]
        assert sorted(kind for _, kind in seats) == [game_pb2.KIND_HUMAN, game_pb2.KIND_HUMAN, game_pb2.KIND_BOT]
        assert {ann.player_id, bob.player_id} <= {player_id for player_id, _ in seats}

    on_server(story)


def test_at_one_table_no_two_names_look_alike_and_nobody_loses_a_seat_for_a_name() -> None:
    async def story(server: Server) -> None:
        players = [await server.player(name) for name in ("ace", "ACE", "асе", "Bob")]  # noqa: RUF001 - the third is Cyrillic
        game_id = await server.table(players)
        await players[0].ask("AddBot", game_id=game_id)
        view = (await players[0].ask("GetGame", game_id=game_id)).game.view

        names = [seat.name for seat in view.seats]
        assert names == ["ace", "ACE (2)", "асе (3)", "Bob", "Bot Ada"]  # noqa: RUF001 - as above

    on_server(story)


@pytest.mark.parametrize("signs", [False, True])
def test_a_rematch_gives_a_player_with_a_chain_no_seat_that_is_trusted_to_the_server(*, signs: bool) -> None:
    """The player would not notice that the new seat is weaker than the old one."""

    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        created = (await ann.ask("CreateGame", rulebook="single-hand", private=True, without_seat=True)).game
        code, length, key = created.invitation_code, created.chain_length, PUBLIC if signs else b""

        async def sit_down(game_id: str) -> Any:
            chain = make_chain(b"b" * 32, game_id, length)
            request = {"game_id": game_id, "invitation_code": code, "anchor": chain.anchor, "signing_key": key}
            return (await bob.ask("JoinGame", **request)).game

        game_id = created.view.game_id
        await ann.ask("JoinGame", game_id=game_id)
        await ann.ask("AddBot", game_id=game_id)
        await sit_down(game_id)
        await ann.ask("StartGame", game_id=game_id)
        await ann.ask("Forfeit", game_id=game_id)
        root = await server.player("Root", ("admin",))
        await root.ask("AbandonGame", game_id=game_id, reason="enough")

        rematch = (await bob.ask("CreateRematch", game_id=game_id)).game
        assert not rematch.view.HasField("viewer")
        assert [seat.kind for seat in rematch.view.seats] == [game_pb2.KIND_BOT]
        code = rematch.invitation_code
        assert code
        again = (await ann.ask("CreateRematch", game_id=game_id, without_seat=True)).game
        assert (again.view.game_id, again.view.HasField("viewer")) == (rematch.view.game_id, False)
        seated = (await ann.ask("CreateRematch", game_id=game_id)).game
        assert seated.view.seats[seated.view.viewer].chain_held_by == game_pb2.CHAIN_HELD_BY_SERVER
        joined = await sit_down(rematch.view.game_id)

        assert joined.view.seats[joined.view.viewer].chain_held_by == game_pb2.CHAIN_HELD_BY_PLAYER
        assert (await bob.ask("CreateRematch", game_id=game_id)).game.view.viewer == joined.view.viewer

    on_server(story)


def test_bots_of_the_server_play_a_whole_game_with_a_person() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        game_id = await server.table([ann], "palafico")
        for strategy in ("cautious", "calculating", "bluffing"):
            await ann.ask("AddBot", game_id=game_id, strategy=strategy)
        await ann.ask("StartGame", game_id=game_id)
        await ann.ask("Forfeit", game_id=game_id)

        game = await ann.sees(game_id, lambda game: game.view.phase == game_pb2.PHASE_ENDED)

        assert game.view.winner != 0
        assert list(game.view.places[-1].seats) == [0]

    on_server(story)


def test_the_owner_of_a_private_table_has_its_code_also_without_a_seat_and_strangers_never() -> None:
    async def story(server: Server) -> None:
        ann, bob, eve = await server.players(3)
        created = await ann.ask("CreateGame", rulebook="pirates", private=True, without_seat=True)
        code, game_id = created.game.invitation_code, created.game.view.game_id

        assert code
        assert (await ann.ask("GetGame", game_id=game_id)).game.invitation_code == code
        assert (await bob.ask("JoinGame", game_id=game_id, invitation_code=code)).seat == 0
        watched = await eve.watch(game_id, invitation_code=code).next("snapshot")
        assert not watched.invitation_code
        assert not (await eve.ask("GetGame", game_id=game_id, invitation_code=code)).game.invitation_code

    on_server(story)


def test_the_list_of_tables_says_whether_some_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(server: Server) -> None:
        go_on, take = asyncio.Event(), Lobby._take  # noqa: SLF001 - what takes long after many games at once

        async def held_up(self: Lobby, lane: int, batch: Sequence[Any]) -> bool:
            await go_on.wait()
            return await take(self, lane, batch)

        monkeypatch.setattr(Lobby, "_take", held_up)
        monkeypatch.setattr(lobby, "WAIT_SECONDS_MAX", 0.05)
        ann = await server.player("Ann")
        game_id = await server.table([ann])
        listed = await ann.ask("ListGames", mine=True)
        assert (listed.freshness.complete, list(listed.games)) == (False, [])

        go_on.set()
        monkeypatch.undo()
        listed = await ann.ask("ListGames", mine=True)
        assert (listed.freshness.complete, [game.game_id for game in listed.games]) == (True, [game_id])

    on_server(story)
