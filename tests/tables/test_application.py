"""Games in the store: each command is carried out once, and its events are durable before its answer."""

import asyncio
import base64
import subprocess
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import TypeVar

import msgspec
import pytest

from domain.commands import AnyCommand, Challenge, Forfeit, PlaceBid
from domain.deciding import decide
from domain.events import BidPlaced, DiceDealt
from domain.evolve import fold
from domain.options import Options
from domain.refusals import (
    GameAlreadyExists,
    GameIdInvalid,
    NoBidToChallenge,
    NotYourTurn,
    Refusal,
    RequestIdInvalid,
    RequestIdReused,
)
from domain.state import NOTHING, Bidding, Ended, State
from infra.embedded.host import program
from infra.embedded.postgres import EmbeddedPostgres
from infra.events.mapping import EventMapper, EventTranscoder
from infra.keys.key_ring import Key, KeyRing
from infra.postgres.store import EventStore
from services.app.environment import migrate_database
from services.simulation.simulation import Setup, play_game
from services.tables.application import GameApplication, Head
from tests.app.opened import open_games
from tests.infra.postgres.databases import folder_for_a_server, new_database
from tests.made_tables import bids

Result = TypeVar("Result")
KEYS = KeyRing([Key(b"k" * 32)])
SCRIPT: list[AnyCommand] = play_game(Setup("bidding-track", Options(), 3), 5, 0).commands
GAME_ID = "sim-5-000000"


def mapper() -> EventMapper:
    return EventMapper(EventTranscoder(KEYS, must_open=True))


async def with_application(
    url: str, work: Callable[[GameApplication], Awaitable[Result]], games_max: int = 100
) -> Result:
    """Some work on an application of its own, as a process would have it."""
    store = await EventStore.open(url)
    try:
        return await work(GameApplication(store, mapper(), games_max))
    finally:
        await store.close()


async def play(application: GameApplication, commands: list[AnyCommand], first: int = 0) -> None:
    for number, command in enumerate(commands, first):
        await application.execute(GAME_ID, command, f"request-{number}")


def in_memory(commands: list[AnyCommand]) -> State:
    state: State = NOTHING
    for command in commands:
        state = fold(decide(command, state), state)
    return state


def test_a_game_through_the_store_is_the_game_in_memory_also_across_restarts() -> None:
    url = new_database()

    async def work() -> None:
        for first in range(0, len(SCRIPT), 40):
            part = partial(play, commands=SCRIPT[first : first + 40], first=first)
            await with_application(url, part)
        state, version = await with_application(url, lambda application: application.load(GAME_ID))
        events = await with_application(url, lambda application: application.events(GAME_ID))
        assert isinstance(state, Ended)
        assert state == in_memory(SCRIPT) == fold(events)
        assert version == len(events)

    asyncio.run(work())


def test_a_game_that_begins_with_a_past_is_begun_once_by_one_request_and_goes_on_from_there() -> None:
    url = new_database()
    done = sum(len(decide(command, in_memory(SCRIPT[:number]))) for number, command in enumerate(SCRIPT[:40]))
    past = tuple(play_game(Setup("bidding-track", Options(), 3), 5, 0).events[:done])

    async def work(application: GameApplication) -> None:
        begun = await asyncio.gather(*(application.begin(GAME_ID, past, "past") for _ in range(3)))
        assert [(one.version, one.events) for one in begun] == [(done, past)] * 3
        assert [one.repeated for one in begun].count(True) == 2
        with pytest.raises(RequestIdReused):
            await application.begin(GAME_ID, past, "past", fingerprint=b"other")
        with pytest.raises(GameAlreadyExists):
            await application.begin(GAME_ID, past, "another")
        await play(application, SCRIPT[40:])
        assert (await application.load(GAME_ID))[0] == in_memory(SCRIPT)

    asyncio.run(with_application(url, work))


def test_times_never_run_backwards_although_clocks_differ_or_are_set_back() -> None:
    """A bundle in which they did would not verify."""
    url, chance = new_database(), Random(1)
    commands = [msgspec.structs.replace(one, at=max(0, one.at + chance.randrange(-9_000, 9_000))) for one in SCRIPT]

    async def work() -> None:
        for first in range(0, len(commands), 40):
            await with_application(url, partial(play, commands=commands[first : first + 40], first=first))
        events = await with_application(url, lambda application: application.events(GAME_ID))
        times = [event.at for event in events]
        assert times == sorted(times)
        assert times[-1] > times[0]

    asyncio.run(work())


