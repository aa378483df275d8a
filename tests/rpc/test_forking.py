"""Practice games over real channels: past games go on from any step, and nobody can take them for proven games."""

import asyncio
from typing import Any

import pytest
from liarsdice.v1 import game_pb2
from msgspec import UNSET
from msgspec.structs import replace

from domain.events import AnyEvent, DiceDealt, PlayerJoined, PlayersEliminated
from domain.evolve import fold
from domain.history.record import decode_record
from domain.history.recording import record_of
from domain.rulebooks import BOOKS
from domain.views import GameView, view
from infra.events.mapping import EventMapper, EventTranscoder
from infra.postgres.audit_log import AuditLog
from infra.postgres.failures import StoreUnreachable
from infra.postgres.store import EventStore
from services.access.table_events import table_stream
from services.app.settings import Settings
from services.audit.store_check import StoreCheck
from services.client import Client as LibraryClient
from services.client import Refused
from tests.client.players import play_to_the_end
from tests.extent import extent
from tests.infra.postgres.databases import new_database
from tests.made_tables import next_wait
from tests.rpc.clients import Client
from tests.rpc.servers import Player, Server, Told, on_server, server
from tests.rpc.test_whole_games import check_heard, secrets_of
from tests.servers import KEYS, LOG_KEYS, projected

FORKS_AT_ONCE = 8
PARTS = 3
PARTS_TRIED = extent(1, PARTS)


async def played(server: Server, rulebook: str = "single-hand", **fields: Any) -> tuple[Player, str]:
    """Ann, and the game that she has played against two bots to its end."""
    ann = await server.player("Ann")
    fields.setdefault("options", {"dice_each": 2})
    game_id = await server.table([ann], rulebook, **fields)
    for strategy in ("cautious", "bluffing"):
        await ann.ask("AddBot", game_id=game_id, strategy=strategy)
    await ann.ask("StartGame", game_id=game_id)
    await Client(ann, game_id, seed=1).play()
    return ann, game_id


async def first_deal(server: Server, game_id: str) -> int:
    """The step at which the dice of a game have fallen for the first time."""
    events = await events_of(server, game_id)
    return next(version for version, event in enumerate(events, 1) if isinstance(event, DiceDealt))


async def refusal(call: Any) -> Told:
    with pytest.raises(Told) as told:
        await call
    return told.value


async def events_of(server: Server, game_id: str) -> tuple[AnyEvent, ...]:
    return await server.running.host.games.events(game_id)


def seen(events: tuple[AnyEvent, ...], seat: int) -> GameView:
    """What a seat sees, without ids, names and times."""
    found = view(fold(events), seat)
    assert found is not None
    seats = [replace(one, player_id="", name="", kind="bot", chain_held_by="server") for one in found.seats]
    return replace(found, game_id="", since=None, seats=tuple(seats))


@pytest.mark.at_length
@pytest.mark.parametrize("part", range(PARTS_TRIED))
@pytest.mark.parametrize("rulebook", [book.id for book in BOOKS])
def test_a_game_goes_on_from_every_step_and_is_played_to_its_end(rulebook: str, part: int) -> None:
    """Each part takes every third step of a game, beginning with another one, and the last; the suite half of a part."""

    async def story(server: Server) -> None:
        ann, game_id = await played(server, rulebook)
        past = await events_of(server, game_id)
        eve, turn = await server.player("Eve"), asyncio.Semaphore(FORKS_AT_ONCE)

        async def forked(step: int) -> bool:
            async with turn:
                return await goes_on(server, (ann, eve)[step % 2], game_id, past, step)

        steps = sorted({*range(1 + part, len(past), extent(2 * PARTS, PARTS)), len(past)})
        went_on = await asyncio.gather(*map(forked, steps))

        assert went_on == [next_wait(past, step) is not None for step in steps]
        assert went_on.count(True) > 3
        assert not went_on[-1]

    on_server(story)


