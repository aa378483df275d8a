"""A policy of trust, as C2SP's `tlog-policy` has it: which logs and witnesses are known, and how many must have cosigned.

log example.com/dice+29aa71d0+AUvq3isjNDC5cYuqzs8P4FHLIqILbXmlqfxa2HOI4vc8
witness one example.org/witness+0e4a... https://witness.example.org
witness two example.net/witness+77c1... https://witness.example.net
group both all one two
quorum both
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from domain.refusals import Malformed, Refusal
from domain.values import Value
from infra.log.notes import Algorithm, Note, Verifier, read_vkey

POLICY_LENGTH_MAX = 1 << 18
LINES_OF_A_KIND_MAX = 100
NONE = "none"


class PolicyRefused(Refusal):
    """Line {line} of the policy makes no sense: {problem}."""


class WitnessOfPolicy(Value, frozen=True):
    """A witness: the name that only the policy gives it, its key, and its address if it has one."""

    name: str
    key: Verifier
    url: str | None


class Group(Value, frozen=True):
    """A group, which has seen a checkpoint if so many of its members have."""

    least: int
    members: tuple[str, ...]


class Policy(Value, frozen=True):
    """A policy."""

    logs: tuple[Verifier, ...]
    witnesses: tuple[WitnessOfPolicy, ...]
    groups: Mapping[str, Group]
    quorum: str

    @property
    def needs_witnesses(self) -> bool:
        """Whether a checkpoint needs any cosignature to be valid."""
        return self.quorum != NONE

    def cosigners(self, note: Note) -> list[WitnessOfPolicy]:
        """The witnesses that have cosigned a note. A wrong cosignature counts as none."""
        return [
            witness
            for witness in self.witnesses
            if any(witness.key.verifies(note.text, signature) for signature in note.signatures)
        ]

    def is_reached(self, cosigners: Iterable[WitnessOfPolicy]) -> bool:
        """Whether these witnesses are a quorum."""
        return self.quorum == NONE or self._has_seen(self.quorum, {witness.name for witness in cosigners})

    def _has_seen(self, name: str, cosigners: set[str]) -> bool:
        group = self.groups.get(name)
        if group is None:
            return name in cosigners
        return sum(self._has_seen(member, cosigners) for member in group.members) >= group.least


class _Reading:
    """A policy while its lines are read."""

    def __init__(self) -> None:
        self.logs: list[Verifier] = []
        self.witnesses: dict[str, WitnessOfPolicy] = {}
        self.groups: dict[str, Group] = {}
        self.members: set[str] = set()
        self.quorum: str | None = None

    def line(self, kind: str, items: list[str]) -> str | None:
        """Take in a line; returns what is wrong with it."""
        match kind, items:
            case "log", [vkey, *url] if len(url) <= 1:
                return self._log(vkey)
            case "witness", [name, vkey, *url] if len(url) <= 1:
                return self._witness(name, vkey, url[0] if url else None)
            case "group", [name, least, *members] if members:
                return self._group(name, least, members)
            case "quorum", [name]:
                return self._quorum(name)
            case _:
                return "it is no line `log`, `witness`, `group` or `quorum` with what belongs to it"

    def _log(self, vkey: str) -> str | None:
        key = _key(vkey, Algorithm.ED25519)
        if key is None:
            return "its key is not the key of a log"
        if any(known.public_key == key.public_key for known in self.logs):
            return "its key is there twice"
        self.logs.append(key)
        return None

    def _witness(self, name: str, vkey: str, url: str | None) -> str | None:
        key = _key(vkey, Algorithm.COSIGNATURE)
        if key is None:
            return "its key is not the key of a witness"
        if any(known.key.public_key == key.public_key for known in self.witnesses.values()):
            return "its key is there twice"
        problem = self._problem_of_name(name)
        if problem is None:
            self.witnesses[name] = WitnessOfPolicy(name, key, url)
        return problem

    def _group(self, name: str, least: str, members: list[str]) -> str | None:
        count = {"any": 1, "all": len(members)}.get(least) or _number(least)
        if count is None or not 1 <= count <= len(members):
            return f"its number is not `any`, `all` or from 1 to {len(members)}"
        for member in members:
            if not self._is_known(member):
                return "it has a member that no line before it defines"
            if member in self.members:
                return "it has a member that is in a group already"
            self.members.add(member)
        problem = self._problem_of_name(name)
        if problem is None:
            self.groups[name] = Group(count, tuple(members))
        return problem

    def _quorum(self, name: str) -> str | None:
        if self.quorum is not None:
            return "there is a quorum already"
        if name != NONE and not self._is_known(name):
            return "it names what no line before it defines"
        self.quorum = name
        return None

    def _problem_of_name(self, name: str) -> str | None:
        if name == NONE or self._is_known(name):
            return "its name is taken"
        return None if len(self.witnesses) + len(self.groups) < 2 * LINES_OF_A_KIND_MAX else "there are too many"

    def _is_known(self, name: str) -> bool:
        return name in self.witnesses or name in self.groups


def read_policy(content: bytes) -> Policy:
    """The policy from its bytes. Bytes beyond ASCII have no meaning, and a name is compared byte by byte."""
    if len(content) > POLICY_LENGTH_MAX:
        raise PolicyRefused(line=1, problem=f"the policy has more than {POLICY_LENGTH_MAX} bytes")
    reading = _Reading()
    lines = content.decode("latin-1").split("\n")
    for number, line in enumerate(lines, 1):
        if any((one < " " and one != "\t") or one == "\x7f" for one in line):
            raise PolicyRefused(line=number, problem="it has a control character")
        kind, *items = line.replace("\t", " ").strip(" ").split(" ")
        if not kind or kind.startswith("#"):
            continue
        problem = reading.line(
            kind, [item.encode("latin-1").decode("utf-8", "surrogateescape") for item in items if item]
        )
        if problem is not None:
            raise PolicyRefused(line=number, problem=problem)
    if reading.quorum is None:
        raise PolicyRefused(line=len(lines), problem="a line `quorum` is missing")
    return Policy(tuple(reading.logs), tuple(reading.witnesses.values()), reading.groups, reading.quorum)


def policy_in(path: Path) -> Policy:
    """The policy in a file."""
    with path.open("rb") as file:
        return read_policy(file.read(POLICY_LENGTH_MAX + 1))


def _key(vkey: str, algorithm: Algorithm) -> Verifier | None:
    try:
        key = read_vkey(vkey)
    except Malformed:
        return None
    return key if key.algorithm is algorithm else None


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < len(str(POLICY_LENGTH_MAX)) else None
