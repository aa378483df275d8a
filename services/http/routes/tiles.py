"""Routes of the published log: a checkpoint and files that never change, as C2SP's `tlog-tiles` has them."""

from typing import Annotated

from litestar import Response, get
from litestar.params import PathParameter

from infra.log.tiles import read_path
from services.access.refusals import FieldInvalid
from services.audit.published_tiles import PublishedTiles
from services.audit.refusals import EntriesNotPublished, NoSuchTile, NothingPublished
from services.http.admission import SAME_FOR_ALL
from services.http.library import Shelf, Who
from services.http.responses import answered, failures

TILE = "application/octet-stream"
_NOTE = "text/plain"
_TAGS = ["audit"]
TilePath = Annotated[
    str,
    PathParameter(
        max_length=100,
        description="A level of the tree or `entries`, and the number of a tile, such as `0/x001/234.p/17`.",
    ),
]


@get(
    "/log/checkpoint",
    operation_id="getPublishedCheckpoint",
    opt={SAME_FOR_ALL: True},
    summary="The checkpoint of the published log",
    tags=_TAGS,
    media_type=_NOTE,
    responses=failures(NothingPublished),
)
async def checkpoint(library: Shelf, reader: Who) -> Response[str]:
    """The checkpoint at which the published log ends (C2SP tlog-tiles): an hour old, so that no delayed game is told too early."""
    note = await PublishedTiles(library.log).checkpoint()
    return answered(note, reader, media_type=_NOTE)


@get(
    "/log/tile/{tile:path}",
    operation_id="getTile",
    opt={SAME_FOR_ALL: True},
    summary="A tile of the published log",
    tags=_TAGS,
    media_type=TILE,
    responses=failures(NoSuchTile, EntriesNotPublished),
)
async def tile(tile: TilePath, library: Shelf, reader: Who) -> Response[bytes]:
    """Up to 256 hashes or entries of the log (C2SP tlog-tiles). It never changes."""
    named = read_path(tile.removeprefix("/"))
    if named is None:
        raise FieldInvalid(
            field="tile", problem="must be a level from 0 to 7 or `entries`, and a number such as x001/234.p/17"
        )
    content = await PublishedTiles(library.log).tile(named)
    return answered(content, reader, final=True, public=True, media_type=TILE)


ROUTES = (checkpoint, tile)
