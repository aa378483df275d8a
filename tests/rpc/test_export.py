"""All records over one call: in order, once each, in messages that any client takes, and resumable."""

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from domain.history.record import decode_record, encode_record
from domain.history.recording import record_of
from infra.postgres.store import EventStore
from services.archive.exports import Course, Exports, Part
from services.rpc.services import record_stream
from tests.audit.stored_games import MAPPER, games, store_games
from tests.infra.postgres.databases import new_database
from tests.rpc.servers import Player, Server, Told, on_server

GAMES = 60
TIMES = 60


@pytest.fixture(scope="module")
def stored() -> tuple[str, dict[str, bytes]]:
    """A database with games, and the records that the core makes of them."""
    url, played = new_database(), games(GAMES)

    async def write() -> None:
        store = await EventStore.open(url)
        await store_games(store, played)
        await store.close()

    asyncio.run(write())
    records = {
        game_id: encode_record(record_of([MAPPER.to_domain_event(event).event for event in events]))
        for game_id, events in played.items()
    }
    return url, records


async def all_projected(server: Server) -> None:
    while True:
        if await server.running.archive.pool.fetchval("SELECT count(*) FROM history_v2.records") == GAMES:
            return
        await asyncio.sleep(0.05)


async def told(reader: Player, **asked: Any) -> list[Any]:
    """The messages of an export that have records, without how fresh it was."""
    answers = [answer async for answer in reader.export(**asked)]
    for answer in answers:
        answer.ClearField("freshness")
    return [answer for answer in answers if answer.records]


def test_every_record_comes_once_byte_for_byte_in_messages_of_a_bounded_size(
    stored: tuple[str, dict[str, bytes]],
) -> None:
    url, records = stored

    async def story(server: Server) -> None:
        await all_projected(server)
        answers = await told(await server.player())

        exported = [record for answer in answers for record in answer.records]
        assert sorted(exported) == sorted(records.values())
        assert len(answers) > 3
        for answer in answers:
            assert len(answer.records) == 1 or sum(map(len, answer.records)) <= record_stream.EXPORT_BYTES_MAX
        for answer, following in pairwise(answers):
            joined = sum(map(len, answer.records)) + len(following.records[0])
            assert joined > record_stream.EXPORT_BYTES_MAX

    on_server(story, url=url)


def test_an_export_goes_on_after_each_of_its_tokens_without_a_gap_or_a_duplicate(
    stored: tuple[str, dict[str, bytes]],
) -> None:
    url, _ = stored

    async def story(server: Server) -> None:
        await all_projected(server)
        reader = await server.player()
        answers = await told(reader)
        for index, answer in enumerate(answers):
            rest = await told(reader, after=answer.resume_token)
            assert [one.records for one in rest] == [one.records for one in answers[index + 1 :]]
        with pytest.raises(Told) as refused:
            await told(reader, after="elsewhere")
        assert refused.value.field == "after"

    on_server(story, url=url)


def test_an_export_has_the_games_that_are_asked_for_alone(stored: tuple[str, dict[str, bytes]]) -> None:
    url, records = stored

    async def story(server: Server) -> None:
        await all_projected(server)
        reader = await server.player()
        rulebook = decode_record(next(iter(records.values()))).rulebook
        answers = await told(reader, filter={"rulebook": rulebook})

        exported = [record for answer in answers for record in answer.records]
        wanted = [record for record in records.values() if decode_record(record).rulebook == rulebook]
        assert sorted(exported) == sorted(wanted)
        assert 0 < len(wanted) < GAMES
        assert await told(reader, filter={"player_id": "bot.cautious", "until": {"seconds": 1}}) == []
        with pytest.raises(Told, match="NO_SUCH_PLAYER"):
            await told(reader, filter={"player_id": "nobody"})

    on_server(story, url=url)


def test_a_server_that_goes_down_ends_an_export_after_a_token_to_go_on_from(
    stored: tuple[str, dict[str, bytes]],
) -> None:
    url, _ = stored

    async def story(server: Server) -> None:
        await all_projected(server)
        reader = await server.player()
        whole = await told(reader)
        server.running.pulse.draining = True
        found = []
        stream = reader.export()
        with pytest.raises(Told) as refused:
            found += [await anext(stream) for _ in whole]
        server.running.pulse.draining = False

        assert refused.value.reason == "EXPORT_INTERRUPTED"
        assert [heard.message.records for heard in reader.heard[-2:-1]] == [whole[0].records]
        rest = await told(reader, after=whole[0].resume_token)
        assert [one.records for one in rest] == [one.records for one in whole[1:]]

    on_server(story, url=url)


def test_of_what_nobody_reads_yet_no_more_is_fetched(
    stored: tuple[str, dict[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, records = stored

    async def story(server: Server) -> None:
        await all_projected(server)
        reader = await server.player()
        fetched, every, pages = list[bytes](), Exports.part, 0

        async def counted(exports: Exports, wanted: Any, sight: Any, course: Course, *how: Any) -> Part:
            nonlocal pages
            pages += 1  # So often, that there is more than what any buffer on the way would hold.
            part = await every(exports, wanted, sight, course, *how)
            fetched.extend(record for _, record in part.games)
            return part if pages >= 3 * TIMES else Part(part.games, course)

        monkeypatch.setattr(Exports, "part", counted)
        stream = reader.export()
        await anext(stream)
        ahead = 0
        while ahead != len(fetched):  # Until nothing more comes for a second.
            ahead = len(fetched)
            await asyncio.sleep(1)
        exported = [record async for answer in stream for record in answer.records]

        assert ahead < len(fetched) / 2
        assert pages >= 3 * TIMES
        assert len(records) <= len(exported) < len(fetched)  # The first message was read before.
        assert exported[-1] == fetched[-1]

    on_server(story, url=url)


@pytest.mark.parametrize("result", [1, 2])
def test_games_that_are_not_over_can_not_be_exported(result: int) -> None:
    async def story(server: Server) -> None:
        with pytest.raises(Told, match="must be ended or abandoned") as refused:
            await told(await server.player(), filter={"result": result})
        assert refused.value.reason == "FIELD_INVALID"

    on_server(story)
