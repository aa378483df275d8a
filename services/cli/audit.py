"""`liarsdice audit`: prove a round of a game and write the proof to a file, dispute it, or check the whole store."""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

from liarsdice.v1 import audit_service_pb2 as wire

from infra.events.mapping import EventMapper, EventTranscoder
from infra.failure import CommandFailed
from infra.postgres.event_reader import EventReader
from infra.postgres.log_reader import LogReader
from services.app.environment import (
    check_there_is_a_store,
    database_told,
    find_log_keys,
    open_sealed_database,
)
from services.app.run_loop import run_to_its_end
from services.audit.store_check import Checked, StoreCheck
from services.cli.caller import failures_in_a_sentence, identified, token_file_of
from services.cli.flags.of_clients import add_server_flags, tls_of
from services.cli.flags.of_games import add_code
from services.cli.flags.of_output import add_json
from services.cli.flags.of_stores import add_data, data_directory_of
from services.cli.flags.values import count
from services.cli.output import output
from services.cli.own_seat import NOTHING_KEPT, agreement, differences, own_game
from services.cli.terminal import PipedConsole, say, say_json
from services.cli.tlog_proof import tlog_proof
from services.cli.verify import say_failure, show_report
from services.client import PlayedGame, SeatKeeper
from services.client.channel import Channel, new_request_id
from services.client.past_answers import Dispute
from services.verifier import Failed, verify
from services.wire.translation import from_message

