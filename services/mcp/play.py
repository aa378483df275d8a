"""Tools to play: look at the game, act, and wait for the turn."""

from collections.abc import Callable

from services.client import Done, Game, Refused, Table, Unreachable
from services.mcp.answers import Because, Observation, Progress
from services.mcp.arguments import GameAsked, MoveWanted, TurnAwaited
from services.mcp.followed_game import FollowedGame
from services.mcp.observation import is_my_turn, observed
from services.mcp.problems import NotDone, not_done, problem_of
from services.mcp.session import Session


async def observe(session: Session, asked: GameAsked) -> Observation:
    """A game as the player's seat sees it, or as spectators see it."""
    followed = await session.find(asked.game_id)
    if followed is not None:
        return followed.observation()
    return observed(await (await session.client()).table(asked.game_id).game())


async def act(session: Session, wanted: MoveWanted) -> Progress:
    """Do something at a table."""
    followed = await session.followed(wanted.game_id)
    try:
        done = await _carried_out(followed.table, wanted)
    except Refused as refusal:
        raise await _with_lowest_bids(refusal, followed) from None
    if wanted.action == "leave":
        await session.forget(wanted.game_id)
        return await _left(followed.table)
    await followed.settle(done.version)
    return followed.progress()


async def wait_for_my_turn(session: Session, awaited: TurnAwaited) -> Progress:
    """Wait until the player has to decide something, or the game is over."""
    followed = await session.followed(awaited.game_id)
    reason = _reason_to_wake(followed)
    await followed.until(lambda game: reason(game) is not None, awaited.seconds)
    assert followed.game is not None
    return followed.progress(reason(followed.game) or "time_up", awaited.since_version)


def _reason_to_wake(followed: FollowedGame) -> Callable[[Game], Because | None]:
    """A function that says why the waiting ends; None if it goes on."""
    began = _players(followed.game)

    def reason(game: Game) -> Because | None:
        if game.view.phase == "ended":
            return "game_over"
        if is_my_turn(game.view) or followed.must_roll():
            return "your_turn"
        if game.view.phase == "gathering" and _players(game) != began:
            return "table_changed"
        return None

    return reason


def _players(game: Game | None) -> tuple[str, ...]:
    return () if game is None else tuple(seat.player_id for seat in game.view.seats)


async def _carried_out(table: Table, wanted: MoveWanted) -> Done:
    version = wanted.version
    match wanted.action:
        case "bid":
            if wanted.quantity is None or wanted.face is None:
                raise not_done("ARGUMENTS_INVALID", "A bid needs quantity and face.", game_id=wanted.game_id)
            return await table.bid(wanted.quantity, wanted.face, wanted.show, expected_version=version)
        case "challenge":
            return await table.challenge(expected_version=version)
        case "show_and_reroll":
            return await table.show_and_reroll(wanted.show, expected_version=version)
        case "roll":
            return await table.roll(expected_version=version)
        case "start":
            return await table.start(expected_version=version)
        case "add_bot":
            return await table.add_bot(wanted.strategy, expected_version=version)
        case "leave":
            return await table.leave(expected_version=version)
        case "forfeit":
            return await table.forfeit(expected_version=version)


async def _with_lowest_bids(refusal: Refused, followed: FollowedGame) -> NotDone:
    """A refusal together with the game as it stands now, so that the next try can be a legal one."""
    try:
        game: Game | None = await followed.table.game()
    except (Refused, Unreachable):
        game = followed.game
    problem = problem_of(refusal, game)
    assert problem is not None
    return NotDone(problem)


async def _left(table: Table) -> Progress:
    """What a player who has left a table still sees of it."""
    try:
        return Progress(happened=("You gave your seat back.",), now=observed(await table.game()))
    except Refused:
        return Progress(happened=("You gave your seat back.",))
