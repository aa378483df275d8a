"""All read models of this program."""

from services.projecting.games import GamesProjection
from services.projecting.history import HistoryProjection
from services.projecting.projection import Projection
from services.projecting.replays import ReplaysProjection
from services.projecting.statistics import StatisticsProjection

PROJECTIONS: tuple[Projection, ...] = (
    GamesProjection(),
    HistoryProjection(),
    ReplaysProjection(),
    StatisticsProjection(),
)
MODELS = tuple(projection.MODEL for projection in PROJECTIONS)
