"""The job that examines a disputed round."""

from services.audit.examination import Examination, examined
from services.desk.sources import Sources


async def examined_round(sources: Sources, game_id: str, round_number: int) -> Examination:
    """What the verifier says about a round."""
    return await examined(await sources.audits.bundle(game_id, round_number))
