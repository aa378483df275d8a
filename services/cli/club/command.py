"""`liarsdice club`: found and join clubs, run them, and look at their seasons."""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable

import msgspec

from infra.failure import CommandFailed
from services.cli.caller import failures_in_a_sentence, identified
from services.cli.club.invitation import invitation_of
from services.cli.club.screen import attendance_tables, club_tables, list_table, season_tables
from services.cli.columns import print_uncropped
from services.cli.completeness import add_completeness_flags, until_complete
from services.cli.flags.of_clients import add_server_flags, tls_of
from services.cli.flags.values import count_or_none
from services.cli.output import output
from services.cli.terminal import PipedConsole, say, say_json
from services.client import Client, Invited
from services.export.formats import FORMATS, exported

Act = Callable[[Client, argparse.Namespace], Awaitable[None]]


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        "A club is a group of players with a season table of its own. A game counts in it if all people at the table are"
        " members when it ends, also at private tables. Only members see a club. docs/play/clubs.md describes it."
    )
    parts = parser.add_subparsers(required=True, metavar="what")
    new = _part(parts, "new", "found a club, and get the code that others join with", _found)
    new.add_argument("club_name", metavar="NAME", help="the name of the club")
    new.add_argument("--season", default="", metavar="NAME", help="the name of the first season (default: Season 1)")
    new.add_argument(
        "--time-zone", default="", metavar="ZONE", help="such as Europe/Berlin, for the days (default: UTC)"
    )
    new.add_argument("--bots", action="store_true", help="count games in which bots of the server play too")
    add_completeness_flags(_part(parts, "list", "your clubs", _list))
    join = _part(parts, "join", "become a member", _join)
    join.add_argument("club", metavar="CLUB", help="the id of the club, or the link of an invitation")
    join.add_argument("code", nargs="?", metavar="CODE", help="its code; a link has it already")
    _of_club(parts, "show", "its members, its seasons and, for the organiser, its code", _show)
    _of_season(parts, "table", "the table of a season", _table)
    _of_season(parts, "attendance", "who played on which day", _attendance)
    export = _of_season(parts, "export", "write the games of a season to a file", _export, as_json=False)
    export.add_argument("--format", choices=list(FORMATS), default="ndjson", help="default: %(default)s")
    export.add_argument("--out", default="-", metavar="FILE", help="the file to write (default: standard output)")
    season = _of_club(parts, "season", "start a season, which ends the running one; for the organiser", _season)
    season.add_argument("season_name", nargs="?", metavar="NAME", help="its name")
    season.add_argument("--end", action="store_true", help="only end the running season")
    _of_club(parts, "code", "replace the code; for the organiser", _code)
    for name, text, act in (
        ("remove", "end the membership of another player; for the organiser", _remove),
        ("hand-over", "make another member the organiser; for the organiser", _hand_over),
    ):
        _of_club(parts, name, text, act).add_argument("player", metavar="PLAYER", help="the id of a member")
    _of_club(parts, "leave", "end your membership; your results stay", _leave)


def run(arguments: argparse.Namespace) -> int:
    """Do what the arguments say."""
    with failures_in_a_sentence():
        asyncio.run(_act(arguments))
    return 0


def _part(
    parts: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    text: str,
    act: Act,
    *,
    as_json: bool = True,
) -> argparse.ArgumentParser:
    part = parts.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
    if as_json:
        part.add_argument("--json", action="store_true", help="print one line of JSON for programs")
    add_server_flags(part)
    part.set_defaults(run=run, act=act)
    return part


def _of_club(
    parts: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    text: str,
    act: Act,
    *,
    as_json: bool = True,
) -> argparse.ArgumentParser:
    part = _part(parts, name, text, act, as_json=as_json)
    part.add_argument("club", metavar="CLUB", help="the id of the club")
    return part


def _of_season(
    parts: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    text: str,
    act: Act,
    *,
    as_json: bool = True,
) -> argparse.ArgumentParser:
    part = _of_club(parts, name, text, act, as_json=as_json)
    part.add_argument(
        "--season", type=count_or_none, metavar="N", help="the number of a season, 0 for all (default: the newest)"
    )
    add_completeness_flags(part)
    return part


