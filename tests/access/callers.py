"""One caller of each kind, and private games that some of them may read: the scene of the tables of who may do what."""

from typing import Any

from liarsdice.v1 import game_pb2

from domain.values import Value
from services.access.identity import new_token
from tests.http.readers import Site
from tests.rpc.clients import Client
from tests.rpc.servers import Player, Server, Told
from tests.servers import projected

CALLERS = ("nobody", "invalid", "revoked", "another", "auditor", "admin", "seated")
"""Without a token, with one that was never given, with one that was revoked; a player without a seat; and a player who owns
the game and sits there, last of all, because a command of theirs changes the game."""
WORDS = {
    "TOKEN_MISSING": "missing",
    "TOKEN_INVALID": "invalid",
    "SCOPE_MISSING": "scope",
    "GAME_PRIVATE": "private",
    "INVITATION_WRONG": "code",
    "NOT_SEATED": "seat",
    "NOT_THE_OWNER": "owner",
    "NO_SUCH_CLUB": "club",
    "CLUB_CODE_WRONG": "club",
}
"""What the tables say for the reasons that are about the caller."""


class Scene(Value, frozen=True):
    """The callers, and an ended private game of the seated one with a dispute about its first round."""

    callers: dict[str, Player]
    mate: Player
    ended: str
    code: str
    club: str
    """A club of the two players, in which that game counts."""


async def scene(site: Site) -> Scene:
    """Callers of each kind, and their game."""
    server = site.server
    ann, bob, eve, gone = await server.players(4)
    await gone.ask("RevokeToken")
    founded = await ann.ask("CreateClub", name="Evening")
    await bob.ask("JoinClub", club_id=founded.club.club_id, code=founded.code)
    game_id = await server.table([ann, bob], private=True)
    code = (await ann.ask("GetGame", game_id=game_id)).game.invitation_code
    await ann.ask("StartGame", game_id=game_id, opener=0)
    await played(game_id, ann, bob)
    await server.running.logbook.caught_up(30)
    await projected(server.running, game_id)
    # Somebody who never sat at a public table is nobody whom lists of players could name.
    await projected(server.running, await server.table([ann]), over=False)
    await ann.ask("OpenDispute", game_id=game_id, round=1, reason="why")
    callers = {
        "nobody": server.stranger,
        "invalid": Player(server.channel, new_token()),
        "revoked": gone,
        "another": eve,
        "auditor": await server.player("Judge", scopes=("auditor",)),
        "admin": await server.player("Root", scopes=("admin",)),
        "seated": ann,
    }
    assert tuple(callers) == CALLERS
    return Scene(callers, bob, game_id, code, founded.club.club_id)


async def played(game_id: str, *players: Player) -> None:
    """Play a game to its end; somebody gives up after the first round."""
    clients = [Client(player, game_id, seed) for seed, player in enumerate(players)]
    while True:
        bidding = lambda game: game.view.phase in (game_pb2.PHASE_BIDDING, game_pb2.PHASE_ENDED)  # noqa: E731 - one use
        game = await players[0].sees(game_id, bidding)
        if game.view.phase == game_pb2.PHASE_ENDED:
            return
        mover = clients[game.view.waiting[0]]
        if game.view.round.number > 1:
            await mover.player.ask("Forfeit", game_id=game_id)
            return
        await mover._move((await mover.player.ask("GetGame", game_id=game_id)).game)  # noqa: SLF001 - one move


async def fresh_game(server: Server, seen: Scene) -> str:
    """A private game in which the seated caller has to bid."""
    return await server.bidding([seen.callers["seated"], seen.mate], private=True)


async def fresh_table(server: Server, seen: Scene) -> str:
    """A private table at which both sit and nothing has begun."""
    return await server.table([seen.callers["seated"], seen.mate], private=True)


def word_of(reason: str) -> str:
    """How the tables name a reason; `rule` is one that is not about the caller, who was let through."""
    return WORDS.get(reason, "rule")


async def outcome(player: Player, method: str, game_id: str, fields: dict[str, Any]) -> str:
    """`sees` if the answer names the private game, `ok` for another answer, or why there is none."""
    heard = len(player.heard)
    try:
        match method:
            case "WatchGame":
                await anext(aiter(stream := player.watch(**fields)))
                stream.call.cancel()
            case "WatchGames":
                answer = await anext(aiter(stream := player.watch_all(fields)))
                stream.call.cancel()
                if answer.HasField("refused"):
                    return word_of(answer.refused.reason)
            case "ExportRecords" | "ExportClubGames" | "ExportPlayerDecisions":
                async for _ in player.export(method, **fields):
                    pass
            case "Play":
                stream = player.play()
                await stream.send(watch=fields)
                answer = await anext(stream)
                stream.call.cancel()
                if answer.HasField("refused"):
                    return word_of(answer.refused.reason)
            case "ReplayGame":
                stream = await player.replay(**fields)
                await anext(stream)
                stream.call.cancel()
            case _:
                await player.ask(method, **fields)
    except Told as told:
        return word_of(told.reason)
    return "sees" if any(game_id.encode() in one.raw for one in player.heard[heard:]) else "ok"


def rows_of(table: str) -> dict[str, tuple[str, ...]]:
    """The rows of a table by their first words."""
    head, *rows = [line.split() for line in table.strip().splitlines()]
    assert tuple(head) == CALLERS
    return {row[0]: tuple(row[1:]) for row in rows}


def written(rows: dict[str, tuple[str, ...]]) -> str:
    """A table as text, to be compared and read."""
    width = max(map(len, rows)) + 1
    lines = [("", CALLERS), *sorted(rows.items())]
    return "\n".join(f"{name:{width}}" + "".join(f"{word:9}" for word in row).rstrip() for name, row in lines)
