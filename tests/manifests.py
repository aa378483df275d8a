"""The manifests under `k8s/`: read, rendered by kubectl, and checked against the schemas of Kubernetes, or our list of fields.

`python -m tests.manifests` renders and checks all of them, and says so where kubectl is missing.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import yaml  # type: ignore[import-untyped]

from tests.custom_resources import FIELDS, unknown_fields

ROOT = Path(__file__).parents[1]
FOLDER_NAMES = (
    "base",
    "overlays/dev",
    "rebuild",
    "ingress",
    "monitoring",
    "cloudnative-pg",
    "overlays/cloudnative-pg",
    "restored",
)
FOLDERS = [ROOT / "k8s" / name for name in FOLDER_NAMES]
VERSIONS = ("1.30.0", kubernetes_validate.latest_version())
"""The oldest Kubernetes that knows everything we use, and the newest one for which we have schemas."""
KUBECTL = shutil.which("kubectl")

Manifest = dict[str, Any]


def kustomization(folder: Path) -> Manifest:
    """The kustomization of a folder."""
    return dict(yaml.safe_load((folder / "kustomization.yaml").read_text()))


@cache
def written(folder: Path) -> list[Manifest]:
    """The objects in the files of a folder, as they are written there. Nobody changes them."""
    files = [path for path in sorted(folder.glob("*.yaml")) if path.name != "kustomization.yaml"]
    return [found for path in files for found in yaml.safe_load_all(path.read_text())]


def rendered(folder: Path) -> list[Manifest]:
    """The objects of a folder as kubectl would apply them."""
    assert KUBECTL is not None
    ran = subprocess.run([KUBECTL, "kustomize", str(folder)], capture_output=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stderr.decode()
    assert not ran.stderr, ran.stderr.decode()
    return list(yaml.safe_load_all(ran.stdout))


def faults(objects: list[Manifest]) -> Iterator[str]:
    """The faults that the schemas of Kubernetes find in objects; unknown fields are faults too.

    There is no schema for the objects of the Prometheus operator; `tests/monitoring` looks at what is in them.
    """
    own = (one for one in objects if not one["apiVersion"].startswith("monitoring.coreos.com/"))
    return (fault for one in own for fault in _faults_of(json.dumps(one, sort_keys=True)))


@cache
def _faults_of(text: str) -> tuple[str, ...]:
    """The faults of an object, which most folders share. The library reads all schemas of a version for each object."""
    one, found = json.loads(text), []
    if one["kind"] in FIELDS:
        return tuple(unknown_fields(one))
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(one, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            place = ".".join(map(str, error.path))
            found.append(
                f"{one['kind']} {one['metadata']['name']} in Kubernetes {version}, at {place}: {error.message}"
            )
    return tuple(found)


def main() -> int:
    """Render and check all manifests."""
    found = 0
    for folder in FOLDERS:
        objects = written(folder) if KUBECTL is None else rendered(folder)
        for fault in faults(objects):
            print(fault)  # noqa: T201 - it is run by hand and by make
            found += 1
        print(f"{folder.relative_to(ROOT)}: {len(objects)} objects checked")  # noqa: T201
    if KUBECTL is None:
        print("kubectl is not installed: the manifests were checked file by file and not rendered")  # noqa: T201
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
