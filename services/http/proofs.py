"""Routes about the log: its checkpoints, and what proves that it only ever grew."""

from http import HTTPStatus
from typing import Annotated

from litestar import Response, get
from litestar.params import PathParameter, QueryParameter

from services.auditing.refusals import NoCheckpoint, SizesNotInLog
from services.http.answers import ConsistencyAnswer
from services.http.library import Shelf, Who
from services.http.responding import answered, failures

NOTE = "text/plain"
_TAGS = ["audit"]
_MISSING = failures(HTTPStatus.NOT_FOUND)
Size = Annotated[int, QueryParameter(ge=0, le=2**53, description="How many leaves the log had.")]
SizeInPath = Annotated[int, PathParameter(ge=0, le=2**53, description="How many leaves the log had.")]


@get(
    "/checkpoint",
    operation_id="getCheckpoint",
    summary="The latest checkpoint",
    tags=_TAGS,
    media_type=NOTE,
    responses=_MISSING,
)
async def checkpoint(library: Shelf, reader: Who) -> Response[str]:
    """The signed note about the log as it stands (C2SP tlog-checkpoint)."""
    latest = await library.log.checkpoint()
    if latest is None:
        raise NoCheckpoint
    return answered(latest[1], reader, media_type=NOTE)


@get(
    "/checkpoints/{size:int}",
    operation_id="getCheckpointOfSize",
    summary="An earlier checkpoint",
    tags=_TAGS,
    media_type=NOTE,
    responses=_MISSING,
)
async def checkpoint_of(size: SizeInPath, library: Shelf, reader: Who) -> Response[str]:
    """The signed note about the log when it had so many leaves, if there was one; signed anew with newer keys, maybe."""
    note = await library.log.checkpoint_of(size)
    if note is None:
        raise NoCheckpoint
    return answered(note, reader, media_type=NOTE)


@get(
    "/checkpoints/consistency",
    operation_id="getConsistencyProof",
    summary="That the log only grew",
    tags=_TAGS,
    responses=failures(),
)
async def consistency(library: Shelf, reader: Who, old_size: Size, new_size: Size) -> Response[ConsistencyAnswer]:
    """What proves that the log of one size begins with that of another."""
    latest = await library.log.checkpoint()
    size = latest[0] if latest else 0
    if not old_size <= new_size <= size:
        raise SizesNotInLog(size=size, old_size=old_size, new_size=new_size)
    hashes = await library.log.consistency(old_size, new_size)
    proof = ConsistencyAnswer(old_size=old_size, new_size=new_size, hashes=tuple(hashes))
    return answered(proof, reader, final=True, public=True)


ROUTES = (checkpoint, checkpoint_of, consistency)
