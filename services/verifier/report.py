"""The report: what happened in the game, what the bundle proves, and what it does not prove."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from .bundle import Bundle
from .checkpoint import Signers
from .form import Json


@dataclass
class Round:
    """A round and its result. Each die has its seat and face, whether it was shown, whether it counts, and why."""

    number: int
    opener: int
    palafico: bool
    dice: list[Json] = field(default_factory=list)
    ending: Literal["challenge", "forfeit", "abandoned"] = "abandoned"
    result: Json | None = None
    """The result of the challenge, if there was one."""
    forfeit: Json | None = None
    """The seat that forfeited and the reason, if the round ended in this way."""
    eliminated: list[int] = field(default_factory=list)
    next_opener: int | None = None
    clauses: list[str] = field(default_factory=list)


@dataclass
class Timeout:
    """A move that the server made because, by its word, the time of a seat was up (R15)."""

    version: int
    """The event that says so."""
    round: int
    """0 before the first round."""
    seat: int
    waited: int
    """How many milliseconds the clock had run."""
    move: str = ""
    """What the clock did: `forfeit`, `challenge`, or a bid such as `bid 2 x 5`."""


@dataclass
class Report:
    """The report on a bundle; `rounds` has the round that the bundle is about, or all rounds."""

    game_id: str
    round: int | None
    rulebook: str = ""
    players: list[Json] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    timeouts: list[Timeout] = field(default_factory=list)
    """All that are in the bundle, whatever round it is about."""
    places: list[list[int]] = field(default_factory=list)
    abandoned: str | None = None
    proven: list[str] = field(default_factory=list)
    not_proven: list[str] = field(default_factory=list)


@dataclass
class Tally:
    """How much was checked: links that lead to their anchors, dice that follow from links, signed moves, and receipts."""

    links: int = 0
    dice: int = 0
    signed_moves: Counter[int] = field(default_factory=Counter)
    receipts: Counter[str] = field(default_factory=Counter)


def sum_up(report: Report, bundle: Bundle, tally: Tally, signers: Signers, *, is_key_given: bool) -> Report:
    """The report, with only the rounds that the bundle is about, and with the sentences on what is proven."""
    abandoned = [one.number for one in report.rounds if one.ending == "abandoned"]
    report.rounds = [one for one in report.rounds if report.round in (None, one.number)]
    # R16: when a player leaves before the start, the others move down. So the seats get their numbers only now.
    late = Counter(timeout.seat for timeout in report.timeouts)
    report.players = [
        player | {"seat": seat, "signed_moves": tally.signed_moves[seat], "clock_moves": late[seat]}
        for seat, player in enumerate(report.players)
    ]
    report.proven = _proven(bundle, tally, signers)
    report.not_proven = [
        *_gaps_of_seats(report),
        *_gaps_of_time(report, abandoned),
        *_gaps_of_keys(bundle, signers, is_key_given=is_key_given),
        *_gaps_of_digests(bundle),
        *_gaps_of_receipts(tally.receipts),
    ]
    return report


def _proven(bundle: Bundle, tally: Tally, signers: Signers) -> list[str]:
    """The sentences on what is proven, now that no check has failed."""
    log, key, count = bundle.checkpoint, signers.server[-1], len(signers.witnesses)
    seen = f" and seen by {count} {'witness' if count == 1 else 'witnesses'}" if count else ""
    moves = tally.signed_moves.total()
    return [
        f"{tally.links} links lead to the anchors, and {tally.dice} dice follow from them.",
        f"{len(bundle.events)} events follow from one another by the rules; {moves} moves are signed by their seats.",
        f"They are leaf {bundle.leaf} of the {log.size} in the log {log.origin}, signed by {key.text}{seen}.",
        *_agreement(tally.receipts["agree"]),
    ]


def _agreement(count: int) -> list[str]:
    """The sentence on receipts that agree with the bundle."""
    subject = "receipt says" if count == 1 else "receipts say"
    return [f"{count} {subject} the same as the bundle."] if count else []


def _gaps_of_receipts(receipts: Counter[str]) -> list[str]:
    """The sentences on receipts that could not be compared."""
    later, unchecked = receipts["later"], receipts["unchecked"]
    gaps = [f"{later} receipts are for later events than the bundle has."] if later else []
    return gaps + ([f"{unchecked} receipts are signed by keys that were not given."] if unchecked else [])


def _gaps_of_seats(report: Report) -> list[str]:
    """The sentences on seats for which one has to trust the server."""
    served = [player["seat"] for player in report.players if player["chain_held_by"] == "server"]
    silent = [player["seat"] for player in report.players if not player["signs"]]
    gaps = [f"The server held the chains of seats {served}."] if served else []
    if silent:
        gaps.append(f"Seats {silent} sign nothing: their moves are the server's word.")
    return gaps


def _gaps_of_time(report: Report, abandoned: list[int]) -> list[str]:
    """The sentences on time: each move of the clock, the round in which the game was abandoned, and the times."""
    gaps = [_gap_of_timeout(timeout) for timeout in report.timeouts]
    if report.abandoned is not None:
        when = f" in round {abandoned[-1]}" if abandoned else ""
        gaps.append(
            f"The game was abandoned{when} ({report.abandoned}): that somebody asked for it is the server's word."
        )
    return [*gaps, "The times of all events are the server's word. It is only proven that they never run backwards."]


def _gap_of_timeout(timeout: Timeout) -> str:
    """The sentence on a move that the clock made."""
    when = f"in round {timeout.round}" if timeout.round else "before the first round"
    return (
        f"Event {timeout.version}, {when}: the clock moved for seat {timeout.seat} ({timeout.move}),"
        f" after {timeout.waited / 1000:.1f} seconds. That the seat did not move in time is the server's word."
    )


def _gaps_of_keys(bundle: Bundle, signers: Signers, *, is_key_given: bool) -> list[str]:
    """The sentences on keys and signatures that were not checked."""
    gaps = [] if is_key_given else ["The key is the bundle's own: whose it is was not checked."]
    if signers.has_unchecked(bundle.checkpoint):
        gaps.append("Other signatures under the checkpoint were not checked.")
    elif not signers.witnesses:
        gaps.append("No witness has cosigned the checkpoint.")
    return gaps


def _gaps_of_digests(bundle: Bundle) -> list[str]:
    """The sentence on events that are older than digests."""
    bare = sum(event.evidence.digest is None for event in bundle.events)
    return [f"{bare} events were stored without a digest."] if bare else []
