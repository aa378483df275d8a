"""Checks the bundle of a game without the server that made it.

This package is a second implementation, written from the documentation and not from the game's code. It imports nothing
else of this project, only the standard library and `cryptography`. Copy the folder into your own program under any
name, or run it as it is: `python -I path/to/verifier FILE`.

`verification.py` makes all checks in order. Start to read there, or at the check that you look for:

| check | modules |
|---|---|
| `form` | `bundle`, `form`, `kinds`, `topics`, `characters`, `checkpoint`, `receipts` |
| `digests` | `digests` |
| `commitments` | `commitments`, `cups` |
| `signatures` | `signatures`, `keys`, `table`, `curve` |
| `links` | `links`, `fair_dice`, `table`, `cups` |
| `dice` | `cups`, `fair_dice`, `opener`, `rounds` |
| `bids` | `turns`, `bids`, `rerolls`, `challenge`, `forfeits`, `times` |
| `outcome` | `table`, `course`, `opener`, `rounds`, `challenge`, `chips`, `forfeits`, `round_end`, `events` |
| `leaf` | `log_proof` |
| `inclusion` | `log_proof` |
| `checkpoint` | `checkpoint`, `keys`, `curve` |
| `receipts` | `receipts`, `verification` |

`rulebooks.py` says how the five books differ, `game.py` holds the state of a game while its events are checked, and
`report.py` makes the report.
"""

from .failure import Failed
from .form import BUNDLE_BYTES_MAX, Json
from .keys import read_key
from .report import Report, Round
from .verification import verify

__all__ = ["BUNDLE_BYTES_MAX", "Failed", "Json", "Report", "Round", "read_key", "verify"]
