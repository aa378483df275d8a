"""All checks of a bundle, in the order of the table in audit-format.md, "What a checker checks".

Nothing here catches an error of Python. `bundle.py` has checked the kind of every value, so an error would be a mistake
in this program and not in the bundle.
"""

from collections.abc import Sequence

from .bundle import read_bundle
from .checkpoint import SIGNATURE, check_signers
from .course import check_course
from .digests import check_digests
from .events import Events
from .failure import Failed
from .keys import Key, read_key
from .log_proof import check_inclusion, check_leaf
from .receipts import check_receipts, read_receipts
from .report import Report, Tally, sum_up


def verify(
    data: bytes,
    public_key: str | None = None,
    witness_keys: Sequence[str] = (),
    *,
    receipts: bytes | None = None,
    receipt_keys: Sequence[str] = (),
) -> Report:
    """The report on what a bundle proves; raises `Failed` at the first check that does not hold.

    Without `public_key` the key in the bundle is used, which proves nothing about its owner. `receipts` is a file of
    receipts for the same game; those of the keys that signed the checkpoint and of `receipt_keys` are checked.
    """
    bundle = read_bundle(data)
    given = [] if receipts is None else read_receipts(receipts, bundle.game_id)
    digests = check_digests(bundle.game_id, bundle.events)
    report, tally, events = Report(bundle.game_id, bundle.round), Tally(), Events(bundle, digests)
    check_course(events, report, tally)
    check_leaf(bundle)
    check_inclusion(bundle, digests)
    signers = check_signers(bundle.checkpoint, bundle.key, public_key, witness_keys)
    tally.signed_moves = events.signed_moves
    tally.receipts = check_receipts(bundle, digests, [*signers.server, *map(_log_key, receipt_keys)], given)
    return sum_up(report, bundle, tally, signers, is_key_given=public_key is not None)


def _log_key(text: str) -> Key:
    """A key of the log that signed receipts, perhaps an older one than the bundle's."""
    try:
        key = read_key(text)
    except ValueError as error:
        raise Failed("receipts", f"A given key {error}.") from None
    if key.signature_type != SIGNATURE:
        raise Failed("receipts", "A given key is not the key of a log.")
    return key
