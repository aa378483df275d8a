"""`liarsdice renew-log`: let the log begin anew after a restore, under a new name, with a word of the old log about it."""

import argparse
import os
from pathlib import Path

from domain.refusals import Refusal
from infra.failure import CommandFailed
from infra.keys.key_files import KeysMissing
from infra.keys.log_keys import LOG_KEYS_VARIABLE, SignerRing, create_log_keys, log_keys_in_file
from infra.log.checkpoints import Checkpoint, open_checkpoint
from infra.log.notes import check_name
from infra.log.succession import Succession, sign_succession
from infra.postgres.audit_log import AuditLog
from services.app.environment import check_there_is_a_store, database_told, log_key_file, open_sealed_database
from services.app.run_loop import run_to_its_end
from services.cli.flags.of_stores import add_data, data_directory_of
from services.cli.output import output
from services.cli.terminal import say


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        "After the database was restored to an older state, the log must not go on: witnesses have seen more of it than there is."
        " This signs what is left under a new name and with a new key, and writes a note in which the old log names the new one."
        " Stop all servers first."
    )
    parser.add_argument(
        "last", metavar="CHECKPOINT", type=Path, help="the last checkpoint of the log that anybody has seen"
    )
    parser.add_argument(
        "--out", metavar="FILE", default="succession", help="the file for the note (default: succession)"
    )
    parser.add_argument("--origin", metavar="NAME", help="the new name (default: one that nobody else has)")
    add_data(parser, "the store and its keys")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Let the log begin anew."""
    if LOG_KEYS_VARIABLE in os.environ:
        raise CommandFailed(
            f"the keys are in {LOG_KEYS_VARIABLE}: put them into the file `log-keys` and unset it first"
        )
    if arguments.origin is not None:
        check_name(arguments.origin)
    with database_told():
        return run_to_its_end(_renew(arguments, data_directory_of(arguments)))


async def _renew(arguments: argparse.Namespace, directory: Path) -> int:
    check_there_is_a_store(directory)
    path = log_key_file(directory)
    if not path.exists():
        raise KeysMissing(path=path, command="keys add --log")
    old = log_keys_in_file(path)
    last = _last(arguments.last, old)
    fresh = path.with_name("log-keys.new")
    new = create_log_keys(fresh, arguments.origin)
    if new.origin == old.origin:
        fresh.unlink()
        raise CommandFailed(f"the new log needs another name than {old.origin}")
    async with open_sealed_database(directory) as (url, _):
        log = await AuditLog.open(url)
        try:
            first = await _begun(log, old, new, last)
        finally:
            await log.close()
    with output(arguments.out) as file:
        file.write(sign_succession(Succession(last, first), old, new))
    # The keys change last: whatever stops this command before, the same command completes it.
    kept = path.with_name(f"log-keys.until-{last.size}")
    kept.unlink(missing_ok=True)
    kept.hardlink_to(path)
    fresh.replace(path)
    say(f"the log {new.origin} goes on in place of {old.origin}; its public key is {new.vkeys[-1]}")
    say(f"{last.size - first.size} leaves that were published are lost; publish {arguments.out} and the new key")
    return 0


def _last(path: Path, keys: SignerRing) -> Checkpoint:
    """The checkpoint in a file, if the keys of the log have signed it."""
    try:
        return open_checkpoint(path.read_bytes(), keys.verifiers)[1]
    except OSError as error:
        raise CommandFailed(f"can't read {path}: {error.strerror}") from None
    except Refusal as refusal:
        raise CommandFailed(f"{path} has no checkpoint of this log: {refusal}") from None


async def _begun(log: AuditLog, old: SignerRing, new: SignerRing, last: Checkpoint) -> Checkpoint:
    """The first checkpoint of the new log; refuses where the old one can go on."""
    latest = await log.latest()
    if latest is None:
        raise CommandFailed("nothing of the log is in the database: a new server begins a new log by itself")
    begun = _signed(latest, new)
    if begun is not None:
        await log.sign_again(new)  # Whatever stopped this command before: now the checkpoint is published too.
        return begun
    found = _signed(latest, old)
    if found is None:
        raise CommandFailed("the latest checkpoint in the database is not signed by the keys in `log-keys`")
    if found.size > last.size:
        raise CommandFailed(
            f"the database has {found.size} leaves, more than the {last.size} of the checkpoint: find the last one"
        )
    if found.root == last.root:
        raise CommandFailed("the database has all of that checkpoint: nothing is lost, and the log can go on")
    return await log.begin_anew(old, new)


def _signed(note: bytes, keys: SignerRing) -> Checkpoint | None:
    try:
        return open_checkpoint(note, keys.verifiers)[1]
    except Refusal:
        return None
