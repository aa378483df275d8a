"""`liarsdice verify`: check a bundle without a server, and print what it proves."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from rich.cells import cell_len
from rich.text import Text

from infra.failure import CommandFailed
from services.cli.columns import padded
from services.cli.flags.of_output import add_json
from services.cli.terminal import PipedConsole, say_json
from services.cli.witness_policy import Trust, policy_from
from services.verifier import BUNDLE_BYTES_MAX, Failed, Json, Report, Round, read_key, verify

NOT_PROVEN = 1
_NAME_WIDTH_MIN = 10


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = "Checks everything in a bundle and prints what it proves. The exit code is 1 if a check fails."
    parser.add_argument("file", metavar="FILE", help="the bundle; - is standard input")
    parser.add_argument(
        "--public-key",
        metavar="KEY",
        help="the public key of the server, or a file with it (default: the key in the bundle)",
    )
    parser.add_argument(
        "--witness-key",
        action="append",
        default=[],
        metavar="KEY",
        help="the public key of a witness that must have signed the checkpoint",
    )
    parser.add_argument(
        "--policy",
        metavar="FILE",
        help="a policy (C2SP tlog-policy): the logs and witnesses to trust, and the quorum that must have cosigned",
    )
    parser.add_argument(
        "--receipts", metavar="FILE", help="a player's receipts for the same game, to compare with the bundle"
    )
    parser.add_argument(
        "--receipt-key", action="append", default=[], metavar="KEY", help="an older key of the log that signed receipts"
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check the bundle and print the report, or the first check that failed."""
    public_key = None if arguments.public_key is None else _key(arguments.public_key)
    witness_keys = [_key(text) for text in arguments.witness_key]
    receipt_keys = [_key(text) for text in arguments.receipt_key]
    receipts = None if arguments.receipts is None else _read(arguments.receipts)
    policy = None if arguments.policy is None else policy_from(arguments.policy)
    bundle = _read(arguments.file)
    trust = None if policy is None else Trust(policy, bundle)
    if trust is not None:
        public_key, witness_keys = public_key or trust.log_key, [*witness_keys, *trust.witness_keys]
    try:
        report = verify(bundle, public_key, witness_keys, receipts=receipts, receipt_keys=receipt_keys)
        if trust is not None:
            trust.judge(report)
    except Failed as failed:
        return _show_failure(failed, as_json=arguments.json)
    if arguments.json:
        say_json(report)
    else:
        show_report(report)
    return 0


def _read(name: str) -> bytes:
    if name == "-":
        if sys.stdin is None:
            raise CommandFailed("standard input is closed; name a file")
        return sys.stdin.buffer.read(BUNDLE_BYTES_MAX + 1)  # One byte more shows that it is too large.
    try:
        with Path(name).open("rb") as file:
            return file.read(BUNDLE_BYTES_MAX + 1)
    except (OSError, ValueError) as error:
        raise CommandFailed(f"can't read {name}: {getattr(error, 'strerror', None) or error}") from None


def _key(text: str) -> str:
    """A key from its text, or from the file of that name."""
    try:
        read_key(text)
    except ValueError:
        key = _read(text).decode(errors="replace").strip() if _is_file(text) else ""
        try:
            read_key(key)
        except ValueError:
            raise CommandFailed(f"{text} is not a key, and not a file with one: a key is NAME+ID+KEY") from None
        return key
    return text


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def _show_failure(failed: Failed, *, as_json: bool) -> int:
    """Print which check failed; the exit code."""
    if as_json:
        say_failure(failed)
    else:
        console = PipedConsole()
        console.print(Text.assemble(("Failed: ", "bold red"), (failed.check, "bold")), soft_wrap=True)
        console.print(failed.sentence, soft_wrap=True)
    return NOT_PROVEN


def say_failure(failed: Failed) -> None:
    """Print which check failed, as JSON."""
    say_json({"failed": failed.check, "sentence": failed.sentence})


