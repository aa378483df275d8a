"""What a policy (C2SP `tlog-policy`) says about a bundle: whether a log of it has signed, and which witnesses count."""

from pathlib import Path

import msgspec

from domain.refusals import Refusal
from infra.failure import CommandFailed
from infra.log.notes import Note, read_note
from infra.log.policy import NONE, Policy, PolicyRefused, policy_in
from services.verifier import Failed, Report

CHECK = "policy"


class _Bundle(msgspec.Struct):
    checkpoint: str


class Trust:
    """A policy, applied to the checkpoint of a bundle that nobody has checked yet."""

    def __init__(self, policy: Policy, bundle: bytes) -> None:
        self._policy, self._note = policy, _note_in(bundle)
        self._cosigners = [] if self._note is None else policy.cosigners(self._note)

    @property
    def witness_keys(self) -> list[str]:
        """The keys of the witnesses that count."""
        return [witness.key.vkey for witness in self._cosigners]

    @property
    def log_key(self) -> str | None:
        """The key of the policy's log that the checkpoint is about, if it has signed."""
        if self._note is None:
            return None
        origin, _, _ = self._note.text.partition("\n")
        for log in self._policy.logs:
            if log.name == origin and any(log.verifies(self._note.text, one) for one in self._note.signatures):
                return log.vkey
        return None

    def judge(self, report: Report) -> None:
        """Say in the report of a good bundle which witnesses count; raises `Failed` if the policy does not accept it."""
        if self._policy.logs and self.log_key is None:
            raise Failed(CHECK, "No log of the policy has signed the checkpoint.")
        counted = [witness.name for witness in self._cosigners]
        missing = [witness.name for witness in self._policy.witnesses if witness.name not in counted]
        if not self._policy.is_reached(self._cosigners):
            raise Failed(
                CHECK,
                f"The quorum {self._policy.quorum} is not reached."
                f" These witnesses have cosigned: {_listed(counted)}. These have not: {_listed(missing)}.",
            )
        quorum = "The policy asks for no quorum." if self._policy.quorum == NONE else "The quorum is reached."
        if counted:
            report.proven.append(f"These witnesses of the policy have cosigned: {_listed(counted)}. {quorum}")
        if missing:
            report.not_proven.append(f"These witnesses of the policy have not cosigned: {_listed(missing)}.")


def policy_from(name: str) -> Policy:
    """The policy in a file."""
    try:
        return policy_in(Path(name))
    except (OSError, ValueError) as error:
        raise CommandFailed(f"can't read {name}: {getattr(error, 'strerror', None) or error}") from None
    except PolicyRefused as refusal:
        raise CommandFailed(f"{name} is no policy. {refusal}") from None


def _note_in(bundle: bytes) -> Note | None:
    """The checkpoint in a bundle; None if there is none that can be read, and then the bundle fails."""
    try:
        return read_note(msgspec.json.decode(bundle, type=_Bundle).checkpoint.encode())
    except (msgspec.DecodeError, Refusal, UnicodeError):
        return None


def _listed(names: list[str]) -> str:
    return ", ".join(names) or "none"
