"""The process of an attacker: `python -m tests.attacks.attacker NAME SECONDS`, with the target as JSON on its input.

It has the lowest priority. An attacker sits at a machine of its own and does not take CPU time from the server and the
victim, so what is measured here is only what the server does to itself.
"""

import asyncio
import os
import resource
import sys

import msgspec

from tests.attacks.attack import Foe, Target
from tests.attacks.every import ATTACKS


async def _attack(name: str, seconds: float, target: Target) -> None:
    foe = Foe(target, seconds)
    sys.stdout.write("begun\n")
    sys.stdout.flush()
    try:
        await ATTACKS[name](foe)
    except Exception as error:  # noqa: BLE001 - an attack that the server stops this way is over, and that is told
        foe.told[f"stopped by {type(error).__name__}"] += 1
    sys.stdout.write(msgspec.json.encode(dict(foe.told)).decode() + "\n")
    sys.stdout.flush()
    # Nothing has to be closed in order: an attacker simply goes.
    os._exit(0)


if __name__ == "__main__":
    os.nice(19)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    asyncio.run(_attack(sys.argv[1], float(sys.argv[2]), msgspec.json.decode(sys.stdin.readline(), type=Target)))