def test_the_same_request_has_the_same_answer_at_once_later_and_after_a_restart() -> None:
    url = new_database()

    async def work() -> None:
        async def first(application: GameApplication) -> object:
            answers = [await application.execute(GAME_ID, command, f"r{n}") for n, command in enumerate(SCRIPT[:30])]
            again = [await application.execute(GAME_ID, command, f"r{n}") for n, command in enumerate(SCRIPT[:30])]
            assert [(answer.version, answer.events) for answer in again] == [
                (answer.version, answer.events) for answer in answers
            ]
            assert all(answer.repeated for answer in again)
            return [(answer.version, answer.events) for answer in answers]

        async def later(application: GameApplication) -> object:
            answers = [await application.execute(GAME_ID, command, f"r{n}") for n, command in enumerate(SCRIPT[:30])]
            return [(answer.version, answer.events) for answer in answers]

        assert await with_application(url, first) == await with_application(url, later)

    asyncio.run(work())


def test_the_answer_holds_the_state_after_the_command_or_the_state_now_if_it_was_done_before() -> None:
    url = new_database()

    async def work() -> None:
        stores = [await EventStore.open(url) for _ in range(2)]
        one, other = (GameApplication(store, mapper()) for store in stores)
        assert one.held(GAME_ID) is None
        for number, command in enumerate(SCRIPT[:12]):
            executed = await one.execute(GAME_ID, command, f"r{number}")
            assert executed.state == in_memory(SCRIPT[: number + 1])
        assert one.held(GAME_ID) == (executed.state, executed.version)
        await other.execute(GAME_ID, SCRIPT[12], "r12")
        # It has not seen the last command, and is asked for one of which the store knows that it was done.
        again = await one.execute(GAME_ID, SCRIPT[12], "r12")
        assert again.repeated
        assert again.state == in_memory(SCRIPT[:13])
        assert (await one.execute(GAME_ID, SCRIPT[3], "r3")).state == in_memory(SCRIPT[:13])
        assert one.held(GAME_ID) == await one.load(GAME_ID)
        for store in stores:
            await store.close()

    asyncio.run(work())


def test_the_same_request_id_for_something_else_is_refused_and_changes_nothing() -> None:
    async def work(application: GameApplication) -> None:
        for number, command in enumerate(SCRIPT[:12]):
            await application.execute(GAME_ID, command, f"r{number}", fingerprint=b"%d" % number)

        again = await application.execute(GAME_ID, SCRIPT[3], "r3", fingerprint=b"3")
        assert again.repeated
        # The first could be done now, the second could not; neither is what the request was about.
        for command in (SCRIPT[12], SCRIPT[5]):
            with pytest.raises(RequestIdReused, match="The request id r3 was used before, for something else"):
                await application.execute(GAME_ID, command, "r3", fingerprint=b"another")
        assert (await application.load(GAME_ID))[0] == in_memory(SCRIPT[:12])
        await application.execute(GAME_ID, SCRIPT[12], "r12")

    asyncio.run(with_application(new_database(), work))


def test_requests_of_different_games_never_meet() -> None:
    async def work(application: GameApplication) -> None:
        assert not (await application.execute("a", SCRIPT[0], "b/5")).repeated
        assert not (await application.execute("b", SCRIPT[0], "b/5")).repeated
        assert not (await application.execute("a.b", SCRIPT[0], "5")).repeated
        with pytest.raises(GameIdInvalid):
            await application.execute("a/b", SCRIPT[0], "5")

    asyncio.run(with_application(new_database(lanes=1), work))


@pytest.mark.parametrize("game_id", ["", "x" * 65, "nul\0", "\ud800", "a\nb"])
def test_a_game_id_that_cannot_be_one_is_refused(game_id: str) -> None:
    async def work(application: GameApplication) -> None:
        with pytest.raises(GameIdInvalid):
            await application.execute(game_id, SCRIPT[0], "r1")
        with pytest.raises(GameIdInvalid):
            await application.load(game_id)
        assert application.games_held == 0

    asyncio.run(with_application(new_database(lanes=1), work))


