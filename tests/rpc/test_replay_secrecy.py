"""No byte about a running game depends on dice that its reader may not see.

Only digests do, as in `test_non_interference.py`, which makes the two games that differ only in hidden dice.
"""

import asyncio
from typing import Any

import pytest

from services.access.identity import token_hash
from tests.extent import extent
from tests.infra.postgres.databases import new_database
from tests.rpc.servers import Player, Server, Told, server
from tests.rpc.test_non_interference import BOOKS, NOW, begun, copied, without_digests

EYES: list[dict[str, Any]] = [{"seat": 0}, {"seat": 1}, {"seat": 2}, {"spectator": {}}, {"everything": {}}, {}]


@pytest.mark.at_length
@pytest.mark.parametrize("rulebook", BOOKS[extent(1, 0) :: extent(2, 1)])
def test_with_other_dice_under_the_other_cups_a_reader_is_told_the_same_bytes(rulebook: str) -> None:
    one, other = new_database(), new_database()

    async def story() -> tuple[list[bytes], list[bytes], bool]:
        async with server(one) as running:
            running.running.host.now = lambda: NOW
            players, game_id = await begun(running, rulebook)
            players.append(await running.player("Eve"))
            changed = await copied(one, other, game_id, 0, players[:3])
            first = await told(running, [players[0], players[3]], game_id)
        async with server(other) as running:
            running.running.host.now = lambda: NOW
            known = running.running.identities._players  # noqa: SLF001 - the same spectator with the same token
            await known.add(players[3].player_id, "Eve", token_hash(players[3].token), ("player",))
            readers = [Player(running.channel, player.token) for player in (players[0], players[3])]
            second = await told(running, readers, game_id)
        return first, second, changed

    first, second, changed = asyncio.run(story())

    assert changed
    assert len(first) > 100
    assert first == second


async def told(running: Server, readers: list[Player], game_id: str) -> list[bytes]:
    """Every byte that a player and a spectator get from every call about the past of a game."""
    await running.running.logbook.caught_up(30)
    while True:
        listed = await readers[0].ask("ListPastGames")
        if listed.games and listed.games[0].HasField("started_at") and listed.freshness.complete:
            break
        await asyncio.sleep(0.02)
    for reader in readers:
        reader.heard.clear()
        await look_back(reader, game_id)
    return [raw if message is None else without_digests(message) for reader in readers for raw, message in reader.heard]


async def look_back(reader: Player, game_id: str) -> None:
    await reader.ask("ListPastGames")
    await reader.ask("GetRecord", game_id=game_id)
    last = (await reader.ask("ListSteps", game_id=game_id)).last_version
    for eyes in EYES:
        for version in range(last - 3, last + 2):
            try:
                await reader.ask("GetStep", game_id=game_id, version=version, viewpoint=eyes)
            except Told:
                assert version == last + 1
        stream = await reader.replay(game_id, viewpoint=eyes, include_view=True, wait_seconds_max=0)
        await stream.call.done_writing()
        assert len([answer async for answer in stream]) == last + 2
    assert [list(answer.records) async for answer in reader.export()] == [[]]