_SECONDS_MAX = 30.0
_DIFFERS = 1


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        "With a game: ask its server for the proof of a round, or of the whole game once it is over, check it here,"
        " print the report and write the bundle to a file. With --store: check every stored event against the signed log."
    )
    parser.add_argument("game", nargs="?", metavar="GAME", help="the game")
    parser.add_argument("--round", type=count, metavar="N", help="the round (default: the whole game)")
    parser.add_argument("--out", metavar="FILE", help="the file for the bundle (default: GAME-round-N.bundle)")
    parser.add_argument("--public-key", metavar="KEY", help="the public key that the log must be signed with")
    parser.add_argument(
        "--receipts-out",
        metavar="FILE",
        help="a file for the receipts that your client has kept, to show them to others",
    )
    parser.add_argument(
        "--tlog-proof",
        metavar="FILE",
        help="also write the proof that the log has the round to this file, as other programs read it (C2SP tlog-proof);"
        " FILE.entry gets the entry that it proves",
    )
    add_code(parser)
    parser.add_argument("--dispute", metavar="REASON", help="dispute the result of the round, and print the ruling")
    parser.add_argument("--disputes", action="store_true", help="print only the disputes about the game")
    add_json(parser)
    add_server_flags(parser)
    parser.add_argument("--store", action="store_true", help="check the whole store, not a game")
    add_data(parser, "the store and its keys", "with --store: ")
    parser.add_argument(
        "--log-origin",
        metavar="NAME",
        help="with --store: the log's name (default: the one in the key file)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Audit."""
    if arguments.store == (arguments.game is not None):
        raise CommandFailed("name a game, or say --store")
    if arguments.store:
        with database_told():
            checked = run_to_its_end(_check_store(data_directory_of(arguments), arguments.log_origin))
        return _show_check(checked, as_json=arguments.json)
    if arguments.dispute is not None and arguments.round is None:
        raise CommandFailed("--dispute needs --round")
    if arguments.json and arguments.dispute is not None and not arguments.disputes:
        raise CommandFailed("--json is one answer: with --dispute, say --disputes too")
    if arguments.json and arguments.out == "-":
        raise CommandFailed("standard output can't have both the JSON and the bundle: name a file with --out")
    with failures_in_a_sentence():
        return asyncio.run(_audit(arguments))


async def _audit(arguments: argparse.Namespace) -> int:
    player, token = await identified(arguments)
    async with Channel(arguments.server, token, tls_of(arguments)) as channel:
        if arguments.dispute is not None:
            opened = await _open_dispute(channel, arguments)
            if not arguments.json:
                _show_dispute(opened)
        if arguments.disputes:
            return _show_disputes(await _disputes(channel, arguments), as_json=arguments.json)
        request = wire.GetAuditRequest(game_id=arguments.game, round=arguments.round, invitation_code=arguments.code)
        bundle = (await channel.ask_once(channel.audit.GetAudit, request, _SECONDS_MAX)).bundle
    seats = SeatKeeper(token_file_of(arguments).parent / "seats")
    name = (arguments.server, player.player_id, arguments.game)
    return _write_proven(arguments, bundle, own_game(seats, *name), seats.receipts(*name))


async def _open_dispute(channel: Channel, arguments: argparse.Namespace) -> wire.Dispute:
    request = wire.OpenDisputeRequest(
        request_id=new_request_id(), game_id=arguments.game, round=arguments.round, reason=arguments.dispute
    )
    return (await channel.ask_once(channel.audit.OpenDispute, request, _SECONDS_MAX)).dispute


async def _disputes(channel: Channel, arguments: argparse.Namespace) -> Sequence[wire.Dispute]:
    request = wire.ListDisputesRequest(game_id=arguments.game, invitation_code=arguments.code)
    return (await channel.ask_once(channel.audit.ListDisputes, request, _SECONDS_MAX)).disputes


def _write_proven(arguments: argparse.Namespace, bundle: bytes, own: PlayedGame | None, receipts: bytes) -> int:
    """Check a bundle, print what it proves and write it to a file; a bundle that fails is written too, for evidence.

    `own` is what the client of the caller has kept of the game, and `receipts` what the server has signed for it.
    """
    name = arguments.out or f"{arguments.game}{'' if arguments.round is None else f'-round-{arguments.round}'}.bundle"
    if receipts and arguments.receipts_out is not None:
        _write(arguments.receipts_out, receipts)
    try:
        report = verify(bundle, arguments.public_key, receipts=receipts or None)
    except Failed as failure:
        if arguments.json:
            say_failure(failure)
        name += "" if name == "-" else ".failed"
        _write(name, bundle)
        problem = f"the bundle, in {name}, does not hold ({failure.check}): {failure.sentence}"
        raise CommandFailed(problem) from None
    _write(name, bundle)
    if arguments.tlog_proof is not None:
        entry, proof = tlog_proof(bundle)
        _write(arguments.tlog_proof, proof)
        _write(f"{arguments.tlog_proof}.entry", entry)
    found = [] if own is None else differences(own, report)
    if arguments.json:
        say_json(report)
    else:
        show_report(report)
        console = PipedConsole()
        for sentence in found or [NOTHING_KEPT if own is None else agreement(own, report)]:
            console.print("", sentence, sep="\n", soft_wrap=True)
        console.print(f"The bundle is in {name}; liarsdice verify {name} checks it anywhere.")
    return _DIFFERS if found else 0


def _write(name: str, bundle: bytes) -> None:
    with output(name) as file:
        file.write(bundle)


def _show_disputes(disputes: Sequence[wire.Dispute], *, as_json: bool) -> int:
    if as_json:
        say_json({"disputes": [from_message(dispute, Dispute) for dispute in disputes]})
    else:
        for dispute in disputes:
            _show_dispute(dispute)
    return 0


def _show_dispute(dispute: wire.Dispute) -> None:
    """Print a dispute with its ruling and remarks; what people wrote stands in quotes."""
    console = PipedConsole()
    stands = "The result stands." if dispute.ruling.stands else "The result does NOT stand."
    console.print(f"Round {dispute.round}, disputed by seat {dispute.seat}: {dispute.reason!r}")
    console.print(f"Ruling: {stands} {dispute.ruling.finding}")
    for remark in (*dispute.remarks, *([dispute.closing] if dispute.HasField("closing") else [])):
        console.print(f"Remark of {remark.auditor_id}: {remark.text!r}")
    if dispute.HasField("closing"):
        console.print("It is closed.")


async def _check_store(directory: Path, origin: str | None) -> Checked:
    check_there_is_a_store(directory)
    log_keys = find_log_keys(directory, origin)
    async with open_sealed_database(directory) as (url, keys):
        store, log = await EventReader.open(url), await LogReader.open(url)
        try:
            mapper = EventMapper(EventTranscoder(keys, must_open=True))
            return await StoreCheck(store, log, mapper, log_keys.vkeys).run()
        finally:
            await log.close()
            await store.close()


def _show_check(checked: Checked, *, as_json: bool) -> int:
    """Print what the check of a store found; the exit code."""
    if as_json:
        say_json(checked)
        return _DIFFERS if checked.differences else 0
    for difference in checked.differences:
        say(difference)
    found = f"{len(checked.differences)} differences." if checked.differences else "everything is as it was signed."
    say(f"{checked.events} events and {checked.leaves} leaves of the log were checked: {found}")
    return _DIFFERS if checked.differences else 0