async def goes_on(server: Server, player: Player, game_id: str, past: tuple[AnyEvent, ...], step: int) -> bool:
    """Fork a game at a step and play the fork to its end, if it can go on from there."""
    found = next_wait(past, step)
    if found is None:
        told = await refusal(player.ask("ForkGame", game_id=game_id, version=step, seat=0))
        assert told.reason == "NOTHING_GOES_ON"
        return False
    place, state = found
    in_play = state.standing.in_play
    seat = in_play[step % len(in_play)]
    game = (await player.ask("ForkGame", game_id=game_id, version=step, seat=seat, strategy="bluffing")).game
    fork_id = game.view.game_id
    assert (game.forked_from, game.forked_version) == (game_id, place)
    assert game.view.viewer == seat
    assert [one.player_id.startswith("bot.bluffing.") for one in game.view.seats].count(True) == 2

    client = Client(player, fork_id, seed=step)
    await client.play()

    stored = await events_of(server, fork_id)
    assert seen(stored[:place], seat) == seen(past[:place], seat)
    assert [type(event) for event in stored[:place]] == [type(event) for event in past[:place]]
    assert record_of(client.events) == record_of(stored)
    assert record_of(stored).winner is not None
    return True


def test_the_same_request_gives_the_same_game_and_another_one_under_its_id_is_refused() -> None:
    async def story(server: Server) -> None:
        ann, game_id = await played(server)
        step = await first_deal(server, game_id)
        wanted: dict[str, Any] = {"request_id": "what-if", "game_id": game_id, "version": step, "seat": 0}

        at_once = await asyncio.gather(*(ann.ask("ForkGame", **wanted) for _ in range(4)))
        await Client(ann, at_once[0].game.view.game_id, seed=1).play()
        later = await ann.ask("ForkGame", **wanted)
        others = await (await server.player("Eve")).ask("ForkGame", **wanted)

        assert len({answer.game.view.game_id for answer in (*at_once, later)}) == 1
        assert later.game.view.phase == game_pb2.PHASE_ENDED
        assert others.game.view.game_id != later.game.view.game_id
        for change in ({"seat": 1}, {"version": 1}, {"strategy": "bluffing"}, {"game_id": later.game.view.game_id}):
            assert (await refusal(ann.ask("ForkGame", **{**wanted, **change}))).reason == "REQUEST_ID_REUSED"
        created = await ann.ask("CreateGame", rulebook="pirates", request_id="what-if")
        assert created.game.forked_from == ""

    on_server(story)


def test_what_can_not_be_forked_is_refused_and_nothing_is_stored() -> None:
    async def story(server: Server) -> None:
        ann, bob, cid = await server.players(3)
        game_id = await server.bidding([ann, bob, cid])
        await cid.ask("Forfeit", game_id=game_id)
        await bob.ask("Forfeit", game_id=game_id)
        past = await events_of(server, game_id)
        out = next(version for version, event in enumerate(past, 1) if isinstance(event, PlayersEliminated))
        running = await server.bidding(await server.players(2))
        store = server.running.host.games._store  # noqa: SLF001 - whether anything is stored
        before = [await store.position(lane) for lane in range(store.lanes)]

        for fields, reason in (
            ({"game_id": running}, "GAME_STILL_RUNNING"),
            ({"game_id": "nothing"}, "NO_SUCH_GAME"),
            ({"game_id": "not an id"}, "FIELD_INVALID"),
            ({"version": 0}, "NO_SUCH_STEP"),
            ({"version": -5}, "NO_SUCH_STEP"),
            ({"version": len(past) + 1}, "NO_SUCH_STEP"),
            ({"version": len(past)}, "NOTHING_GOES_ON"),
            ({"seat": 3}, "NO_SUCH_SEAT"),
            ({"seat": -1}, "NO_SUCH_SEAT"),
            ({"version": out, "seat": 2}, "SEAT_OUT"),
            ({"strategy": "perfect"}, "NO_SUCH_STRATEGY"),
            ({"request_id": ""}, "FIELD_INVALID"),
        ):
            wanted: dict[str, Any] = {"game_id": game_id, "version": 9, "seat": 0, **fields}
            assert (await refusal(ann.ask("ForkGame", **wanted))).reason == reason
        assert (await refusal(server.stranger.ask("ForkGame", game_id=game_id))).reason == "TOKEN_MISSING"

        assert [await store.position(lane) for lane in range(store.lanes)] == before

    on_server(story, Settings(sweep_seconds=60), url=new_database())


