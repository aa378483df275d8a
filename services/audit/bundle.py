"""Writing bundles: one file with all that a check of a round or a game needs. `docs/reference/audit-format.md` has the format."""

import json
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

from domain.values import Value
from infra.events.evidence import Signed


class BundledEvent(Value, frozen=True, kw_only=True):
    """An event in a bundle."""

    version: int
    topic: str
    public: bytes
    commitment: bytes | None = None
    opened: bytes | None = None
    """Salt and secret, once the round is over."""
    signed: Signed | None = None
    digest: bytes | None = None


class Inclusion(Value, frozen=True, kw_only=True):
    """The place in the log of the leaf for a bundle's last event, and the proof of it."""

    leaf: int
    proof: tuple[bytes, ...]
    checkpoint: str
    key: str


def write_bundle(game_id: str, round_number: int | None, events: Sequence[BundledEvent], inclusion: Inclusion) -> bytes:
    """The bundle of a round, or of the whole game if no round is named."""
    bundle = {
        "format": "liarsdice.bundle.v1",
        "game_id": game_id,
        "round": round_number,
        "events": [_event(event) for event in events],
        "leaf": inclusion.leaf,
        "proof": [_text(node) for node in inclusion.proof],
        "checkpoint": inclusion.checkpoint,
        "key": inclusion.key,
    }
    return json.dumps(bundle, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _event(event: BundledEvent) -> dict[str, Any]:
    signed = event.signed
    members = {
        "version": event.version,
        "topic": event.topic,
        "public": event.public.decode(),
        "commitment": _text(event.commitment),
        "opened": _text(event.opened),
        "signed": None if signed is None else {"after": signed.after, "signature": _text(signed.signature)},
        "digest": _text(event.digest),
    }
    return {name: member for name, member in members.items() if member is not None}


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else b64encode(raw).decode()
