"""The report: what happened in the game, what the bundle proves, and what it does not prove."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from .bundle import Bundle
from .form import Json


@dataclass
class Round:
    """A round and its result. Each die has its seat and face, whether it was shown, whether it counts, and why."""

    number: int
    opener: int
    palafico: bool
    dice: list[Json] = field(default_factory=list)
    result: Json | None = None
    eliminated: list[int] = field(default_factory=list)
    next_opener: int | None = None
    clauses: list[str] = field(default_factory=list)


@dataclass
class Report:
    """The report on a bundle; `rounds` has the round that the bundle is about, or all rounds."""

    game_id: str
    round: int | None
    rulebook: str = ""
    players: list[Json] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    places: list[list[int]] = field(default_factory=list)
    abandoned: str | None = None
    proven: list[str] = field(default_factory=list)
    not_proven: list[str] = field(default_factory=list)


@dataclass
class Tally:
    """How much was checked: links that lead to their anchors, and dice that follow from links."""

    links: int = 0
    dice: int = 0


def sum_up(report: Report, bundle: Bundle, tally: Tally, public_key: str | None, witness_keys: Sequence[str]) -> Report:
    """The report, with only the rounds that the bundle is about, and with the sentences on what is proven."""
    report.rounds = [one for one in report.rounds if report.round in (None, one.number)]
    # R16: when a player leaves before the start, the others move down. So the seats get their numbers only now.
    report.players = [player | {"seat": seat} for seat, player in enumerate(report.players)]
    report.proven = _proven(bundle, tally, public_key or bundle.key, len(witness_keys))
    report.not_proven = [
        *_gaps_of_seats(report),
        *_gaps_of_keys(bundle, public_key, len(witness_keys)),
        *_gaps_of_digests(bundle),
    ]
    return report


def _proven(bundle: Bundle, tally: Tally, key: str, witnesses: int) -> list[str]:
    """The sentences on what is proven, now that no check has failed."""
    signed = sum(event.evidence.signed is not None for event in bundle.events)
    log, seen = bundle.checkpoint, f" and seen by {witnesses} witnesses" if witnesses else ""
    return [
        f"{tally.links} links lead to the anchors, and {tally.dice} dice follow from them.",
        f"{len(bundle.events)} events follow from one another by the rules; {signed} moves are signed by their seats.",
        f"They are leaf {bundle.leaf} of the {log.size} in the log {log.origin}, signed by {key}{seen}.",
    ]


def _gaps_of_seats(report: Report) -> list[str]:
    """The sentences on seats for which one has to trust the server."""
    served = [player["seat"] for player in report.players if player["chain_held_by"] == "server"]
    silent = [player["seat"] for player in report.players if not player["signs"]]
    gaps = [f"The server held the chains of seats {served}."] if served else []
    if silent:
        gaps.append(f"Seats {silent} sign nothing: their moves are the server's word.")
    return gaps


def _gaps_of_keys(bundle: Bundle, public_key: str | None, witnesses: int) -> list[str]:
    """The sentences on keys and signatures that were not checked."""
    gaps = [] if public_key is not None else ["The key is the bundle's own: whose it is was not checked."]
    if len(bundle.checkpoint.signatures) > 1 + witnesses:
        gaps.append("Other signatures under the checkpoint were not checked.")
    return gaps


def _gaps_of_digests(bundle: Bundle) -> list[str]:
    """The sentence on events that are older than digests."""
    bare = sum(not event.evidence.digest for event in bundle.events)
    return [f"{bare} events were stored without a digest."] if bare else []