@pytest.mark.parametrize("request_id", ["", "x" * 201, "nul\0", "\ud800", "a\nb"])
def test_a_request_id_that_cannot_be_one_is_refused(request_id: str) -> None:
    async def work(application: GameApplication) -> None:
        with pytest.raises(RequestIdInvalid):
            await application.execute(GAME_ID, SCRIPT[0], request_id)

    asyncio.run(with_application(new_database(lanes=1), work))


def test_a_command_can_be_made_for_the_state_that_it_is_decided_on() -> None:
    """Another process has moved on meanwhile: the command is made anew for what is found then."""
    url = new_database()

    async def work() -> None:
        stores = [await EventStore.open(url) for _ in range(2)]
        one, other = (GameApplication(store, mapper()) for store in stores)
        opening = next(n for n, command in enumerate(SCRIPT) if isinstance(command, PlaceBid))
        await play(one, SCRIPT[:opening])
        await other.execute(GAME_ID, SCRIPT[opening], "opening")
        seen: list[int] = []

        def challenge(state: State, head: Head) -> AnyCommand:
            seen.append(head.version)
            if not isinstance(state, Bidding) or not state.bids:
                raise NoBidToChallenge(seat=0)
            return Challenge(seat=state.turn)

        executed = await one.execute(GAME_ID, challenge, "challenge")
        _, version = await other.load(GAME_ID)
        assert seen == [version - len(executed.events) - 1, version - len(executed.events)]
        assert (await one.execute(GAME_ID, challenge, "challenge")).repeated
        with pytest.raises(NoBidToChallenge):
            await one.execute(GAME_ID, challenge, "another")
        for store in stores:
            await store.close()

    asyncio.run(work())


def test_a_refused_command_stores_nothing_and_the_game_goes_on() -> None:
    url = new_database()

    async def work(application: GameApplication) -> None:
        await play(application, SCRIPT[:12])
        _, version = await application.load(GAME_ID)
        for number, command in enumerate([SCRIPT[0], Forfeit(seat=7), PlaceBid(seat=0, quantity=0, face=9)]):
            with pytest.raises(Refusal):
                await application.execute(GAME_ID, command, f"bad-{number}")
        with pytest.raises(GameAlreadyExists):
            await application.execute(GAME_ID, SCRIPT[0], "another request")
        assert (await application.load(GAME_ID))[1] == version
        await play(application, SCRIPT[12:], 12)

    asyncio.run(with_application(url, work))


def test_two_processes_that_play_the_same_game_see_each_others_moves() -> None:
    """Each command goes to one of two applications at random: neither is ever wrong for long enough to be told."""
    url = new_database()

    async def work() -> None:
        stores = [await EventStore.open(url) for _ in range(2)]
        applications = [GameApplication(store, mapper()) for store in stores]
        chance = Random(1)
        for number, command in enumerate(SCRIPT):
            await chance.choice(applications).execute(GAME_ID, command, f"r{number}")
        assert (await applications[0].load(GAME_ID))[0] == in_memory(SCRIPT)
        for store in stores:
            await store.close()

    asyncio.run(work())


def test_of_two_who_race_for_the_same_turn_one_wins_and_the_other_is_told_why() -> None:
    url = new_database()

    async def work() -> None:
        stores = [await EventStore.open(url) for _ in range(2)]
        applications = [GameApplication(store, mapper()) for store in stores]
        opening = next(n for n, command in enumerate(SCRIPT) if isinstance(command, PlaceBid))
        await play(applications[0], SCRIPT[:opening])
        state, version = await applications[1].load(GAME_ID)
        assert isinstance(state, Bidding)
        racing = [
            application.execute(GAME_ID, bids(state.turn, f"{number + 1}x2"), f"race-{number}")
            for number, application in enumerate(applications)
        ]
        answers = await asyncio.gather(*racing, return_exceptions=True)

        assert sum(isinstance(answer, NotYourTurn) for answer in answers) == 1
        assert (await applications[0].load(GAME_ID))[1] == version + 1
        for store in stores:
            await store.close()

    asyncio.run(work())