def show_report(report: Report) -> None:
    """Print what a bundle proves."""
    console = PipedConsole()
    about = "the whole game" if report.round is None else f"round {report.round}"
    console.print(
        Text.assemble(("Verified", "bold green"), f": {about} of game {report.game_id}, by {report.rulebook}.")
    )
    for player in report.players:
        console.print(_player(player))
    names = _names(report.players)
    for played in report.rounds:
        console.print(*_round(played, names), sep="\n")
    if report.places:
        places = ", ".join(" and ".join(names[seat] for seat in place) for place in report.places)
        console.print("", Text.assemble(("Places: ", "bold"), places), sep="\n")
    if report.abandoned is not None:
        console.print("", Text.assemble(("Abandoned: ", "bold"), report.abandoned), sep="\n")
    for title, colour, sentences in (("Proven", "green", report.proven), ("Not proven", "yellow", report.not_proven)):
        lines = [f"- {sentence}" for sentence in sentences or ("nothing",)]
        console.print("", Text(title, f"bold {colour}"), *lines, sep="\n", soft_wrap=True)


def _names(players: list[Json]) -> list[str]:
    """The names of the seats, with their numbers if two have the same name."""
    names = [str(player["name"]) for player in players]
    return [f"{name} ({seat})" if names.count(name) > 1 else name for seat, name in enumerate(names)]


def _player(player: Json) -> Text:
    signs = _signs(player) if player["signs"] else "signs nothing"
    own = f"holds the chain {player['anchor']}"
    holder = own if player["chain_held_by"] == "player" else "lets the server hold the chain"
    name = f"  seat {player['seat']}: {player['name']}"
    return Text(f"{name} ({player['kind']}, {player['player_id']}), {holder}, {signs}")


def _signs(player: Json) -> str:
    """How many moves a player has signed, and how many the clock made instead."""
    signed = f"has signed {player['signed_moves']} moves with {player['signing_key']}"
    late = player["clock_moves"]
    return signed if not late else f"{signed}; the clock made {late} {'move' if late == 1 else 'moves'}"


def _round(played: Round, names: list[str]) -> Iterator[Text]:
    """The lines about a round."""
    kind = ", a Palafico round" if played.palafico else ""
    yield Text()
    yield Text.assemble((f"Round {played.number}{kind}", "bold"), f", opened by {names[played.opener]}")
    width = max(_NAME_WIDTH_MIN, *map(cell_len, names))
    for seat, name in enumerate(names):
        dice = [die for die in played.dice if die["seat"] == seat]
        if dice:
            yield Text.assemble(f"  {padded(name, width)} ", Text(" ").join(_die(die) for die in dice))
    if played.dice:
        yield Text("  * counts, w counts as a wild, [ ] was shown before the cups were lifted", style="dim")
    yield from map(Text, _result(played, names))
    if played.next_opener is not None:
        yield Text(f"  {names[played.next_opener]} opens the next round.")
    yield Text(f"  By {', '.join(played.clauses)}.", style="dim")


def _die(die: Json) -> Text:
    """A die: with a star if it counts, with a w if it counts as a wild, in brackets if it was shown."""
    mark = " " if not die["counts"] else "w" if die["why"] == "wild" else "*"
    face = f"[{die['face']}{mark}]" if die["shown"] else f" {die['face']}{mark} "
    return Text(face, style="bold green" if die["counts"] else "dim")


def _early_end(played: Round, names: list[str]) -> str:
    """Why a round ended without a challenge."""
    if played.forfeit is None:
        return "The game was abandoned in this round."
    name, is_late = names[played.forfeit["seat"]], played.forfeit["reason"] == "time"
    return f"{name} ran out of time and is out." if is_late else f"{name} gave up and is out."


def _result(played: Round, names: list[str]) -> Iterator[str]:
    result = played.result
    if result is None:
        yield f"  {_early_end(played, names)}"
        return
    bid, wilds = result["bid"], sum(die["why"] == "wild" for die in played.dice)
    counted = f"{result['actual']} count" + (f", {wilds} of them as wilds" if wilds else "")
    made = f"{names[bid['seat']]} bid {bid['quantity']} x {bid['face']}, {names[result['challenger']]} challenged"
    yield f"  {made}: {counted}. {names[result['winner']]} wins the challenge."
    for loss in result["penalties"]:
        yield f"  {names[loss['seat']]} loses {loss['lost']} (the penalty is {loss['penalty']})."
    for seat in played.eliminated:
        yield f"  {names[seat]} is out."
