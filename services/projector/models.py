"""All read models of this program."""

from services.projector.games import GamesProjection
from services.projector.history import HistoryProjection
from services.projector.projection import Projection
from services.projector.replays import ReplaysProjection
from services.projector.statistics import StatisticsProjection

PROJECTIONS: tuple[Projection, ...] = (
    GamesProjection(),
    HistoryProjection(),
    ReplaysProjection(),
    StatisticsProjection(),
)
MODELS = tuple(projection.MODEL for projection in PROJECTIONS)
