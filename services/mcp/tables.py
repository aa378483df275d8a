"""Tools to find a table: the books, the lists, a new table, a seat."""

from collections.abc import AsyncIterator, Collection
from contextlib import aclosing
from typing import Any, cast

from domain.options import Options
from services.client import Client, Listed, ListedPage, OfferedRulebook, Refused, Table
from services.mcp.answers import Progress, Rulebook, Rulebooks, TableListed, Tables
from services.mcp.arguments import RulebooksAsked, SeatWanted, TablesAsked, TableWanted
from services.mcp.foreign_text import name_shown, text_shown
from services.mcp.problems import NotDone, not_done, problem_of
from services.mcp.rules import rules_of_book
from services.mcp.session import PHASES_ALIVE, Session

CLOCK_SECONDS = 300
"""The clock of a table without bots: one silent player must not stall the others, and a model takes its time."""
_SEATED_BEFORE = {"PLAYER_ALREADY_SEATED", "GAME_ALREADY_STARTED"}


async def rulebooks(session: Session, asked: RulebooksAsked) -> Rulebooks:
    """The books of the server, or one of them with all its rules."""
    offered = await (await session.client()).rulebooks()
    if asked.rulebook is None:
        return Rulebooks(rulebooks=tuple(_rulebook(book) for book in offered))
    book = _named(offered, asked.rulebook)
    return Rulebooks(rulebooks=(_rulebook(book, rules_of_book(book.id)),))


async def list_tables(session: Session, asked: TablesAsked) -> Tables:
    """The player's own tables, those to join, and those of others."""
    client, player = await session.client(), await session.player()
    rulebook, limit = asked.rulebook or "", asked.limit
    mine, has_mine = await _first(client.pages(mine=True, rulebook=rulebook, phases=PHASES_ALIVE), limit)
    held = {game.game_id for game in mine}
    joinable, has_joinable = await _first(client.pages(joinable=True, rulebook=rulebook), limit, held)
    running, has_running = await _first(client.pages(rulebook=rulebook, phases=PHASES_ALIVE[1:]), limit, held)
    return Tables(
        you=name_shown(player.name),
        mine=tuple(map(_listed, mine[:limit])),
        open=tuple(map(_listed, joinable[:limit])),
        running=tuple(map(_listed, running[:limit])),
        more=any(len(found) > limit for found in (mine, joinable, running)),
        tables_missing=not (has_mine and has_joinable and has_running),
    )


async def create_table(session: Session, wanted: TableWanted) -> Progress:
    """Set up a table, with bots if wanted, and sit down there."""
    client, setup = await session.client(), session.setup
    book = _named(await client.rulebooks(), wanted.rulebook)
    seats = wanted.seats or book.players_max
    # Checked before the table is made, because nobody wants a table that can't begin.
    if len(wanted.bots) >= seats:
        raise not_done(
            "TABLE_FULL", f"This table has room for {seats - 1} bots beside you, not for {len(wanted.bots)}."
        )
    table = await client.create(
        wanted.rulebook,
        options=_options(wanted),
        private=wanted.private,
        seats=wanted.seats,
        own_chain=setup.own_chain,
        sign_moves=setup.sign_moves,
    )
    try:
        return await _filled(session, table, wanted)
    except Refused as refusal:
        problem = problem_of(refusal, game_id=table.game_id)
        assert problem is not None
        raise NotDone(problem) from None


async def join_table(session: Session, wanted: SeatWanted) -> Progress:
    """Sit down at a table, come back to it, or sit down at the rematch of a game."""
    client, setup = await session.client(), session.setup
    table = client.table(wanted.game_id, code=wanted.code)
    if wanted.rematch:
        # Without the flag the seat signs its moves if it did before.
        table = await table.rematch(own_chain=setup.own_chain, sign_moves=setup.sign_moves or None)
    else:
        await _sit_down(client, table, wanted, session)
    followed = await session.follow(table)
    await followed.settle()
    return followed.progress()