def test_a_private_game_is_forked_by_those_who_may_see_it_and_its_fork_is_private_too() -> None:
    async def story(server: Server) -> None:
        ann, game_id = await played(server, private=True)
        eve, dan = await server.player("Eve"), await server.player("Dan")
        anna, bert = ("Anna", "auditor"), ("Bert", "admin")
        auditor, admin = [await server.player(name, ("player", scope)) for name, scope in (anna, bert)]
        code = (await ann.ask("GetGame", game_id=game_id)).game.invitation_code
        wanted: dict[str, Any] = {"game_id": game_id, "version": 9, "seat": 1}

        # The code lets her watch the table, but does not open the past game, neither to look back at nor to go on from.
        assert (await eve.ask("GetGame", game_id=game_id, invitation_code=code)).game.private
        for past in (eve.ask("GetStep", game_id=game_id, version=9), eve.ask("ForkGame", **wanted)):
            told = await refusal(past)
            assert (told.reason, told.metadata["game_id"]) == ("GAME_PRIVATE", game_id)
        forks = [await player.ask("ForkGame", **wanted) for player in (ann, auditor, admin)]

        for fork in forks:
            assert fork.game.private
            assert fork.game.invitation_code not in {"", code}
            fork_id = fork.game.view.game_id
            assert (await refusal(dan.ask("GetGame", game_id=fork_id))).reason == "INVITATION_WRONG"
            assert fork_id not in {game.game_id for game in (await dan.ask("ListGames", page_size=100)).games}

    on_server(story)


def test_the_owner_of_a_private_table_forks_its_game_without_having_had_a_seat() -> None:
    async def story(server: Server) -> None:
        owner, ann = await server.player("Dot"), await server.player("Ann")
        game = (await owner.ask("CreateGame", rulebook="single-hand", private=True, without_seat=True)).game
        game_id = game.view.game_id
        await ann.ask("JoinGame", game_id=game_id, invitation_code=game.invitation_code)
        await owner.ask("AddBot", game_id=game_id)
        await owner.ask("StartGame", game_id=game_id)
        await Client(ann, game_id, seed=1).play()

        fork = (await owner.ask("ForkGame", game_id=game_id, version=1, seat=0)).game

        assert (fork.forked_from, fork.view.viewer) == (game_id, 0)

    on_server(story)


def test_spectators_who_see_a_game_late_fork_it_once_they_have_seen_its_end_and_see_forks_of_it_as_late() -> None:
    async def story(server: Server) -> None:
        ann, game_id = await played(server, spectator_delay_seconds=60)
        eve, now = await server.player("Eve"), server.running.host.now
        wanted: dict[str, Any] = {"game_id": game_id, "version": 9, "seat": 1}

        assert (await refusal(eve.ask("ForkGame", **wanted))).reason == "GAME_STILL_RUNNING"
        fork_id = (await ann.ask("ForkGame", **wanted)).game.view.game_id
        # Of the past that was copied she is shown no more than the gathering, as of the game itself.
        assert (await eve.ask("GetGame", game_id=fork_id)).game.view.phase == game_pb2.PHASE_GATHERING
        server.running.host.now = lambda: now() + 61_000
        assert (await eve.ask("ForkGame", **wanted)).game.forked_from == game_id

    on_server(story, own=True)


def test_a_practice_game_can_not_be_audited_or_disputed_and_no_check_calls_it_damage() -> None:
    url = new_database(2)

    async def story(server: Server) -> str:
        ann, game_id = await played(server)
        auditor = await server.player("Dot", ("player", "auditor"))
        step = await first_deal(server, game_id)
        fork_id = str((await ann.ask("ForkGame", game_id=game_id, version=step, seat=0)).game.view.game_id)
        await Client(ann, fork_id, seed=1).play()

        for asker, method, fields in (
            (ann, "GetAudit", {}),
            (ann, "GetAudit", {"round": 1}),
            (auditor, "GetAudit", {"round": 1}),
            (ann, "OpenDispute", {"round": 1, "reason": "Hm."}),
        ):
            told = await refusal(asker.ask(method, game_id=fork_id, **fields))
            assert (told.reason, told.metadata["forked_from"]) == ("PRACTICE_GAME", game_id)
            assert told.metadata["forked_version"] == str(step)
        assert not (await ann.ask("ListDisputes", game_id=fork_id)).disputes
        assert (await ann.ask("GetAudit", game_id=game_id)).report.proven
        await server.running.logbook.caught_up(10)
        return fork_id

    fork_id = on_server(story, url=url)
    on_server(lambda server: events_of(server, fork_id), Settings(check_events_max=1_000_000), url=url)

    checked = asyncio.run(store_checked(url))
    assert checked.differences == ()
    assert checked.leaves == checked.size > 4


async def store_checked(url: str) -> Any:
    store, log = await EventStore.open(url), await AuditLog.open(url)
    try:
        return await StoreCheck(store, log, EventMapper(EventTranscoder(KEYS, must_open=True)), LOG_KEYS.vkeys).run()
    finally:
        await log.close()
        await store.close()


