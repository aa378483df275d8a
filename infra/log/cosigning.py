"""The protocol of witnesses over HTTP, C2SP's `tlog-witness`: what is asked and answered, and how a log asks."""

from collections.abc import Callable, Sequence

from domain.refusals import Malformed, Refusal
from domain.values import Value
from infra.log.asking import ask
from infra.log.checkpoints import read_proof, write_proof
from infra.log.merkle import SIZE_MAX
from infra.log.notes import NOTE_LENGTH_MAX, Note, Signature, read_note
from infra.log.policy import WitnessOfPolicy

PROOF_LINES_MAX = 63
REQUEST_LENGTH_MAX = NOTE_LENGTH_MAX + 4_096
SIZE_TYPE = "text/x.tlog.size"
OK, CONFLICT = 200, 409
_ANSWER_LENGTH_MAX = 1 << 16

Prove = Callable[[int], Sequence[bytes]]
"""A function that returns the consistency proof from an old size to that of the checkpoint."""


class WitnessAway(Refusal):
    """The witness {name} has not cosigned: {problem}."""


class Request(Value, frozen=True):
    """A request to add a checkpoint."""

    old_size: int
    proof: tuple[bytes, ...]
    note: bytes

    @property
    def content(self) -> bytes:
        """The body of the request."""
        return b"old %d\n%s\n%s" % (self.old_size, write_proof(self.proof), self.note)


def read_request(content: bytes) -> Request:
    """The request from its body. Its note is not read."""
    head, empty_line, note = content.partition(b"\n\n")
    first, _, lines = head.partition(b"\n")
    old, _, number = first.partition(b" ")
    size = size_of(number)
    if not empty_line or old != b"old" or size is None:
        raise Malformed(
            what="request", problem="it takes a line `old` with a size, a proof, an empty line and a checkpoint"
        )
    proof = read_proof(lines + b"\n") if lines else ()
    if len(proof) > PROOF_LINES_MAX:
        raise Malformed(what="request", problem=f"its proof has more than {PROOF_LINES_MAX} lines")
    return Request(size, proof, note)


def size_of(text: bytes) -> int | None:
    """A size in decimal, without leading zeros."""
    if not text.isdigit() or len(text) > len(str(SIZE_MAX)) or str(int(text)).encode() != text or int(text) > SIZE_MAX:
        return None
    return int(text)


class Asked(Value, frozen=True):
    """What a witness has answered: its good cosignatures, or the size that it knows instead."""

    cosignatures: tuple[Signature, ...] = ()
    knows: int | None = None


def ask_witness(witness: WitnessOfPolicy, request: Request, text: str, seconds_max: float) -> Asked:
    """Ask a witness once to add a checkpoint, whose signed text is `text`."""
    assert witness.url is not None
    url = f"{witness.url.rstrip('/')}/add-checkpoint"
    answer = ask(url, _ANSWER_LENGTH_MAX, seconds_max, request.content)
    if answer.status == CONFLICT:
        knows = size_of(answer.content.removesuffix(b"\n"))
        if knows is None:
            raise WitnessAway(name=witness.name, problem="it answers 409 without a size")
        return Asked(knows=knows)
    if answer.status != OK:
        raise WitnessAway(name=witness.name, problem=f"it answers with status {answer.status}")
    try:
        signatures = read_note(f"{text}\n".encode() + answer.content).signatures
    except Malformed:
        raise WitnessAway(name=witness.name, problem="its answer has no lines of signatures") from None
    good = tuple(one for one in signatures if witness.key.verifies(text, one))
    if not good:
        raise WitnessAway(name=witness.name, problem="its answer has no good signature of its key")
    return Asked(good)


def with_cosignatures(note: Note, cosignatures: Sequence[Signature]) -> Note:
    """The note with more signatures, each key's last one."""
    made_by = {(one.name, one.key_id) for one in cosignatures}
    kept = [one for one in note.signatures if (one.name, one.key_id) not in made_by]
    return Note(note.text, (*kept, *cosignatures))
