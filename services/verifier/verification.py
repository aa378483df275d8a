"""All checks of a bundle, in the order of the table in audit-format.md, "What a checker checks"."""

from collections.abc import Sequence

from .bundle import read_bundle
from .checkpoint import check_server_keys, check_witness_keys
from .course import check_course
from .events import Events
from .failure import Failed, Place
from .log_proof import check_inclusion, check_leaf
from .report import Report, Tally, sum_up

UNFIT_VALUES = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""The errors that Python raises if a value does not fit the format: a text in place of a number, a missing field.

A bundle may contain any JSON anywhere. The checks use each value as if it had the right type. If it has not, Python
raises one of these errors, and that is a failure of `form` at that place.
"""


def verify(data: bytes, public_key: str | None = None, witness_keys: Sequence[str] = ()) -> Report:
    """The report on what a bundle proves; raises `Failed` at the first check that does not hold.

    Without `public_key` the key in the bundle is used, which proves nothing about its owner.
    """
    place = Place()
    try:
        return _verified(data, public_key, witness_keys, place)
    except UNFIT_VALUES:
        raise Failed("form", f"{place.name} is not spelled as it should be.") from None


def _verified(data: bytes, public_key: str | None, witness_keys: Sequence[str], place: Place) -> Report:
    """The report on a bundle, after all checks."""
    bundle = read_bundle(data, place)
    report, tally = Report(bundle.game_id, bundle.round), Tally()
    check_course(Events(bundle, place), report, tally)
    check_leaf(bundle)
    check_inclusion(bundle)
    server_keys = [bundle.key] if public_key is None else [bundle.key, public_key]
    check_server_keys(bundle.checkpoint, server_keys, place)
    check_witness_keys(bundle.checkpoint, witness_keys, place)
    return sum_up(report, bundle, tally, public_key, witness_keys)