def test_a_server_that_goes_down_between_table_and_game_leaves_nothing_half_and_completes_it_when_asked_again() -> None:
    url = new_database()

    async def story() -> None:
        async with server(url) as first:
            ann, game_id = await played(first)
            step = await first_deal(first, game_id)
            wanted: dict[str, Any] = {"request_id": "fork", "game_id": game_id, "version": step, "seat": 0}
            host = first.running.host
            fork_id = host.marks.game_id(ann.player_id, "fork", "fork")

            async def going_down(*_: Any, **__: Any) -> Any:
                raise StoreUnreachable(problem="a fault that is made")

            begin, host.games.begin = host.games.begin, going_down  # type: ignore[method-assign]
            assert (await refusal(ann.ask("ForkGame", **wanted))).reason == "STORE_UNREACHABLE"
            host.games.begin = begin  # type: ignore[method-assign]

            seeds = dict((await host.tables.load(fork_id)).seeds)
            assert len(seeds) == 3
            assert (await refusal(ann.ask("GetGame", game_id=fork_id))).reason == "NO_SUCH_GAME"
            assert {game.game_id for game in (await ann.ask("ListGames")).games} == {game_id}
            for change in ({"seat": 1}, {"version": 1}, {"strategy": "bluffing"}):
                assert (await refusal(ann.ask("ForkGame", **{**wanted, **change}))).reason == "REQUEST_ID_REUSED"
        async with server(url) as second:
            ann = Player(second.channel, ann.token, ann.player_id)
            game = (await ann.ask("ForkGame", **wanted)).game
            assert (game.view.game_id, game.forked_version) == (fork_id, step)
            assert (await second.running.host.tables.load(fork_id)).seeds == seeds
            await Client(ann, fork_id, seed=1).play()

    asyncio.run(story())


def test_a_practice_game_goes_on_after_a_restart_and_stays_one() -> None:
    url = new_database()

    async def story() -> None:
        async with server(url) as first:
            ann, game_id = await played(first)
            fork_id = (await ann.ask("ForkGame", game_id=game_id, version=9, seat=0)).game.view.game_id
        async with server(url) as second:
            ann = Player(second.channel, ann.token, ann.player_id)
            await Client(ann, fork_id, seed=1).play()
            game = (await ann.ask("GetGame", game_id=fork_id)).game
            assert (game.forked_from, game.view.phase) == (game_id, game_pb2.PHASE_ENDED)
            stored = await second.running.host.games.stored(table_stream(fork_id))
            assert [one.topic for one in stored] == ["table-opened.v2", *["chain-kept.v1"] * 3]

    asyncio.run(story())


def test_the_turn_of_the_player_begins_when_the_game_is_forked() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.bidding([ann, bob], options={"turn_seconds": 30})
        await ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2)
        version = (await ann.ask("GetGame", game_id=game_id)).game.version
        await ann.ask("Forfeit", game_id=game_id)
        now = server.running.host.now
        server.running.host.now = lambda: now() + 3_600_000

        fork = (await bob.ask("ForkGame", game_id=game_id, version=version, seat=1)).game

        assert fork.view.waiting == [1]
        assert fork.due.seconds * 1_000 > now() + 3_600_000 + 25_000

    on_server(story, own=True)


def test_nobody_is_told_what_lies_under_another_cup_of_a_practice_game() -> None:
    """With ten dice each a hand is long enough to be looked for in the bytes themselves."""

    async def story(server: Server) -> None:
        _, game_id = await played(server, "bidding-track", options={"dice_each": 10})
        step = await first_deal(server, game_id)
        eve, dan = await server.player("Eve"), await server.player("Dan")
        fork_id = (await eve.ask("ForkGame", game_id=game_id, version=step, seat=1)).game.view.game_id
        watching = Client(dan, fork_id, seed=1)
        await asyncio.gather(Client(eve, fork_id, seed=1).play(), watching.play())

        stored, table = await events_of(server, fork_id), await server.running.host.tables.load(fork_id)
        assert table.opened.seed is not None
        secrets = list(secrets_of(stored))
        assert len(secrets) > 2
        for player, viewer in ((eve, 1), (dan, None)):
            assert len(player.heard) > 10
            check_heard(player, viewer, secrets, (table.opened.seed, *table.seeds.values()))

    on_server(story)


