"""The tool to look back: past games, their rounds and steps."""

import asyncio
import time
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any

from domain.history.record import GameRecord, Result, RoundRecord, SeatRecord, decode_record
from domain.notation import write_round
from services.client import Client, GameFilter, PastGame, PastRound, PastStep, Refused
from services.client.past_answers import PastSeat
from services.mcp.answers import (
    BidSeen,
    GameResult,
    Past,
    PastGameListed,
    PlayerListed,
    RoundListed,
    SeatLoss,
    StepTold,
)
from services.mcp.arguments import PastAsked
from services.mcp.event_lines import line_of
from services.mcp.foreign_text import name_shown, text_shown
from services.mcp.observation import chance_shown, observed_in_the_past
from services.mcp.problems import not_done
from services.mcp.session import Session

CATCHING_UP_SECONDS_MAX = 5.0
"""Lists follow the events a moment later (docs/reference/freshness.md). A server that is far behind takes minutes."""


async def look_back(session: Session, asked: PastAsked) -> Past:
    """A list of past games, or a game, a round or a step of one."""
    match asked.what:
        case "games":
            complete = await _caught_up(await session.client())
            return Past(games=await _games(session, asked), games_missing=not complete)
        case "game":
            return await _game(session, _given(asked.game_id, "game_id"))
        case "round":
            return await _round(session, _given(asked.game_id, "game_id"), _given(asked.round, "round"))
        case "step":
            return await _step(session, _given(asked.game_id, "game_id"), asked)


def _given(value: Any, name: str) -> Any:
    """An argument that this question needs."""
    if value is None:
        raise not_done("ARGUMENTS_INVALID", f"This needs {name}.")
    return value


async def _caught_up(client: Client) -> bool:
    """Wait until the list has all games that are stored now, above all the one that was just played; False if it takes long."""
    ends = time.monotonic() + CATCHING_UP_SECONDS_MAX
    since = None
    while True:
        try:
            told = await client.past.freshness()
        except Refused as refusal:
            if refusal.code.name == "UNIMPLEMENTED":  # An older server, which can't say.
                return True
            raise
        since = told.now if since is None else since
        listed = told.of("games")
        if listed.freshness.complete and (listed.freshness.caught_up_to or 0) >= since:
            return True
        if listed.stopped or time.monotonic() >= ends:
            return False
        await asyncio.sleep(0.1)


async def _games(session: Session, asked: PastAsked) -> tuple[PastGameListed, ...]:
    client, player = await session.client(), await session.player()
    wanted = GameFilter(player_id=player.player_id if asked.mine else "", rulebook=asked.rulebook or "")
    listed: list[PastGameListed] = []
    found: Any = client.past.games(wanted)
    async with aclosing(found):
        async for game in found:
            listed.append(_listed(game, player.player_id))
            if len(listed) == asked.limit:
                break
    return tuple(listed)


async def _game(session: Session, game_id: str) -> Past:
    client, player = await session.client(), await session.player()
    told = await client.past.record(game_id)
    record = decode_record(told.json)
    rounds = {played.number: played for played in (await client.past.steps(game_id)).rounds}
    return Past(
        players=tuple(_player(seat, player.player_id) for seat in record.seats),
        rounds=tuple(_round_listed(played, rounds.get(played.number)) for played in record.rounds),
        result=_result(record),
        final=told.final,
    )


async def _round(session: Session, game_id: str, number: int) -> Past:
    client, player = await session.client(), await session.player()
    told = await client.past.steps(game_id)
    played = next((one for one in told.rounds if one.number == number), None)
    if played is None:
        raise not_done("NO_SUCH_ROUND", f"This game has no round {number} yet.", game_id=game_id)
    record = decode_record((await client.past.record(game_id)).json)
    me = next((seat.seat for seat in record.seats if seat.player_id == player.player_id), None)
    last = played.last_version or len(told.steps)
    steps = (_step_told(step, me) for step in told.steps if played.first_version <= step.version <= last)
    over = any(one.number == number for one in record.rounds)
    return Past(
        notation=write_round(record, number) if over else None,
        steps=tuple(step for step in steps if step is not None),
        final=told.final,
    )


async def _step(session: Session, game_id: str, asked: PastAsked) -> Past:
    seen = await (await session.client()).past.step(game_id, asked.version, asked.seat)
    if seen.step is None or seen.view is None:
        raise not_done("NO_SUCH_STEP", "Nothing had happened yet.", game_id=game_id)
    told = _step_told(seen.step, None)
    return Past(
        steps=() if told is None else (told,),
        seen=observed_in_the_past(seen.view, seen.step.version),
    )


def _step_told(step: PastStep, seat: int | None) -> StepTold | None:
    line = line_of(step.event, seat)
    if line is None:
        return None
    chance = None
    if step.odds is not None:
        own = [odds.chance for odds in step.odds.seats if odds.seat == seat]
        chance = chance_shown(own[0] if own else step.odds.public)
    return StepTold(version=step.version, line=line, chance=chance)


def _listed(game: PastGame, player_id: str) -> PastGameListed:
    return PastGameListed(
        game_id=game.game_id,
        rulebook=game.rulebook,
        result=game.result,
        created=datetime.fromtimestamp(game.created_at / 1_000, UTC).isoformat(timespec="seconds"),
        players=tuple(_player(seat, player_id) for seat in game.seats),
        winner=game.winner,
        rounds=game.rounds,
        practice_of=game.forked_from,
    )


def _player(seat: PastSeat | SeatRecord, player_id: str) -> PlayerListed:
    return PlayerListed(seat=seat.seat, name=name_shown(seat.name), kind=seat.kind, you=seat.player_id == player_id)


def _round_listed(played: RoundRecord, place: PastRound | None) -> RoundListed:
    return RoundListed(
        number=played.number,
        opener=played.opener,
        dice=played.dice,
        first_version=None if place is None else place.first_version,
        last_version=None if place is None else place.last_version,
        **({} if played.result is None else _settled(played.result)),
    )


def _settled(result: Result) -> dict[str, Any]:
    bid = result.bid
    return {
        "bid": BidSeen(seat=bid.seat, quantity=bid.quantity, face=bid.face),
        "challenger": result.challenger,
        "actual": result.actual,
        "winner": result.winner,
        "losses": tuple(SeatLoss(seat=loss.seat, lost=loss.lost) for loss in result.penalties),
    }


def _result(record: GameRecord) -> GameResult | None:
    if record.winner is None and record.abandoned is None:
        return None
    abandoned = None if record.abandoned is None else text_shown(record.abandoned)
    return GameResult(winner=record.winner, places=record.places, abandoned=abandoned)
