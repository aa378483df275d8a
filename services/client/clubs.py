"""Clubs at the server: founding, joining and running them, their season tables and their games."""

from collections.abc import AsyncIterator

from liarsdice.v1 import club_service_pb2 as wire

from domain.clubs.answers import Attendance, Club, ClubListing, SeasonTable
from domain.values import Value
from services.client.channel import Channel, new_request_id
from services.client.past_answers import Exported
from services.client.resumed_export import resumed_export
from services.wire.translation import from_message


class Invited(Value, frozen=True):
    """A club, and the code that others join it with; only its organiser gets the code."""

    club: Club
    code: str


class PlayersClubs:
    """The clubs of the player; docs/play/clubs.md describes them. Everything here needs a token."""

    def __init__(self, channel: Channel) -> None:
        """Use `Client.clubs`."""
        self._channel, self._service = channel, channel.clubs

    async def found(self, name: str, *, season: str = "", time_zone: str = "", counts_bots: bool = False) -> Invited:
        """Found a club, and organise it."""
        request = wire.CreateClubRequest(
            request_id=new_request_id(),
            name=name,
            season_name=season,
            time_zone=time_zone,
            counts_bots=counts_bots,
        )
        answer = await self._channel.ask(self._service.CreateClub, request)
        return Invited(from_message(answer.club, Club), answer.code)

    async def join(self, club_id: str, code: str) -> Club:
        """Become a member, with the code of the club."""
        request = wire.JoinClubRequest(request_id=new_request_id(), club_id=club_id, code=code)
        answer = await self._channel.ask(self._service.JoinClub, request)
        return from_message(answer.club, Club)

    async def leave(self, club_id: str) -> None:
        """End your membership; your results stay."""
        request = wire.LeaveClubRequest(request_id=new_request_id(), club_id=club_id)
        await self._channel.ask(self._service.LeaveClub, request)

    async def remove(self, club_id: str, player_id: str) -> Club:
        """End the membership of another player."""
        request = wire.RemoveMemberRequest(request_id=new_request_id(), club_id=club_id, player_id=player_id)
        answer = await self._channel.ask(self._service.RemoveMember, request)
        return from_message(answer.club, Club)

    async def hand_over(self, club_id: str, player_id: str) -> Club:
        """Make another member the organiser."""
        request = wire.HandOverClubRequest(request_id=new_request_id(), club_id=club_id, player_id=player_id)
        answer = await self._channel.ask(self._service.HandOverClub, request)
        return from_message(answer.club, Club)

    async def change_code(self, club_id: str) -> str:
        """Replace the code; the new one."""
        request = wire.ChangeClubCodeRequest(request_id=new_request_id(), club_id=club_id)
        return (await self._channel.ask(self._service.ChangeClubCode, request)).code

    async def start_season(self, club_id: str, name: str) -> Club:
        """Start a season, and end the running one."""
        request = wire.StartSeasonRequest(request_id=new_request_id(), club_id=club_id, name=name)
        answer = await self._channel.ask(self._service.StartSeason, request)
        return from_message(answer.club, Club)

    async def end_season(self, club_id: str) -> Club:
        """End the running season."""
        request = wire.EndSeasonRequest(request_id=new_request_id(), club_id=club_id)
        answer = await self._channel.ask(self._service.EndSeason, request)
        return from_message(answer.club, Club)

    async def list(self) -> tuple[ClubListing, ...]:
        """Your clubs; one that you founded or joined a moment ago may be missing."""
        answer = await self._channel.ask(self._service.ListClubs, wire.ListClubsRequest())
        return tuple(from_message(club, ClubListing) for club in answer.clubs)

    async def club(self, club_id: str) -> Invited:
        """A club with its members and seasons; the code is empty unless you organise it."""
        answer = await self._channel.ask(self._service.GetClub, wire.GetClubRequest(club_id=club_id))
        return Invited(from_message(answer.club, Club), answer.code)

    async def season_table(self, club_id: str, season: int | None = None) -> SeasonTable:
        """The table of a season: by default of the newest, with 0 of all games."""
        request = wire.GetSeasonTableRequest(club_id=club_id, season=season)
        answer = await self._channel.ask(self._service.GetSeasonTable, request)
        return from_message(answer, SeasonTable)

    async def attendance(self, club_id: str, season: int | None = None) -> Attendance:
        """Who played on which day of a season."""
        request = wire.GetAttendanceRequest(club_id=club_id, season=season)
        answer = await self._channel.ask(self._service.GetAttendance, request)
        return from_message(answer, Attendance)

    def export(self, club_id: str, season: int | None = None, after: str = "") -> AsyncIterator[Exported]:
        """The records of all games of a season, each once; an export that breaks is resumed.

        With `after`, the last `resume_token` of an earlier export of the same season, only those that are new.
        """
        request = wire.ExportClubGamesRequest(club_id=club_id, season=season, after=after)
        return resumed_export(self._channel, self._service.ExportClubGames, request)