def test_whoever_came_and_went_before_the_start_is_a_bot_in_the_fork_too() -> None:
    async def story(server: Server) -> None:
        ann, bob, eve = await server.players(3)
        game_id = await server.table([eve, ann])
        await eve.ask("LeaveGame", game_id=game_id)
        await bob.ask("JoinGame", game_id=game_id)
        await ann.ask("StartGame", game_id=game_id, opener=0)
        await ann.ask("Forfeit", game_id=game_id)

        fork = (await eve.ask("ForkGame", game_id=game_id, version=1, seat=1)).game
        joined = [event for event in await events_of(server, fork.view.game_id) if isinstance(event, PlayerJoined)]

        assert [one.name for one in fork.view.seats] == [joined[1].name, "Player 2"]
        assert [event.kind for event in joined] == ["bot", "bot", "human"]
        assert len({event.name for event in joined} | {event.player_id for event in joined}) == 6
        await Client(eve, fork.view.game_id, seed=1).play()

    on_server(story)


def test_the_list_of_games_tells_which_of_them_is_a_practice_game() -> None:
    async def story(server: Server) -> None:
        ann, game_id = await played(server)
        fork_id = (await ann.ask("ForkGame", game_id=game_id, version=9, seat=0)).game.view.game_id

        listed = {game.game_id: game.forked_from for game in (await ann.ask("ListGames")).games}

        assert listed == {game_id: "", fork_id: game_id}

    on_server(story, url=new_database())


def test_a_practice_game_can_be_looked_back_at_and_is_among_past_games_only_for_who_asks_for_practice() -> None:
    async def story(server: Server) -> None:
        ann, game_id = await played(server)
        step = await first_deal(server, game_id)
        fork_id = (await ann.ask("ForkGame", game_id=game_id, version=step, seat=0)).game.view.game_id
        running = decode_record((await ann.ask("GetRecord", game_id=fork_id)).record)
        await Client(ann, fork_id, seed=1).play()
        await asyncio.gather(*(projected(server.running, one) for one in (game_id, fork_id)))
        records = [decode_record((await ann.ask("GetRecord", game_id=one)).record) for one in (game_id, fork_id)]

        rated = (await ann.ask("ListPastGames")).games
        everything = (await ann.ask("ListPastGames", filter={"include_practice": True})).games
        then, now = [
            await ann.ask("GetStep", game_id=one, version=step, viewpoint={"seat": 0}) for one in (game_id, fork_id)
        ]

        assert [game.game_id for game in rated] == [game_id]
        assert {(game.game_id, game.forked_from, game.forked_version) for game in everything} == {
            (game_id, "", 0),
            (fork_id, game_id, step),
        }
        marks = [(record.forked_from, record.forked_version) for record in (*records, running)]
        assert marks == [(UNSET, UNSET), (game_id, step), (game_id, step)]
        assert now.view.seats[0].hidden == then.view.seats[0].hidden
        assert now.step.event.dice_dealt == then.step.event.dice_dealt

    on_server(story, url=new_database())


def test_a_fork_can_be_forked_again_and_its_rematch_is_no_practice_game() -> None:
    async def story(server: Server) -> None:
        ann, game_id = await played(server)
        first = (await ann.ask("ForkGame", game_id=game_id, version=9, seat=0)).game.view.game_id
        await Client(ann, first, seed=1).play()

        second = (await ann.ask("ForkGame", game_id=first, version=5, seat=2)).game
        rematch = (await ann.ask("CreateRematch", game_id=first)).game

        assert second.forked_from == first
        assert (rematch.rematch_of, rematch.forked_from, rematch.forked_version) == (first, "", 0)
        await Client(ann, second.view.game_id, seed=2).play()

    on_server(story)


def test_the_client_library_forks_plays_and_does_not_take_copied_dice_for_a_false_server() -> None:
    async def story(server: Server) -> None:
        async with LibraryClient.connect(server.running.address) as client:
            await client.register("Ann")
            table = await client.create("pirates")
            await table.add_bot("cautious")
            await table.start()
            await play_to_the_end(table, "calculating", seed=1)

            step = await first_deal(server, table.game_id)
            fork = await table.fork(step, 1, strategy="cautious")
            told = await play_to_the_end(fork, "calculating", seed=2)
            game = await fork.game()

            assert (game.forked_from, game.forked_version) == (table.game_id, step)
            assert [one.version for one in told] == list(range(1, game.version + 1))
            assert not (await table.check_dice()).failures
            with pytest.raises(Refused, match="is a practice game") as refused:
                await fork.check_dice()
            assert refused.value.reason == "PRACTICE_GAME"

    on_server(story)
