"""A club on a real server, and quick games of its members: the last one who does not give up wins."""

import asyncio
from typing import Any

from tests.rpc.servers import Player, Server, Told


class ClubEvening:
    """A club and its members; the first of them organises it."""

    def __init__(self, server: Server, members: list[Player], club_id: str, code: str) -> None:
        self.server, self.members, self.club_id, self.code = server, members, club_id, code

    @property
    def organiser(self) -> Player:
        """The member who founded the club."""
        return self.members[0]

    async def ask(self, player: Player, method: str, **fields: Any) -> Any:
        """The answer to a call about this club."""
        return await player.ask(method, club_id=self.club_id, **fields)

    async def refusal(self, player: Player, method: str, **fields: Any) -> str:
        """The reason for which a call about this club is refused."""
        try:
            await self.ask(player, method, **fields)
        except Told as told:
            return told.reason
        raise AssertionError(f"{method} was not refused")

    async def play(self, *players: Player, bots: int = 0, **table: Any) -> str:
        """A game that the first of these players wins, and the others lose in their order, so the last is last."""
        game_id = await self.server.table(list(players), **{"private": True, **table})
        for _ in range(bots):
            await players[0].ask("AddBot", game_id=game_id)
        await players[0].ask("StartGame", game_id=game_id)
        for loser in reversed(players[1:]):
            await loser.ask("Forfeit", game_id=game_id)
        if bots:
            await players[0].ask("Forfeit", game_id=game_id)
        await counted(self.server, game_id)
        return game_id

    async def table(self, reader: Player, **season: Any) -> dict[str, tuple[int, ...]]:
        """Position, games, wins, points and possible points of everybody, by name, as a member sees them."""
        found = await self.ask(reader, "GetSeasonTable", **season)
        return {
            one.name: (one.position, one.games, one.wins.count, one.points, one.points_possible)
            for one in found.standings
        }

    async def exported(self, reader: Player, **season: Any) -> bytes:
        """All records that a member exports."""
        stream = reader.export("ExportClubGames", club_id=self.club_id, **season)
        return b"\n".join([record async for answer in stream for record in answer.records])


async def club_evening(server: Server, *names: str, **fields: Any) -> ClubEvening:
    """A club of new players with these names, the first of whom founds it."""
    members = [await server.player(name) for name in names]
    founded = await members[0].ask("CreateClub", **{"name": "Thursday", **fields})
    for member in members[1:]:
        await member.ask("JoinClub", club_id=founded.club.club_id, code=founded.code)
    evening = ClubEvening(server, members, founded.club.club_id, founded.code)
    await listed(server, evening.club_id, len(members))
    return evening


async def counted(server: Server, game_id: str) -> None:
    """Wait until the read models have the end of a game."""
    found = "SELECT count(*) FROM statistics_v2.seats JOIN history_v2.records USING (game_id) WHERE game_id = $1"
    while not await server.running.archive.pool.fetchval(found, game_id):  # noqa: ASYNC110 - it is asked
        await asyncio.sleep(0.02)


async def listed(server: Server, club_id: str, members: int) -> None:
    """Wait until the read model has so many members of a club."""
    found = "SELECT members FROM clubs_v1.clubs WHERE club_id = $1"
    while await server.running.archive.pool.fetchval(found, club_id) != members:  # noqa: ASYNC110 - it is asked
        await asyncio.sleep(0.02)
