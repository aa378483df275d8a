"""What a command does to a club: each function returns the events that it causes, or refuses it."""

import hmac

from domain.naming import distinct_name, is_name
from domain.refusals import NameInvalid
from domain.values import Value
from services.access.caller import Caller
from services.clubs.club import Club
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
from services.clubs.refusals import (
    AlreadyMember,
    ClubCodeWrong,
    ClubFull,
    ClubTooOld,
    NoSeasonRunning,
    NoSuchClub,
    NoSuchMember,
    NotTheOrganiser,
    OrganiserNeeded,
)

MEMBERS_MAX = 200
EVENTS_MAX = 2_000
"""Every read of a club folds all of its events."""
_EVENTS_KEPT = 250
"""So many of them are kept for leaving and removing, which must be possible for ever."""

Events = tuple[AnyClubEvent, ...]


class NewClub(Value, frozen=True, kw_only=True):
    """The club that somebody wants."""

    name: str
    season: str
    time_zone: str
    counts_bots: bool


def founding(caller: Caller, wanted: NewClub, code: str, at: int) -> Events:
    """A new club, with its founder as the first member and its first season."""
    _check_season_name(wanted.season)
    founded = ClubFounded(
        at=at,
        name=wanted.name,
        organiser_id=caller.player_id,
        time_zone=wanted.time_zone,
        counts_bots=wanted.counts_bots,
        code=code,
    )
    joined = MemberJoined(at=at, player_id=caller.player_id, name=caller.name)
    return founded, joined, SeasonStarted(at=at, number=1, name=wanted.season)


def joining(club: Club, caller: Caller, code: str, at: int) -> Events:
    """A new member. Everybody without the right code gets the same refusal."""
    assert club.code is not None, "the server has its keys"
    right = hmac.compare_digest(club.code.encode(), code.encode())
    # A player who was removed still has the old code.
    if not right or not club.members or club.removed.get(caller.player_id) == club.codes:
        raise ClubCodeWrong(club_id=club.club_id)
    if caller.player_id in club.members:
        raise AlreadyMember
    if len(club.members) >= MEMBERS_MAX:
        raise ClubFull(limit=MEMBERS_MAX)
    _check_age(club)
    taken = [member.name for member in club.members.values()]
    return (MemberJoined(at=at, player_id=caller.player_id, name=distinct_name(caller.name, taken)),)


def leaving(club: Club, caller: Caller, at: int) -> Events:
    """The end of the caller's membership. The organiser goes last, or hands the club over before."""
    _check_member(club, caller)
    if caller.player_id == club.organiser_id and len(club.members) > 1:
        raise OrganiserNeeded
    return (MemberLeft(at=at, player_id=caller.player_id),)


def removing(club: Club, caller: Caller, player_id: str, at: int) -> Events:
    """The end of another member's membership."""
    _check_organiser(club, caller)
    _check_is_member(club, player_id)
    if player_id == club.organiser_id:
        raise OrganiserNeeded
    return (MemberRemoved(at=at, player_id=player_id),)


def handing_over(club: Club, caller: Caller, player_id: str, at: int) -> Events:
    """Another member becomes the organiser."""
    _check_organiser(club, caller)
    _check_is_member(club, player_id)
    _check_age(club)
    return (OrganiserChanged(at=at, player_id=player_id),)


def changing_code(club: Club, caller: Caller, code: str, at: int) -> Events:
    """A new code."""
    _check_organiser(club, caller)
    _check_age(club)
    return (CodeChanged(at=at, code=code),)


def starting_season(club: Club, caller: Caller, name: str, at: int) -> Events:
    """A new season, which begins as the running one ends."""
    _check_organiser(club, caller)
    _check_season_name(name)
    _check_age(club)
    ended = () if club.season is None else (SeasonEnded(at=at, number=club.season.number),)
    return (*ended, SeasonStarted(at=at, number=len(club.seasons) + 1, name=name))


def ending_season(club: Club, caller: Caller, at: int) -> Events:
    """The end of the running season."""
    _check_organiser(club, caller)
    if club.season is None:
        raise NoSeasonRunning
    _check_age(club)
    return (SeasonEnded(at=at, number=club.season.number),)


def _check_member(club: Club, caller: Caller) -> None:
    if caller.player_id not in club.members:
        raise NoSuchClub(club_id=club.club_id)


def _check_organiser(club: Club, caller: Caller) -> None:
    _check_member(club, caller)
    if caller.player_id != club.organiser_id:
        raise NotTheOrganiser


def _check_is_member(club: Club, player_id: str) -> None:
    if player_id not in club.members:
        raise NoSuchMember(player_id=player_id)


def _check_age(club: Club) -> None:
    if club.version >= EVENTS_MAX - _EVENTS_KEPT:
        raise ClubTooOld(limit=EVENTS_MAX - _EVENTS_KEPT)


def _check_season_name(name: str) -> None:
    if not is_name(name):
        raise NameInvalid(name=name)
