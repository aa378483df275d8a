"""Every reason for which a call can fail, with the status it has on the wire. This table is the only one."""

import asyncpg
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from grpc import StatusCode

from domain import refusals as game
from domain.refusals import Refusal, code_of
from domain.values import Value
from infra.events import sealing
from infra.postgres.failures import StoreBusy, StoreClosed, StoreFailed, StoreUnreachable, VersionConflict
from services.archive import refusals as archive
from services.auditing import refusals as auditing
from services.hosting import refusals as hosting
from services.rpc.requests import path_of

DOMAIN = "liarsdice"
DETAILS_KEY = "grpc-status-details-bin"
STATUS_DEFAULT = StatusCode.FAILED_PRECONDITION
BUSY_RETRY_SECONDS = 0.2
_DATABASE_AWAY = (
    OSError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
)

STATUSES: dict[type[Refusal], StatusCode] = {
    # What was sent makes no sense, whatever the game is.
    **dict.fromkeys(
        (
            game.Malformed,
            game.GameIdInvalid,
            game.PlayerIdInvalid,
            game.NameInvalid,
            game.OptionNotInRulebook,
            game.OptionOutOfRange,
            game.SeatsOutOfRange,
            game.AnchorInvalid,
            game.SigningKeyInvalid,
            hosting.SignatureMissing,
            hosting.SignatureUnexpected,
            hosting.SignatureWrong,
            game.NoSuchRulebook,
            game.OpenerNotChosen,
            game.QuantityOutOfRange,
            game.FaceOutOfRange,
            game.ReasonInvalid,
            hosting.FieldInvalid,
            hosting.NoSuchStrategy,
            hosting.VersionAhead,
        ),
        StatusCode.INVALID_ARGUMENT,
    ),
    game.NoSuchGame: StatusCode.NOT_FOUND,
    game.NoSuchSeat: StatusCode.NOT_FOUND,
    hosting.NotABot: StatusCode.NOT_FOUND,
    hosting.NotWatched: StatusCode.NOT_FOUND,
    archive.NoSuchStep: StatusCode.NOT_FOUND,
    archive.NoSuchPlayer: StatusCode.NOT_FOUND,
    auditing.NoCheckpoint: StatusCode.NOT_FOUND,
    auditing.NoSuchDispute: StatusCode.NOT_FOUND,
    auditing.AlreadyDisputed: StatusCode.ALREADY_EXISTS,
    auditing.ExaminationImpossible: StatusCode.DATA_LOSS,
    auditing.LogBehind: StatusCode.UNAVAILABLE,
    auditing.SizesNotInLog: StatusCode.INVALID_ARGUMENT,
    game.GameAlreadyExists: StatusCode.ALREADY_EXISTS,
    game.PlayerAlreadySeated: StatusCode.ALREADY_EXISTS,
    game.RequestIdReused: StatusCode.ALREADY_EXISTS,
    hosting.AlreadyWatched: StatusCode.ALREADY_EXISTS,
    hosting.TokenMissing: StatusCode.UNAUTHENTICATED,
    hosting.TokenInvalid: StatusCode.UNAUTHENTICATED,
    hosting.ScopeMissing: StatusCode.PERMISSION_DENIED,
    hosting.NotSeated: StatusCode.PERMISSION_DENIED,
    hosting.NotTheOwner: StatusCode.PERMISSION_DENIED,
    hosting.InvitationWrong: StatusCode.PERMISSION_DENIED,
    archive.GamePrivate: StatusCode.PERMISSION_DENIED,
    hosting.VersionMoved: StatusCode.ABORTED,
    hosting.SignatureStale: StatusCode.ABORTED,
    hosting.TooMany: StatusCode.RESOURCE_EXHAUSTED,
    hosting.TooFast: StatusCode.RESOURCE_EXHAUSTED,
    hosting.WatcherTooSlow: StatusCode.RESOURCE_EXHAUSTED,
    hosting.ServerDraining: StatusCode.UNAVAILABLE,
    archive.ExportInterrupted: StatusCode.UNAVAILABLE,
    # No move of a player can mend this.
    sealing.SealBroken: StatusCode.DATA_LOSS,
    sealing.KeyMissing: StatusCode.DATA_LOSS,
    sealing.NothingToSealWith: StatusCode.DATA_LOSS,
}

STORE_STATUSES: dict[type[StoreFailed], StatusCode] = {
    VersionConflict: StatusCode.ABORTED,
    StoreBusy: StatusCode.RESOURCE_EXHAUSTED,
    StoreClosed: StatusCode.UNAVAILABLE,
    StoreUnreachable: StatusCode.UNAVAILABLE,
}


