"""Compares the files of a base backup with its manifest, as `pg_verifybackup` does, which does not run everywhere."""

import hashlib
import json
from pathlib import Path

_BESIDE = {"backup_manifest", "postgresql.auto.conf", "standby.signal", "recovery.signal"}
"""What the manifest does not list, or what may change afterwards."""


def differences(backup: Path) -> list[str]:
    """What is missing, different or too much in a base backup."""
    listed = {entry["Path"]: entry for entry in json.loads((backup / "backup_manifest").read_text())["Files"]}
    found = {str(path.relative_to(backup)): path for path in backup.rglob("*") if path.is_file()}
    sentences = [f"{name} is missing" for name in listed.keys() - found.keys() - _BESIDE]
    for name, path in found.items():
        if name in _BESIDE or name.startswith("pg_wal/"):
            continue
        if name not in listed:
            sentences.append(f"{name} is not in the manifest")
        elif listed[name]["Checksum"] != hashlib.sha256(path.read_bytes()).hexdigest():
            sentences.append(f"{name} has other bytes")
    return sentences
