"""All read models of this program."""

from services.projector.clubs import ClubsProjection
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
    ClubsProjection(),
)
MODELS = tuple(projection.MODEL for projection in PROJECTIONS)