FIELDS: dict[type[Refusal], tuple[str, ...]] = {
    game.NoSuchRulebook: ("rulebook",),
    game.GameIdInvalid: ("game_id",),
    game.PlayerIdInvalid: ("player_id",),
    game.NameInvalid: ("name",),
    game.SeatsOutOfRange: ("seats_max",),
    game.OpenerNotChosen: ("opener",),
    game.AnchorInvalid: ("anchor",),
    game.SigningKeyInvalid: ("signing_key",),
    game.QuantityOutOfRange: ("quantity",),
    game.FaceOutOfRange: ("face",),
    game.ReasonInvalid: ("reason", "text"),
    hosting.SignatureMissing: ("signature",),
    hosting.SignatureUnexpected: ("signature",),
    hosting.SignatureWrong: ("signature",),
    hosting.NoSuchStrategy: ("strategy",),
    hosting.VersionAhead: ("after_version",),
    auditing.SizesNotInLog: ("old_size", "new_size"),
}
"""The fields that are wrong where a kind of refusal is about some, by their own names; not every request has them all."""


class Problem(Value, frozen=True, kw_only=True):
    """Why a call failed, as it goes over the wire."""

    code: StatusCode
    reason: str
    message: str
    metadata: dict[str, str]
    fields: tuple[str, ...] = ()
    """The fields of the request that are wrong."""
    retry_seconds: float | None = None

    def details(self) -> bytes:
        """The status with its details, as bytes for the trailing metadata."""
        details = [ErrorInfo(reason=self.reason, domain=DOMAIN, metadata=self.metadata)]
        packed = [_packed(detail) for detail in details]
        if self.fields:
            packed.append(_packed(BadRequest(field_violations=[self._violation(field) for field in self.fields])))
        if self.retry_seconds is not None:
            whole, rest = divmod(self.retry_seconds, 1)
            packed.append(_packed(RetryInfo(retry_delay=Duration(seconds=int(whole), nanos=int(rest * 1e9)))))
        status = Status(code=self.code.value[0], message=self.message, details=packed)
        return bytes(status.SerializeToString())

    def _violation(self, field: str) -> BadRequest.FieldViolation:
        return BadRequest.FieldViolation(field=field, description=self.message, reason=self.reason)


INTERNAL = Problem(
    code=StatusCode.INTERNAL,
    reason="INTERNAL",
    message="Something went wrong inside of the server; nothing is known about what was asked for.",
    metadata={},
)


def problem_of(error: Exception, request_type: type[Message] | None = None) -> Problem | None:
    """What to tell of an error to the one who sent such a request; None if it is a fault of the program."""
    match error:
        case Refusal():
            return _of_refusal(error, request_type)
        case StoreFailed():
            return _of_store(error)
        # What can't be sent to the database at all is our own fault, although it is an InterfaceError too.
        case _ if isinstance(error, _DATABASE_AWAY) and not isinstance(error, ValueError):
            return _of_store(StoreUnreachable(problem=type(error).__name__))
        case _:
            return None


def status_of(kind: type[Refusal]) -> StatusCode:
    """The status of a kind of refusal; by default the game does not stand as it would have to."""
    return STATUSES.get(kind, STATUS_DEFAULT)


def _of_refusal(refusal: Refusal, request_type: type[Message] | None) -> Problem:
    metadata = dict(refusal.shown)
    if refusal.clauses:
        metadata["clauses"] = ", ".join(refusal.clauses)
    status = status_of(type(refusal))
    retry = refusal.fields.get("retry_seconds")
    return Problem(
        code=status,
        reason=refusal.code(),
        message=str(refusal),
        metadata=metadata,
        fields=_at_fault(refusal, request_type) if status is StatusCode.INVALID_ARGUMENT else (),
        retry_seconds=None if retry is None else float(retry),
    )


def _of_store(failure: StoreFailed) -> Problem:
    code = STORE_STATUSES.get(type(failure), StatusCode.UNAVAILABLE)
    return Problem(
        code=code,
        reason=code_of(type(failure)),
        message=str(failure),
        metadata={name: str(value) for name, value in failure.values.items()},
        retry_seconds=BUSY_RETRY_SECONDS if isinstance(failure, StoreBusy) else None,
    )


def _at_fault(refusal: Refusal, request_type: type[Message] | None) -> tuple[str, ...]:
    """The fields that are wrong, as the request has them: those that the refusal names, or that its kind is about."""
    named = refusal.fields.get("field") or refusal.fields.get("option")
    names = FIELDS.get(type(refusal), ()) if named is None else (str(named),)
    if request_type is None:
        return names
    return tuple(path for path in (path_of(name, request_type) for name in names) if path is not None)


def _packed(message: ErrorInfo | BadRequest | RetryInfo) -> AnyMessage:
    packed = AnyMessage()
    packed.Pack(message)
    return packed