async def _act(arguments: argparse.Namespace) -> None:
    _, token = await identified(arguments)
    async with Client.connect(arguments.server, token, tls_of(arguments)) as client:
        await arguments.act(client, arguments)


async def _found(client: Client, arguments: argparse.Namespace) -> None:
    founded = await client.clubs.found(
        arguments.club_name, season=arguments.season, time_zone=arguments.time_zone, counts_bots=arguments.bots
    )
    if arguments.json:
        _say_json(founded)
        return
    club_id = founded.club.club_id
    say(f"You have founded {founded.club.name}. Others join with: liarsdice club join {club_id} {founded.code}")
    say("Only members see the club. Whoever has the code can become one, so give it to your players only.")


async def _list(client: Client, arguments: argparse.Namespace) -> None:
    freshness = await until_complete(client, arguments, "clubs")
    clubs = await client.clubs.list()
    if arguments.json:
        _say_json({"clubs": clubs, "freshness": freshness})
    elif clubs:
        print_uncropped(PipedConsole(), list_table(clubs))
    else:
        say("You are in no club yet.")


async def _join(client: Client, arguments: argparse.Namespace) -> None:
    club_id, code = invitation_of(arguments.club, arguments.code)
    club = await client.clubs.join(club_id, code)
    if arguments.json:
        _say_json(club)
    else:
        say(f"You are a member of {club.name} now.")


async def _show(client: Client, arguments: argparse.Namespace) -> None:
    shown = await client.clubs.club(arguments.club)
    _print_club(shown, as_json=arguments.json)


async def _table(client: Client, arguments: argparse.Namespace) -> None:
    await until_complete(client, arguments, "statistics")
    found = await client.clubs.season_table(arguments.club, arguments.season)
    if arguments.json:
        _say_json(found)
        return
    for table in season_tables(found):
        print_uncropped(PipedConsole(), table)


async def _attendance(client: Client, arguments: argparse.Namespace) -> None:
    await until_complete(client, arguments, "statistics")
    found = await client.clubs.attendance(arguments.club, arguments.season)
    if arguments.json:
        _say_json(found)
        return
    for table in attendance_tables(found):
        print_uncropped(PipedConsole(), table)


async def _export(client: Client, arguments: argparse.Namespace) -> None:
    await until_complete(client, arguments, "history", "statistics", strictly=True)
    games = 0

    async def records() -> AsyncIterator[bytes]:
        nonlocal games
        async for part in client.clubs.export(arguments.club, arguments.season):
            for record in part.records:
                games += 1
                yield record

    with output(arguments.out) as out:
        async for piece in exported(records(), FORMATS[arguments.format].begin()):
            out.write(piece)
    say(f"{games} games", file=sys.stderr)


async def _season(client: Client, arguments: argparse.Namespace) -> None:
    if bool(arguments.season_name) == arguments.end:
        raise CommandFailed("name the new season, or say --end")
    if arguments.end:
        club = await client.clubs.end_season(arguments.club)
    else:
        club = await client.clubs.start_season(arguments.club, arguments.season_name)
    _print_club(Invited(club, ""), as_json=arguments.json)


async def _code(client: Client, arguments: argparse.Namespace) -> None:
    code = await client.clubs.change_code(arguments.club)
    if arguments.json:
        _say_json({"code": code})
    else:
        say(f"Others join with: liarsdice club join {arguments.club} {code}")


async def _remove(client: Client, arguments: argparse.Namespace) -> None:
    club = await client.clubs.remove(arguments.club, arguments.player)
    _print_club(Invited(club, ""), as_json=arguments.json)


async def _hand_over(client: Client, arguments: argparse.Namespace) -> None:
    club = await client.clubs.hand_over(arguments.club, arguments.player)
    _print_club(Invited(club, ""), as_json=arguments.json)


async def _leave(client: Client, arguments: argparse.Namespace) -> None:
    await client.clubs.leave(arguments.club)
    if arguments.json:
        _say_json({"club_id": arguments.club})
    else:
        say("You are no member of this club any more.")


def _print_club(shown: Invited, *, as_json: bool) -> None:
    if as_json:
        _say_json(shown if shown.code else shown.club)
        return
    for table in club_tables(shown.club, shown.code):
        print_uncropped(PipedConsole(), table)


def _say_json(value: object) -> None:
    say_json(msgspec.to_builtins(value))
