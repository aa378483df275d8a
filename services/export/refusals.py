"""Why games were not exported."""

from domain.refusals import Refusal


class ParquetMissing(Refusal):
    """Parquet needs pyarrow, which is not installed here: run python -m pip install pyarrow."""
