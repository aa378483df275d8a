"""Why a call failed: the server refused it and gave a reason, or did not answer at all."""

from google.protobuf.any_pb2 import Any as AnyMessage
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from grpc import StatusCode
from grpc.aio import AioRpcError
from liarsdice.v1.game_service_pb2 import PlayRefused

_DETAILS_KEY = "grpc-status-details-bin"
# A server that goes down may cancel a call that has just come in. Calls that the client itself cancels never get here.
_UNANSWERED = (StatusCode.UNAVAILABLE, StatusCode.DEADLINE_EXCEEDED, StatusCode.CANCELLED)
_CODES = {code.value[0]: code for code in StatusCode}
_BROKEN = (StatusCode.INTERNAL, StatusCode.UNKNOWN)


class Refused(Exception):  # noqa: N818 - a refusal is an answer, not an error
    """The server refused a call, and did nothing."""

    def __init__(
        self,
        code: StatusCode,
        message: str,
        reason: str = "",
        metadata: dict[str, str] | None = None,
        retry_seconds: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.reason = code, message, reason
        self.metadata = metadata or {}
        self.retry_seconds = retry_seconds

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses of the rulebook, and the rulings, that the refusal rests on."""
        cited = self.metadata.get("clauses", "")
        return tuple(cited.split(", ")) if cited else ()

    @property
    def unanswered(self) -> bool:
        """Whether the client may not know what became of the call: the server is away, or goes down."""
        return self.code in _UNANSWERED

    @property
    def limited(self) -> bool:
        """Whether the server answered that the call came too soon, and said when to make it again."""
        return self.code is StatusCode.RESOURCE_EXHAUSTED and self.retry_seconds is not None

    @property
    def passing(self) -> bool:
        """Whether the same call is worth making again a little later."""
        return self.unanswered or self.limited

    @property
    def resumable(self) -> bool:
        """Whether a stream that ended so is worth opening again, as one is that broke without a word of the server."""
        return self.passing or self.reason == "WATCHER_TOO_SLOW" or (not self.reason and self.code in _BROKEN)


class KeptBack(Refused):
    """The client itself refused a move, and sent nothing."""


class FalseServer(Exception):  # noqa: N818 - it reads as a sentence
    """The server goes back on what it said, or dice do not follow from the links; its game gets no further link."""

    def __init__(self, game_id: str, problem: str) -> None:
        super().__init__(f"the server is false in game {game_id}: {problem}")
        self.game_id, self.problem = game_id, problem


class Unreachable(Exception):  # noqa: N818 - it reads as a sentence
    """The client tried for as long as it has patience, and the server did not answer."""

    def __init__(self, address: str, last: Refused) -> None:
        # Only programmers need the words of the transport; they find them in `last`.
        why = f": {last.message}" if last.reason else ""
        super().__init__(f"the server at {address} does not answer{why}")
        self.last = last


class StreamBroken(Exception):  # noqa: N818 - it reads as a sentence
    """A stream left something out, or ended before its game; the client opens another one."""


STREAM_FAILURES = (AioRpcError, Refused, Unreachable, StreamBroken, TimeoutError)
"""All that may end a stream; `failure_of` says what each means."""


def failure_of(error: Exception) -> Refused:
    """What a failed call or a broken stream says; one that says nothing counts as unanswered."""
    match error:
        case Refused():
            return error
        case Unreachable(last=last):
            return last
        case AioRpcError():
            return refused(error)
        case _:
            return Refused(StatusCode.DEADLINE_EXCEEDED, "it fell silent")


def practice_game(game_id: str, forked_from: str) -> Refused:
    """Why the client does not check the dice of a practice game; the server gives the same reason for not auditing it."""
    sentence = f"{game_id} is a practice game, whose dice are copied from game {forked_from}; check that one"
    return Refused(StatusCode.FAILED_PRECONDITION, sentence, "PRACTICE_GAME", {"forked_from": forked_from})


def refused(error: AioRpcError) -> Refused:
    """What a failed call says."""
    info, retry = ErrorInfo(), RetryInfo()
    retry_seconds = None
    for detail in _details(error):
        if detail.Is(RetryInfo.DESCRIPTOR) and detail.Unpack(retry):
            retry_seconds = retry.retry_delay.seconds + retry.retry_delay.nanos / 1e9
        elif detail.Is(ErrorInfo.DESCRIPTOR):
            detail.Unpack(info)
    message = error.details() or error.code().name
    return Refused(error.code(), message, info.reason, dict(info.metadata), retry_seconds)


def refused_on_play(message: PlayRefused) -> Refused:
    """What a refused command of a Play call says."""
    metadata = dict(message.metadata)
    retry = metadata.get("retry_seconds")
    code = _CODES.get(message.code, StatusCode.UNKNOWN)
    return Refused(code, message.message, message.reason, metadata, None if retry is None else float(retry))


def _details(error: AioRpcError) -> list[AnyMessage]:
    for key, value in error.trailing_metadata() or ():
        if key == _DETAILS_KEY and isinstance(value, bytes):
            return list(Status.FromString(value).details)
    return []
