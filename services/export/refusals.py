"""Why games were not exported."""

from domain.refusals import Refusal


class ParquetMissing(Refusal):
    """Parquet is written with pyarrow, which is not installed here: python -m pip install pyarrow."""
