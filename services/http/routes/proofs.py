"""Routes about proofs: the checkpoints of the log, the proof that the log only grows, and the bundles of games."""

from typing import Annotated, Any

from litestar import Response, get
from litestar.params import PathParameter, QueryParameter

from services.access.sight import Sight
from services.audit.published_log import PublishedLog
from services.audit.refusals import GameNotOverYet, LogBehind, NoCheckpoint, PracticeGame, RoundNotOver, SizesNotInLog
from services.http import jobs
from services.http.admission import SAME_FOR_ALL, Reader
from services.http.answers import ConsistencyAnswer, LogKeysAnswer
from services.http.library import Library, Seen, Shelf, Who
from services.http.parameters import GameId, RoundNumber
from services.http.responses import FILED, OF_GAME, answered, failures

NOTE = "text/plain"
_TAGS = ["audit"]
_MISSING = failures(NoCheckpoint)
_OF_AUDIT = failures(*OF_GAME, RoundNotOver, GameNotOverYet, PracticeGame, LogBehind)
BUNDLE = "application/json"
Size = Annotated[int, QueryParameter(ge=0, le=2**53, description="A number of leaves that the log had.")]
SizeInPath = Annotated[int, PathParameter(ge=0, le=2**53, description="A number of leaves that the log had.")]


@get(
    "/checkpoint",
    operation_id="getCheckpoint",
    opt={SAME_FOR_ALL: True},
    summary="The latest checkpoint",
    tags=_TAGS,
    media_type=NOTE,
    responses=_MISSING,
)
async def checkpoint(library: Shelf, reader: Who) -> Response[str]:
    """The signed note about the present log (C2SP tlog-checkpoint)."""
    latest = await PublishedLog(library.log).latest()
    if not latest.note:
        raise NoCheckpoint
    return answered(latest.note, reader, media_type=NOTE)


@get(
    "/checkpoints/{size:str}",
    operation_id="getCheckpointOfSize",
    opt={SAME_FOR_ALL: True},
    summary="An earlier checkpoint",
    tags=_TAGS,
    media_type=NOTE,
    responses=_MISSING,
)
async def checkpoint_of(size: SizeInPath, library: Shelf, reader: Who) -> Response[str]:
    """The checkpoint of the log at this size, if there was one. The log may have signed it again with newer keys."""
    note = await library.log.checkpoint_of(size)
    if note is None:
        raise NoCheckpoint
    return answered(note, reader, media_type=NOTE)


@get(
    "/checkpoints/consistency",
    operation_id="getConsistencyProof",
    opt={SAME_FOR_ALL: True},
    summary="The proof that the log only grew",
    tags=_TAGS,
    responses=failures(SizesNotInLog),
)
async def consistency(library: Shelf, reader: Who, old_size: Size, new_size: Size) -> Response[ConsistencyAnswer]:
    """The proof that the log of the new size begins with the log of the old size."""
    hashes = await PublishedLog(library.log).consistency(old_size, new_size)
    proof = ConsistencyAnswer(old_size=old_size, new_size=new_size, hashes=hashes)
    return answered(proof, reader, final=True, public=True)


@get(
    "/checkpoints/keys",
    operation_id="listLogKeys",
    opt={SAME_FOR_ALL: True},
    summary="The keys that verify checkpoints",
    tags=_TAGS,
    responses=failures(),
)
async def keys(library: Shelf, reader: Who) -> Response[LogKeysAnswer]:
    """The public keys that verify the latest checkpoint, the newest first.

    Keep them. If you ask again for the keys each time, you trust whatever answers.
    """
    return answered(LogKeysAnswer((await PublishedLog(library.log).latest()).keys), reader)


@get(
    "/games/{game_id:str}/audit",
    operation_id="getAuditOfGame",
    summary="The proof of a game",
    tags=_TAGS,
    media_type=BUNDLE,
    responses=_OF_AUDIT,
    response_headers=FILED,
)
async def audit(game_id: GameId, library: Shelf, reader: Who, sight: Seen) -> Response[dict[str, Any]]:
    """A bundle of the whole game, for `liarsdice verify`: its events, links, signatures, and its place in the log."""
    return await _bundle(library, reader, sight, game_id, None)


@get(
    "/games/{game_id:str}/rounds/{number:str}/audit",
    operation_id="getAuditOfRound",
    summary="The proof of a round",
    tags=_TAGS,
    media_type=BUNDLE,
    responses=_OF_AUDIT,
    response_headers=FILED,
)
async def audit_of_round(
    game_id: GameId, number: RoundNumber, library: Shelf, reader: Who, sight: Seen
) -> Response[dict[str, Any]]:
    """A bundle up to the end of a round, for `liarsdice verify`."""
    return await _bundle(library, reader, sight, game_id, number)


async def _bundle(
    library: Library, reader: Reader, sight: Sight, game_id: str, number: int | None
) -> Response[dict[str, Any]]:
    known_until = await library.desk.ask(reader.payer, game_id, jobs.provable_until, game_id, sight)
    await library.prepare(game_id, number)
    bundle = await library.desk.ask(reader.payer, game_id, jobs.audit, game_id, number, known_until)
    name = f"{game_id}.json" if number is None else f"{game_id}-{number}.json"
    # Caches must ask again even for a finished game: the log grows, and the proof changes with it.
    return answered(
        bundle, reader, media_type=BUNDLE, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


ROUTES = (checkpoint, checkpoint_of, consistency, keys, audit, audit_of_round)
