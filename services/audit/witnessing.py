"""Asks witnesses to cosign the checkpoints of the log, in the background.

Nothing waits for it: commands, leaves and checkpoints go on, however slow a witness is. Each witness is asked by itself about
the latest checkpoint, at most once a second, and less and less often while it is away. A checkpoint is stored again with each
cosignature that comes. If the policy names a quorum, proofs wait for it.
"""

import asyncio
import logging
from functools import partial

from domain.refusals import Refusal
from infra.log import cosigning
from infra.log.checkpoints import Checkpoint, read_checkpoint
from infra.log.cosigning import Asked, Request, WitnessAway, with_cosignatures
from infra.log.notes import Note, Signature, read_note
from infra.log.policy import Policy, WitnessOfPolicy
from infra.postgres.audit_log import AuditLog
from infra.postgres.connections import PASSING

ROUND_SECONDS = 1.0
ANSWER_SECONDS_MAX = 10.0
REST_SECONDS_MAX = 60.0
_LOG = logging.getLogger(__name__)


class Witnessing:
    """The witnesses of a policy, and what each of them knows."""

    def __init__(self, log: AuditLog, policy: Policy | None) -> None:
        """Without a policy, nobody is asked."""
        self._log, self._policy = log, policy
        self._asked = [witness for witness in policy.witnesses if witness.url is not None] if policy is not None else []
        self._tasks: list[asyncio.Task[None]] = []
        self._adding = asyncio.Lock()
        self.away: dict[str, str] = {}
        """Why a witness does not cosign at the moment, by its name."""

    async def start(self) -> None:
        """Begin to ask."""
        await self._log.note_needs_quorum(needs_quorum=self._policy is not None and self._policy.needs_witnesses)
        self._tasks = [asyncio.create_task(self._follow(witness)) for witness in self._asked]

    async def close(self) -> None:
        """Stop asking."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _follow(self, witness: WitnessOfPolicy) -> None:
        """Let a witness cosign each checkpoint that is the latest when it is asked."""
        knows, cosigned, rest = 0, 0, ROUND_SECONDS
        while True:
            try:
                latest = await self._log.checkpoint()
                if latest is not None and latest[0] > cosigned:
                    knows = await self._cosigned(witness, knows, read_note(latest[1]))
                    cosigned, rest = latest[0], ROUND_SECONDS
                    self._note(witness, None)
            except (Refusal, *PASSING) as error:
                problem = str(error) if isinstance(error, Refusal) else type(error).__name__
                self._note(witness, problem)
                rest = min(rest * 2, REST_SECONDS_MAX)
            except Exception:  # noqa: BLE001 - whatever it is, the task must not end unnoticed
                _LOG.exception("could not ask the witness %s; trying again", witness.name)
                rest = REST_SECONDS_MAX
            await asyncio.sleep(rest)

    async def _cosigned(self, witness: WitnessOfPolicy, knows: int, note: Note) -> int:
        """Get and store a cosignature; returns the size that the witness knows now."""
        checkpoint = read_checkpoint(note.text)
        answer = await self._ask(witness, knows, checkpoint, note)
        if answer.knows is not None:
            # It knows another size than we thought: after a restart, or because another process has asked it.
            answer = await self._ask(witness, answer.knows, checkpoint, note)
        if answer.knows is not None:
            raise WitnessAway(name=witness.name, problem="somebody else asks it about this log at the same time")
        await self._keep(checkpoint.size, note, answer.cosignatures)
        return checkpoint.size

    async def _ask(self, witness: WitnessOfPolicy, knows: int, checkpoint: Checkpoint, note: Note) -> Asked:
        if knows > checkpoint.size:
            problem = (
                f"it has seen {knows} leaves of this log, which has only {checkpoint.size}: was the store set back?"
            )
            raise WitnessAway(name=witness.name, problem=problem)
        proof = await self._log.consistency(knows, checkpoint.size)
        request = Request(knows, proof, bytes(note))
        asking = partial(cosigning.ask_witness, witness, request, note.text, ANSWER_SECONDS_MAX)
        return await asyncio.to_thread(asking)

    async def _keep(self, size: int, note: Note, cosignatures: tuple[Signature, ...]) -> None:
        assert self._policy is not None
        async with self._adding:
            stored = await self._log.cosigned_of(size)
            known = () if stored is None else read_note(stored).signatures
            merged = with_cosignatures(with_cosignatures(note, known), cosignatures)
            is_quorum = self._policy.is_reached(self._policy.cosigners(merged))
            await self._log.add_cosigned(size, bytes(merged), is_quorum=is_quorum)

    def _note(self, witness: WitnessOfPolicy, problem: str | None) -> None:
        """Note why a witness does not cosign, and log it once."""
        if problem is not None and witness.name not in self.away:
            _LOG.warning("a witness does not cosign: %s", problem)
        if problem is None and witness.name in self.away:
            _LOG.warning("the witness %s cosigns again", witness.name)
        if problem is None:
            self.away.pop(witness.name, None)
        else:
            self.away[witness.name] = problem
