"""Why something was not possible in a club."""

from domain.refusals import Refusal


class NoSuchClub(Refusal):
    """You are a member of no club with the id {club_id}."""


class ClubCodeWrong(Refusal):
    """There is no club with the id {club_id} and this code."""


class NotTheOrganiser(Refusal):
    """Only the organiser of a club may do this."""


class OrganiserNeeded(Refusal):
    """A club with other members needs its organiser; hand it over to one of them first."""


class AlreadyMember(Refusal):
    """You are a member of this club already."""


class NoSuchMember(Refusal):
    """Nobody with the id {player_id} is a member of this club."""


class NoSuchSeason(Refusal):
    """This club has no season {season}."""


class NoSeasonRunning(Refusal):
    """No season of this club is running."""


class ClubFull(Refusal):
    """A club may have {limit} members, and this one has them."""


class ClubTooOld(Refusal):
    """In this club has happened as much as in a club may happen ({limit} events); found a new one."""


class TooManyClubs(Refusal):
    """A player may organise {organised} clubs and be a member of {joined}, and you would have more; leave one first."""


class TimeZoneUnknown(Refusal):
    """This server knows no time zone {time_zone}; take a name such as Europe/Berlin."""
