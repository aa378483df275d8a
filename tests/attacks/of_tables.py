"""Attacks by playing: tables, bots, seats, practice games and disputes without end."""

from itertools import count

import grpc

from tests.attacks.attack import Caller, Foe, attack

BOT_TABLES = 260
PLAYERS_AT_ONCE = 30
_NUMBERS = count()


def fresh() -> str:
    """A request id that was never used."""
    return f"foe-{next(_NUMBERS)}"


async def table_of(caller: Caller, player: int, **fields: object) -> str:
    """The id of a new table of a player."""
    created = await caller.ask(
        "CreateGame", player, request_id=f"{fresh()}-{id(caller)}", rulebook="single-hand", **fields
    )
    return str(created.game.view.game_id)


@attack
async def tables_full_of_bots(foe: Foe) -> None:
    """260 tables with nothing but bots, all of one player: the server plays them all."""
    async with foe.channel() as caller:
        made: list[str] = []

        async def one() -> str:
            if len(made) >= BOT_TABLES:
                return "enough"
            game_id = await table_of(caller, 0, seats_max=2, without_seat=True)
            made.append(game_id)
            for _ in range(2):
                await caller.ask("AddBot", 0, request_id=fresh(), game_id=game_id, strategy="calculating")
            await caller.ask("StartGame", 0, request_id=fresh(), game_id=game_id)
            return "OK"

        await foe.hammer(8, lambda _: one())


@attack
async def bots_of_many_players(foe: Foe) -> None:
    """As many players as one address may register, each with tables full of bots."""
    async with foe.channel() as caller:
        tokens: list[str] = []
        while len(tokens) < PLAYERS_AT_ONCE:
            try:
                tokens.append((await caller.ask("Register", name=f"Owner {len(tokens)}")).token)
            except grpc.aio.AioRpcError:
                break
        many = Caller(caller.channel, tuple(tokens))

        async def one(turn: int) -> str:
            game_id = await table_of(many, turn, seats_max=20, without_seat=True)
            for _ in range(8):
                await many.ask("AddBot", turn, request_id=fresh(), game_id=game_id, strategy="calculating")
            return await many.told("StartGame", turn, request_id=fresh(), game_id=game_id)

        await foe.hammer(8, one)


@attack
async def tables_without_end(foe: Foe) -> None:
    """New tables of three players, as fast as they are made."""
    async with foe.channel() as caller:

        async def one(turn: int) -> str:
            await table_of(caller, turn)
            return "OK"

        await foe.hammer(16, one)


@attack
async def practice_games_without_end(foe: Foe) -> None:
    """Practice games that go on from the middle of a long game, five at once."""
    async with foe.channel() as caller:

        async def one(turn: int) -> str:
            version = foe.target.long_versions // 2 - turn % 50
            fork = {"request_id": fresh(), "game_id": foe.target.long_game, "version": version}
            return await caller.told("ForkGame", turn, **fork, seat=turn % 20, strategy="cautious")

        await foe.hammer(5, one)


@attack
async def sitting_down_and_leaving(foe: Foe) -> None:
    """Two players who take a seat and leave it, again and again."""
    async with foe.channel() as caller:
        tables = [await table_of(caller, 0) for _ in range(4)]

        async def one(turn: int) -> str:
            game_id = tables[turn % 4]
            await caller.ask("JoinGame", 1, request_id=fresh(), game_id=game_id)
            return await caller.told("LeaveGame", 1, request_id=fresh(), game_id=game_id)

        await foe.hammer(4, one)


@attack
async def bots_that_come_and_go(foe: Foe) -> None:
    """Bots that are put on a seat and sent away, again and again."""
    async with foe.channel() as caller:
        tables = [await table_of(caller, 2) for _ in range(4)]

        async def one(turn: int) -> str:
            game_id = tables[turn % 4]
            added = await caller.ask("AddBot", 2, request_id=fresh(), game_id=game_id, strategy="cautious")
            return await caller.told("LeaveGame", 2, request_id=fresh(), game_id=game_id, bot_seat=added.seat)

        await foe.hammer(4, one)


@attack
async def disputes_without_end(foe: Foe) -> None:
    """Disputes about rounds of games that the caller did not play, and about none, 16 at once."""
    async with foe.channel() as caller:
        games = (foe.target.long_game, *foe.target.games)

        async def one(turn: int) -> str:
            dispute = {"game_id": games[turn % len(games)], "round": 1 + turn % 3, "reason": "why not"}
            return await caller.told("OpenDispute", turn, request_id=fresh(), **dispute)

        await foe.hammer(16, one)


@attack
async def rematches_without_end(foe: Foe) -> None:
    """Games of one player against a bot that are given up at once, each with a rematch."""
    async with foe.channel() as caller:

        async def one(turn: int) -> str:
            game_id = await table_of(caller, turn, seats_max=2)
            await caller.ask("AddBot", turn, request_id=fresh(), game_id=game_id, strategy="cautious")
            await caller.ask("StartGame", turn, request_id=fresh(), game_id=game_id)
            await caller.ask("Forfeit", turn, request_id=fresh(), game_id=game_id)
            return await caller.told("CreateRematch", turn, game_id=game_id)

        await foe.hammer(4, one)
