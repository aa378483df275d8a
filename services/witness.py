"""`liarsdice witness`: countersign the checkpoints of logs, and notice if one of them changes its past."""

import argparse
import sys
from pathlib import Path

from infra.checkpoints import read_proof
from infra.key_files import create_key_file
from infra.notes import NOTE_LENGTH_MAX, Cosigner, check_name, read_vkey
from infra.witness import ConsistencyWrong, LogForked, LogRolledBack, Observation, Witness
from services.failure import CommandFailed
from services.subcommands import Subcommands

CONTRADICTED = 3
"""The exit code if a checkpoint does not follow from what was seen before."""

_NAME = "liarsdice-witness"
_HEADER = "Keys of a witness, the newest last. Keep them secret."


def add_to(subcommands: Subcommands) -> None:
    """Add the subcommand."""
    text = "countersign a checkpoint that follows from those seen before"
    parser = subcommands.add_parser(
        "witness",
        help=text,
        description=f"{text[0].upper()}{text[1:]}: print it with the witness's signature. "
        f"The exit code is {CONTRADICTED} if it does not follow, and 2 if that can't be told.",
    )
    parser.add_argument("checkpoint", type=Path, metavar="CHECKPOINT", help="the file with the signed checkpoint")
    parser.add_argument(
        "--state", type=Path, required=True, metavar="FILE", help="what was seen; made if it is not there"
    )
    parser.add_argument(
        "--key-file", type=Path, required=True, metavar="FILE", help="the keys; made if it is not there"
    )
    parser.add_argument(
        "--log-key",
        action="append",
        required=True,
        metavar="KEY",
        help="what verifies a log, once for each of its keys",
    )
    parser.add_argument("--name", default=_NAME, help=f"of the witness, such as a host and a path ({_NAME})")
    parser.add_argument("--proof", type=Path, metavar="FILE", help="that it begins with the last one that was seen")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    if sys.stdout is None:
        raise CommandFailed("standard output is closed, so nobody would get the signature")
    check_name(arguments.name)
    logs = [read_vkey(text) for text in arguments.log_key]
    content, proof = _from_files(arguments)
    cosigners = [Cosigner(arguments.name, seed) for seed in create_key_file(arguments.key_file, _HEADER)]
    try:
        # All keys sign, the newest first.
        observation = Witness(arguments.state, cosigners[::-1], logs).observe(content, proof)
    except (LogForked, LogRolledBack, ConsistencyWrong) as contradiction:
        print(f"liarsdice: {contradiction}", file=sys.stderr)
        return CONTRADICTED
    _tell(observation, cosigners)
    sys.stdout.buffer.write(bytes(observation.note))
    return 0


def _from_files(arguments: argparse.Namespace) -> tuple[bytes, tuple[bytes, ...] | None]:
    """The checkpoint and its proof. Asked from a server, they would come in here: `Witness.last` says from where on."""
    proof = None if arguments.proof is None else read_proof(_content(arguments.proof))
    return _content(arguments.checkpoint), proof


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            # One byte more is enough to tell that it is too long.
            return file.read(NOTE_LENGTH_MAX + 1)
    except OSError as error:
        raise CommandFailed(f"can't read {path}: {error.strerror}") from None


def _tell(observation: Observation, cosigners: list[Cosigner]) -> None:
    checkpoint, previous = observation.checkpoint, observation.previous
    if previous is None:
        print(
            f"Never saw {checkpoint.origin} before: its {checkpoint.size} leaves are taken on trust.", file=sys.stderr
        )
    else:
        print(
            f"The {checkpoint.size} leaves of {checkpoint.origin} begin with the {previous.size} seen before.",
            file=sys.stderr,
        )
    for cosigner in cosigners:
        print(f"Signed by {cosigner.verifier.vkey}", file=sys.stderr)
