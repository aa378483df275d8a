"""Successions: a log that can't go on says which log goes on in its place. Both sign it.

    liarsdice.succession.v1
    dice.example/log                                  the old log
    1204                                              the last size of it that anybody has seen, and its root
    9gZL8WfTxjbA6kPaPkqSZKGjsmEKXf3OI5tBnHP6HvE=
    dice.example/log/2                                the new log
    1198                                              the size with which it begins, and its root
    1Pksj7uJcg6ztVZ3x9fvrd/rENEaGoSguo8aIzN/qpU=

It is a signed note. No such text can be a checkpoint, whose second line is a number and whose third line is a hash. If the
new log begins with fewer leaves than the old one had, the difference is what was lost, and everybody can see how much.
"""

from base64 import b64encode
from collections.abc import Iterable

from domain.refusals import Malformed
from domain.values import Value
from infra.keys.log_keys import SignerRing
from infra.log.checkpoints import Checkpoint, read_checkpoint
from infra.log.notes import Note, Verifier, check_signed, read_note

_FORMAT = "liarsdice.succession.v1"
_LINES = 7


class Succession(Value, frozen=True):
    """The last checkpoint of a log, and the first one of the log that goes on in its place."""

    last: Checkpoint
    first: Checkpoint

    @property
    def text(self) -> str:
        """The text that both logs sign."""
        return f"{_FORMAT}\n{_lines(self.last)}{_lines(self.first)}"


def sign_succession(succession: Succession, old: SignerRing, new: SignerRing) -> bytes:
    """The note, with the signatures of the newest keys of both logs."""
    assert (succession.last.origin, succession.first.origin) == (old.origin, new.origin), "both sign for themselves"
    text = succession.text
    return bytes(Note(text, (old.newest.sign(text), new.newest.sign(text))))


def open_succession(content: bytes, verifiers: Iterable[Verifier]) -> Succession:
    """The succession in a note; refuses one that not both logs have signed, by the keys that the reader knows of each."""
    note, known = read_note(content), tuple(verifiers)
    lines = note.text.split("\n")
    if len(lines) != _LINES + 1 or lines[0] != _FORMAT:
        raise Malformed(what="succession of a log", problem=f"it is not the line {_FORMAT} and six more")
    last, first = (read_checkpoint("".join(f"{line}\n" for line in lines[at : at + 3])) for at in (1, 4))
    if last.origin == first.origin:
        raise Malformed(what="succession of a log", problem="both logs have one name")
    for checkpoint in (last, first):
        check_signed(note, [key for key in known if key.name == checkpoint.origin])
    return Succession(last, first)


def _lines(checkpoint: Checkpoint) -> str:
    return f"{checkpoint.origin}\n{checkpoint.size}\n{b64encode(checkpoint.root).decode()}\n"