def test_many_games_at_once_are_all_played_whole_with_few_in_memory() -> None:
    url = new_database()

    async def one(application: GameApplication, index: int) -> None:
        table = play_game(Setup("pirates", Options(), 2), 9, index)
        game_id = f"sim-9-{index:06}"
        for number, command in enumerate(table.commands):
            await application.execute(game_id, command, f"r{number}")
        assert (await application.load(game_id))[0] == table.state

    async def work(application: GameApplication) -> None:
        await asyncio.gather(*(one(application, index) for index in range(30)))
        assert application.games_held <= 5

    asyncio.run(with_application(url, work, games_max=5))


def test_a_caller_that_gives_up_does_not_leave_the_game_ahead_or_behind() -> None:
    url = new_database()

    async def work(application: GameApplication) -> None:
        opening = next(n for n, command in enumerate(SCRIPT) if isinstance(command, PlaceBid))
        await play(application, SCRIPT[:opening])
        attempt = asyncio.create_task(application.execute(GAME_ID, SCRIPT[opening], f"request-{opening}"))
        await asyncio.sleep(0.0005)
        attempt.cancel()
        await asyncio.gather(attempt, return_exceptions=True)
        await play(application, SCRIPT[opening:], opening)
        assert (await application.load(GAME_ID))[0] == in_memory(SCRIPT)

    asyncio.run(with_application(url, work))


def test_the_wired_program_keeps_its_games_and_its_key_between_two_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.delenv("LIARSDICE_KEYS", raising=False)

    async def run(folder: Path, first: int, last: int) -> State:
        async with open_games(folder) as games:
            await play(games, SCRIPT[first:last], first)
            return (await games.load(GAME_ID))[0]

    with folder_for_a_server() as folder:
        half = len(SCRIPT) // 2
        assert asyncio.run(run(Path(folder), 0, half)) == in_memory(SCRIPT[:half])
        assert asyncio.run(run(Path(folder), half, len(SCRIPT))) == in_memory(SCRIPT)
        assert (Path(folder) / "keys").stat().st_mode & 0o777 == 0o600


def test_hidden_dice_and_links_are_nowhere_in_the_database_its_files_or_its_log_before_the_reveal() -> None:
    """The canary: their bytes are looked for in a dump and in every file of the server, the write-ahead log included."""
    settings = {"log_statement": "all", "log_parameter_max_length": "-1"}
    with folder_for_a_server() as folder, EmbeddedPostgres(Path(folder) / "data", settings) as server:
        secrets, revealed = asyncio.run(_play_until_bidding(server.url))
        dump = subprocess.run([program("pg_dump"), "--inserts", server.url], check=True, capture_output=True).stdout
        files = b"".join(path.read_bytes() for path in Path(folder).rglob("*") if path.is_file())

        for secret in secrets:
            assert not _occurs(secret, dump)
            assert not _occurs(secret, files)
        assert all(_occurs(secret, dump) and _occurs(secret, files) for secret in revealed), "or nothing would be found"


async def _play_until_bidding(url: str) -> tuple[list[bytes], list[bytes]]:
    """Play into the second round; returns its secrets, and those of the first round, which are revealed by then."""
    await migrate_database(url)
    second = next(n for n, command in enumerate(SCRIPT) if isinstance(command, Challenge)) + 1
    until = next(n for n in range(second, len(SCRIPT)) if isinstance(SCRIPT[n], PlaceBid)) + 1

    async def work(application: GameApplication) -> tuple[list[bytes], list[bytes]]:
        await play(application, SCRIPT[:until])
        events = await application.events(GAME_ID)
        assert isinstance(events[-1], BidPlaced), "the second round is under way"
        deals = [event for event in events if isinstance(event, DiceDealt)]
        return _secrets(deals[-1]), _secrets(deals[0])

    return await with_application(url, work)


def _secrets(dealt: DiceDealt) -> list[bytes]:
    assert dealt.server_link is not None
    return [dealt.server_link, b'"hands":' + msgspec.json.encode(dealt.hands)]


def _occurs(secret: bytes, where: bytes) -> bool:
    """Whether a text contains some bytes: plain, in hexadecimal, in base64, or in base64 in hexadecimal."""
    text = base64.b64encode(secret)
    forms = [secret, secret.hex().encode(), secret.hex().upper().encode(), text, text.hex().encode()]
    return any(form in where for form in forms)