async def _sit_down(client: Client, table: Table, wanted: SeatWanted, session: Session) -> None:
    setup = session.setup
    try:
        await client.join(wanted.game_id, code=wanted.code, own_chain=setup.own_chain, sign_moves=setup.sign_moves)
    except Refused as refusal:
        # A player who has a seat comes back to it, even if the game has begun.
        if refusal.reason not in _SEATED_BEFORE or (await table.game()).view.viewer is None:
            raise


async def _filled(session: Session, table: Table, wanted: TableWanted) -> Progress:
    """Let the bots sit down at a new table, and begin if there are any."""
    followed = await session.follow(table)
    version = 0
    for strategy in wanted.bots:
        version = (await table.add_bot(strategy)).version
    if wanted.bots and wanted.start:
        version = (await table.start()).version
    await followed.settle(version)
    return followed.progress()


def _options(wanted: TableWanted) -> Options:
    clock = wanted.turn_seconds
    if clock is None and not wanted.bots:
        clock = CLOCK_SECONDS
    return Options(
        chips=wanted.chips,
        wild_aces=wanted.wild_aces,
        raise_rule=wanted.raise_rule,
        dice_each=wanted.dice_each,
        opener=wanted.opener,
        turn_seconds=clock or None,
        on_timeout=wanted.on_timeout,
    )


def _named(offered: tuple[OfferedRulebook, ...], rulebook: str) -> OfferedRulebook:
    books = {book.id: book for book in offered}
    if (book := books.get(rulebook)) is None:
        known = ", ".join(books)
        raise not_done("NO_SUCH_RULEBOOK", text_shown(f"The server has no rulebook {rulebook}; the books are {known}."))
    return book


def _rulebook(book: OfferedRulebook, rules: tuple[str, ...] = ()) -> Rulebook:
    return Rulebook(
        id=book.id,
        title=text_shown(book.title),
        players=f"{book.players_min} to {book.players_max}",
        in_short=_in_short(book),
        options=tuple(_options_of(book)),
        rules=rules,
    )


def _in_short(book: OfferedRulebook) -> str:
    name = text_shown(book.wild_name)
    wild = f"Face 1, the {name}, counts towards every bid" if book.wild else f"Face 1, the {name}, is a plain face"
    reroll = "; after a bid its bidder may show some dice and reroll the others" if book.show_and_reroll else ""
    return f"{wild}{reroll}."


def _options_of(book: OfferedRulebook) -> list[str]:
    """The options that a book has, a line each."""
    own = {
        "chips: play for chips": book.chips,
        "wild_aces: ones count as every face": book.wild_aces,
        f"raise_rule: one of {', '.join(book.raise_rules)}": len(book.raise_rules) > 1,
        "opener: the seat that opens the first round": book.opener_named,
    }
    return ["dice_each: 1 to 10", "turn_seconds: a clock", *(text for text, there in own.items() if there)]


async def _first(found: AsyncIterator[ListedPage], limit: int, but: Collection[str] = ()) -> tuple[list[Listed], bool]:
    """The first entries of a list, without those that are named, and whether it is complete.

    There is one more than the limit if there are more.
    """
    taken: list[Listed] = []
    is_complete, closing = True, cast("Any", found)
    async with aclosing(closing):
        async for page in found:
            is_complete = is_complete and page.is_complete
            taken += [listed for listed in page.games if listed.game_id not in but]
            if len(taken) > limit:
                break
    return taken[: limit + 1], is_complete


def _listed(game: Listed) -> TableListed:
    return TableListed(
        game_id=game.game_id,
        rulebook=game.rulebook,
        phase=game.phase,
        player_names=tuple(map(name_shown, game.players)),
        seats=game.seats_max,
        turn_seconds=game.turn_seconds,
        private=game.private,
        practice_of=game.forked_from,
    )
