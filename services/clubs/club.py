"""A club as its events tell it."""

from collections.abc import Iterable, Mapping
from typing import assert_never

from msgspec.structs import replace

from domain.clubs import answers
from domain.clubs.answers import ClubMember, Season
from domain.values import Value
from services.clubs.club_events import (
    AnyClubEvent,
    ClubFounded,
    CodeChanged,
    MemberJoined,
    MemberLeft,
    MemberRemoved,
    OrganiserChanged,
    SeasonEnded,
    SeasonStarted,
)


class Membership(Value, frozen=True):
    """A span of time in which a player was a member."""

    player_id: str
    name: str
    joined_at: int
    left_at: int | None = None


class Club(Value, frozen=True, kw_only=True):
    """A club after so many events."""

    club_id: str
    version: int
    name: str
    organiser_id: str
    founded_at: int
    time_zone: str
    counts_bots: bool
    code: str | None
    """None for a reader without keys."""
    codes: int = 1
    """How many codes there have been."""
    memberships: tuple[Membership, ...] = ()
    seasons: tuple[Season, ...] = ()
    removed: Mapping[str, int] = {}
    """Players who were removed, and how many codes there had been by then."""

    @property
    def members(self) -> Mapping[str, Membership]:
        """Those who are members now, by their ids and in the order in which they joined."""
        return {one.player_id: one for one in self.memberships if one.left_at is None}

    @property
    def season(self) -> Season | None:
        """The season that is running."""
        return self.seasons[-1] if self.seasons and self.seasons[-1].ended_at is None else None

    @property
    def names(self) -> Mapping[str, str]:
        """The newest name of everybody who is or was a member."""
        return {one.player_id: one.name for one in self.memberships}

    def answer(self) -> answers.Club:
        """The club as its members see it."""
        members = [
            ClubMember(player_id=one.player_id, name=one.name, joined_at=one.joined_at) for one in self.members.values()
        ]
        return answers.Club(
            club_id=self.club_id,
            name=self.name,
            organiser_id=self.organiser_id,
            founded_at=self.founded_at,
            time_zone=self.time_zone,
            counts_bots=self.counts_bots,
            members=tuple(members),
            seasons=self.seasons,
        )


def club_of(club_id: str, events: Iterable[AnyClubEvent]) -> Club | None:
    """The club of some events; None if there are none."""
    club: Club | None = None
    for event in events:
        if club is None:
            assert isinstance(event, ClubFounded), "a club's stream begins with its founding"
            club = _founded(club_id, event)
        else:
            club = replace(_after(club, event), version=club.version + 1)
    return club


def _founded(club_id: str, event: ClubFounded) -> Club:
    return Club(
        club_id=club_id,
        version=1,
        name=event.name,
        organiser_id=event.organiser_id,
        founded_at=event.at,
        time_zone=event.time_zone,
        counts_bots=event.counts_bots,
        code=event.code,
    )


def _after(club: Club, event: AnyClubEvent) -> Club:
    match event:
        case MemberJoined():
            joined = Membership(event.player_id, event.name, event.at)
            return replace(club, memberships=(*club.memberships, joined))
        case MemberLeft():
            return _without(club, event.player_id, event.at)
        case MemberRemoved():
            removed = {**club.removed, event.player_id: club.codes}
            return replace(_without(club, event.player_id, event.at), removed=removed)
        case OrganiserChanged():
            return replace(club, organiser_id=event.player_id)
        case CodeChanged():
            return replace(club, code=event.code, codes=club.codes + 1)
        case SeasonStarted():
            season = Season(number=event.number, name=event.name, started_at=event.at, ended_at=None)
            return replace(club, seasons=(*club.seasons, season))
        case SeasonEnded():
            return replace(club, seasons=(*club.seasons[:-1], replace(club.seasons[-1], ended_at=event.at)))
        case ClubFounded():
            raise AssertionError("a club is founded once")
        case _:
            assert_never(event)


def _without(club: Club, player_id: str, at: int) -> Club:
    ended = [
        replace(one, left_at=at) if one.player_id == player_id and one.left_at is None else one
        for one in club.memberships
    ]
    return replace(club, memberships=tuple(ended))
