"""Carries out what players ask of clubs: to found, join, leave and run them."""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import asyncpg

from domain.naming import is_id
from domain.refusals import RequestIdReused
from domain.values import Value
from infra.events.mapping import EventMapper, EventTranscoder, GameEvent
from infra.keys.key_ring import KeyRing
from infra.postgres.failures import VersionConflict
from infra.postgres.store import EventStore
from services.access.caller import Caller
from services.access.identity import check_name
from services.access.invitation_code import new_invitation_code
from services.clubs import club_rules
from services.clubs.allowance import ClubAllowance
from services.clubs.attendance import check_zone
from services.clubs.club import Club, club_of
from services.clubs.club_events import CLUB_TOPICS, club_stream
from services.clubs.club_rules import Events, NewClub
from services.clubs.refusals import ClubCodeWrong, NoSuchClub

_TRIES_MAX = 8

Decide = Callable[[Club], Events]


class ClubAsked(Value, frozen=True):
    """What every command has: who asks, of which club, and how to recognise the request when it comes again."""

    caller: Caller
    club_id: str
    request_id: str
    fingerprint: bytes = b""

    @property
    def key(self) -> str:
        """The request within the store. It names the player, because two players may use the same id."""
        return f"{club_stream(self.club_id)}/{self.caller.player_id}:{self.request_id}"


class Clubs:
    """All clubs of a store."""

    def __init__(
        self, store: EventStore, keys: KeyRing, pool: "asyncpg.Pool[Any]", now: Callable[[], int] | None = None
    ) -> None:
        """The keys seal the codes of clubs; the pool reads how many clubs a player has; `now` tells the time in milliseconds since 1970."""
        self._store, self._allowance = store, ClubAllowance(pool)
        self._mapper = EventMapper(EventTranscoder(keys, must_open=True, topics=CLUB_TOPICS))
        self._now = now or (lambda: time.time_ns() // 1_000_000)

    async def found(self, asked: ClubAsked, wanted: NewClub) -> Club:
        """Found a club."""
        check_name(wanted.name)
        check_zone(wanted.time_zone)
        if not await self._is_known(asked):
            events = club_rules.founding(asked.caller, wanted, new_invitation_code(), self._now())
            await self._allowance.allow(asked.caller.player_id, asked.club_id, organises=True)
            # The id follows from the request, so in a conflict the same request has come twice.
            with suppress(VersionConflict):
                await self._append(asked, 0, events)
        return await self._seen(asked)

    async def join(self, asked: ClubAsked, code: str) -> Club:
        """Become a member, with the code of the club."""
        try:
            await self._allowance.allow(asked.caller.player_id, asked.club_id)
            await self._change(asked, lambda club: club_rules.joining(club, asked.caller, code, self._now()))
            return await self._seen(asked)
        except BaseException as error:
            self._allowance.forget(asked.caller.player_id, asked.club_id)
            if isinstance(error, NoSuchClub):
                raise ClubCodeWrong(club_id=asked.club_id) from None
            raise

    async def leave(self, asked: ClubAsked) -> None:
        """End the caller's membership."""
        await self._change(asked, lambda club: club_rules.leaving(club, asked.caller, self._now()))
        self._allowance.forget(asked.caller.player_id, asked.club_id)

    async def remove(self, asked: ClubAsked, player_id: str) -> Club:
        """End another player's membership."""
        await self._change(asked, lambda club: club_rules.removing(club, asked.caller, player_id, self._now()))
        return await self._seen(asked)

    async def hand_over(self, asked: ClubAsked, player_id: str) -> Club:
        """Make another member the organiser."""
        await self._change(asked, lambda club: club_rules.handing_over(club, asked.caller, player_id, self._now()))
        return await self._seen(asked)

    async def change_code(self, asked: ClubAsked) -> Club:
        """Replace the code."""
        await self._change(
            asked, lambda club: club_rules.changing_code(club, asked.caller, new_invitation_code(), self._now())
        )
        return await self._seen(asked)

    async def start_season(self, asked: ClubAsked, name: str) -> Club:
        """Start a season, and end the running one."""
        await self._change(asked, lambda club: club_rules.starting_season(club, asked.caller, name, self._now()))
        return await self._seen(asked)

    async def end_season(self, asked: ClubAsked) -> Club:
        """End the running season."""
        await self._change(asked, lambda club: club_rules.ending_season(club, asked.caller, self._now()))
        return await self._seen(asked)

    async def code_of(self, club_id: str, caller: Caller) -> str | None:
        """The code of a club, for its organiser; None for everybody else."""
        club = await self._read(club_id)
        return club.code if club is not None and club.organiser_id == caller.player_id in club.members else None

    async def _change(self, asked: ClubAsked, decide: Decide) -> None:
        """Carry out a command once, however often the same request asks for it."""
        if not await self._is_known(asked):
            for _ in range(_TRIES_MAX):
                club = await self._loaded(asked)
                with suppress(VersionConflict):
                    await self._append(asked, club.version, decide(club))
                    break
            else:
                raise VersionConflict(streams=club_stream(asked.club_id))

    async def _seen(self, asked: ClubAsked) -> Club:
        """The club after a command. A player who repeats it after the end of the membership does not see it."""
        club = await self._loaded(asked)
        if asked.caller.player_id not in club.members:
            raise NoSuchClub(club_id=asked.club_id)
        return club

    async def _is_known(self, asked: ClubAsked) -> bool:
        """Whether the same request was carried out before; refused if another request had its id."""
        if not is_id(asked.club_id):
            raise NoSuchClub(club_id=asked.club_id)
        known = await self._store.find_request(club_stream(asked.club_id), asked.key)
        if known is not None and known.fingerprint != asked.fingerprint:
            raise RequestIdReused(request_id=asked.request_id)
        return known is not None

    async def _append(self, asked: ClubAsked, version: int, events: Events) -> None:
        stream = club_stream(asked.club_id)
        stored = [
            self._mapper.to_stored_event(GameEvent(stream, number, event))  # type: ignore[arg-type]  # its type names only the events of games
            for number, event in enumerate(events, version + 1)
        ]
        appended = await self._store.append(stored, asked.key, asked.fingerprint, at_once=False)
        if appended.outcome == "repeated" and appended.fingerprint != asked.fingerprint:
            raise RequestIdReused(request_id=asked.request_id)

    async def _loaded(self, asked: ClubAsked) -> Club:
        club = await self._read(asked.club_id)
        if club is None:
            raise NoSuchClub(club_id=asked.club_id)
        return club

    async def _read(self, club_id: str) -> Club | None:
        stored = await self._store.read_stream(club_stream(club_id))
        return club_of(club_id, [self._mapper.to_domain_event(one).event for one in stored])  # type: ignore[misc]  # as above
