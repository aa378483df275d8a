"""`liarsdice witness`: sign the checkpoints of logs too, and notice if a log changes its past."""

import argparse
import asyncio
import sys
from pathlib import Path
from secrets import token_hex

from liarsdice.v1 import audit_service_pb2 as wire

from infra.failure import CommandFailed
from infra.keys.key_files import claim_name, create_key_file, keys_of_file
from infra.log.checkpoints import read_checkpoint, read_proof
from infra.log.notes import NOTE_LENGTH_MAX, Cosigner, check_name, read_note, read_vkey
from infra.log.witness import ConsistencyWrong, LogForked, LogRolledBack, Observation, Witness
from infra.log.witness_server import serving_witness
from services.access.endpoint import host_and_port
from services.app.run_loop import run_to_its_end
from services.cli.flags.of_clients import add_tls_flags, tls_of
from services.cli.flags.of_output import add_json
from services.cli.output import output
from services.cli.service_log import start_log
from services.cli.service_process import stop_signal
from services.cli.terminal import say, say_json
from services.client import Refused
from services.client.channel import Channel

CONTRADICTED = 3
"""The exit code if a checkpoint contradicts those seen before."""

_NAME = "liarsdice-witness"
"""The name of witnesses whose key file is older than names in key files."""
_NAME_BYTES = 8
_SECONDS_MAX = 30.0
_HEADER = "Keys of a witness, the newest last. Keep them secret."


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        "Sign a checkpoint that follows from those seen before, and print it with the witness's signature. "
        f"The exit code is {CONTRADICTED} if it does not follow, and 2 if the witness can't find out."
    )
    parser.add_argument(
        "checkpoint", type=Path, nargs="?", metavar="CHECKPOINT", help="the file with the signed checkpoint"
    )
    parser.add_argument(
        "--server",
        metavar="HOST:PORT",
        help="ask this server for its latest checkpoint and for the proof, and read no file",
    )
    add_tls_flags(parser)
    parser.add_argument(
        "--state",
        type=Path,
        required=True,
        metavar="FILE",
        help="the file with what the witness has seen; created if it does not exist",
    )
    parser.add_argument(
        "--key-file",
        type=Path,
        required=True,
        metavar="FILE",
        help="the file with the keys of the witness; created if it does not exist",
    )
    parser.add_argument(
        "--log-key",
        action="append",
        required=True,
        metavar="KEY",
        help="a public key of the log; give the flag once for each key",
    )
    parser.add_argument(
        "--name",
        help="the name of the witness, such as a host and a path (default: the one in the key file; a new key file gets one"
        " that is unique)",
    )
    parser.add_argument(
        "--proof",
        type=Path,
        metavar="FILE",
        help="the file with the proof that the log only grew since the last checkpoint seen",
    )
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        help="serve the protocol of witnesses (C2SP tlog-witness) here, so that logs can ask by themselves; a proxy in front"
        " does TLS",
    )
    add_json(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    if sys.stdout is None:
        raise CommandFailed("standard output is closed, so the signature would be lost")
    if arguments.name is not None:
        check_name(arguments.name)
    logs = list(dict.fromkeys(read_vkey(text) for text in arguments.log_key))
    if len({log.public_key for log in logs}) < len(logs):
        raise CommandFailed("one key is given as the key of two logs; each log has keys of its own")
    sources = [arguments.server, arguments.checkpoint, arguments.listen]
    if sources.count(None) != len(sources) - 1 or (arguments.checkpoint is None and arguments.proof is not None):
        problem = (
            "name a file with a checkpoint, with --proof if you have one, or a --server to ask, or where to --listen"
        )
        raise CommandFailed(problem)
    cosigners = _cosigners(arguments.key_file, arguments.name)
    # All keys sign, the newest first.
    witness = Witness(arguments.state, cosigners[::-1], logs)
    if arguments.listen is not None:
        start_log()
        return run_to_its_end(_serve(witness, cosigners, arguments.listen))
    content, proof = (
        _from_files(arguments) if arguments.server is None else asyncio.run(_from_server(arguments, witness))
    )
    try:
        observation = witness.observe(content, proof)
    except (LogForked, LogRolledBack, ConsistencyWrong) as contradiction:
        say(f"liarsdice: {contradiction}", file=sys.stderr)
        return CONTRADICTED
    if arguments.json:
        say_json(_observed(observation, cosigners))
        return 0
    _report(observation, cosigners)
    with output("-") as out:
        out.write(bytes(observation.note))
    return 0


async def _serve(witness: Witness, cosigners: list[Cosigner], listen: str) -> int:
    """Serve until a signal stops it."""
    async with serving_witness(witness, *host_and_port(listen)) as address:
        stopped = stop_signal()
        for cosigner in cosigners:
            say(f"cosigning with {cosigner.verifier.vkey}")
        say(f"serving witnesses' HTTP on http://{address}")
        await stopped.wait()
    return 0


def _cosigners(path: Path, name: str | None) -> list[Cosigner]:
    """The keys of the witness. They sign under one name only, or one witness could pass for two."""
    create_key_file(path, _HEADER, name or f"{_NAME}/{token_hex(_NAME_BYTES)}")
    seeds = keys_of_file(path)
    known = claim_name(path, name or _NAME)
    if name is not None and name != known:
        raise CommandFailed(f"the keys in {path} are those of the witness {known}; make other keys for {name}")
    return [Cosigner(known, seed) for seed in seeds]


def _from_files(arguments: argparse.Namespace) -> tuple[bytes, tuple[bytes, ...] | None]:
    """The checkpoint and its proof."""
    proof = None if arguments.proof is None else read_proof(_content(arguments.proof))
    return _content(arguments.checkpoint), proof


async def _from_server(arguments: argparse.Namespace, witness: Witness) -> tuple[bytes, tuple[bytes, ...] | None]:
    """The latest checkpoint of a server, and the proof that the log only grew since the last one seen."""
    async with Channel(arguments.server, tls=tls_of(arguments)) as channel:
        audit = channel.audit
        try:
            answer = await channel.ask_once(audit.GetCheckpoint, wire.GetCheckpointRequest(), _SECONDS_MAX)
            if not answer.checkpoint:
                raise CommandFailed(f"the log of {arguments.server} is empty: no round has ended there yet")
            checkpoint = read_checkpoint(read_note(answer.checkpoint).text)
            last = witness.last(checkpoint.origin)
            if last is None or last.size > checkpoint.size:
                return answer.checkpoint, None
            request = wire.GetConsistencyProofRequest(old_size=last.size, new_size=checkpoint.size)
            proof = await channel.ask_once(audit.GetConsistencyProof, request, _SECONDS_MAX)
            return answer.checkpoint, tuple(proof.hashes)
        except Refused as refusal:
            raise CommandFailed(f"{arguments.server} does not answer as it should: {refusal}") from None


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            # One byte more is enough to see that the file is too long.
            return file.read(NOTE_LENGTH_MAX + 1)
    except OSError as error:
        raise CommandFailed(f"can't read {path}: {error.strerror}") from None


def _observed(observation: Observation, cosigners: list[Cosigner]) -> dict[str, object]:
    """What was signed, as JSON."""
    checkpoint, previous = observation.checkpoint, observation.previous
    return {
        "origin": checkpoint.origin,
        "size": checkpoint.size,
        "root": checkpoint.root,
        "previous_size": None if previous is None else previous.size,
        "signed_by": [cosigner.verifier.vkey for cosigner in cosigners],
        "note": bytes(observation.note).decode(),
    }


def _report(observation: Observation, cosigners: list[Cosigner]) -> None:
    checkpoint, previous = observation.checkpoint, observation.previous
    if previous is None:
        say(f"Never saw {checkpoint.origin} before: its {checkpoint.size} leaves are taken on trust.", file=sys.stderr)
    else:
        say(
            f"The {checkpoint.size} leaves of {checkpoint.origin} begin with the {previous.size} seen before.",
            file=sys.stderr,
        )
    for cosigner in cosigners:
        say(f"Signed by {cosigner.verifier.vkey}", file=sys.stderr)
