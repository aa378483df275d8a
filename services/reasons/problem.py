"""The problem that a caller sees when a call fails, the same for gRPC and HTTP."""

import asyncpg

from domain.refusals import Refusal, code_of
from domain.values import Value
from infra.postgres.failures import StoreBusy, StoreFailed, StoreUnreachable
from services.reasons.kinds import Kind
from services.reasons.table import FIELDS, kind_of, kind_of_failure

DOMAIN = "liarsdice"
"""The name of this program beside each reason, for a client that talks to several services."""
BUSY_RETRY_SECONDS = 0.2
_DATABASE_AWAY = (
    OSError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
)


class Problem(Value, frozen=True, kw_only=True):
    """What a caller learns about a failure."""

    kind: Kind
    reason: str
    message: str
    metadata: dict[str, str]
    """Every value that the message mentions."""
    fields: tuple[str, ...] = ()
    """The names of the fields that may be wrong, without their paths. Not every request has all of them."""
    retry_seconds: float | None = None


FAULT = Problem(
    kind=Kind.FAULT,
    reason="INTERNAL",
    message="Something went wrong inside the server; nobody knows whether the request was carried out.",
    metadata={},
)


def problem_of(error: Exception) -> Problem | None:
    """The problem that a caller sees for an error; None if the error is a fault of the program."""
    match error:
        case Refusal():
            return _of_refusal(error)
        case StoreFailed():
            return _of_store(error)
        # Values that asyncpg can't send are our own fault, although asyncpg raises an InterfaceError for them too.
        case _ if isinstance(error, _DATABASE_AWAY) and not isinstance(error, ValueError):
            return _of_store(StoreUnreachable(problem=type(error).__name__))
        case _:
            return None


def reason_of(kind: type[Exception]) -> str:
    """The reason that a caller sees for an error of this kind. It is one of a fixed set of words."""
    if issubclass(kind, Refusal | StoreFailed):
        return code_of(kind)
    if issubclass(kind, _DATABASE_AWAY) and not issubclass(kind, ValueError):
        return code_of(StoreUnreachable)
    return FAULT.reason


def _of_refusal(refusal: Refusal) -> Problem:
    metadata = dict(refusal.shown)
    if refusal.clauses:
        metadata["clauses"] = ", ".join(refusal.clauses)
    kind = kind_of(type(refusal))
    retry = refusal.fields.get("retry_seconds")
    return Problem(
        kind=kind,
        reason=refusal.code(),
        message=str(refusal),
        metadata=metadata,
        fields=_fields_of(refusal) if kind is Kind.SENSELESS else (),
        retry_seconds=None if retry is None else float(retry),
    )


def _fields_of(refusal: Refusal) -> tuple[str, ...]:
    """The field that a refusal names, or the fields that its class is about."""
    named = refusal.fields.get("field") or refusal.fields.get("option")
    return FIELDS.get(type(refusal), ()) if named is None else (str(named),)


def _of_store(failure: StoreFailed) -> Problem:
    return Problem(
        kind=kind_of_failure(type(failure)),
        reason=code_of(type(failure)),
        message=str(failure),
        metadata={name: str(value) for name, value in failure.values.items()},
        retry_seconds=BUSY_RETRY_SECONDS if isinstance(failure, StoreBusy) else None,
    )
