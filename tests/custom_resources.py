"""Fields of the resources of CloudNativePG and of its plugin barman-cloud, as far as our manifests have them.

Compared by hand with the definitions of CloudNativePG 1.30 and barman-cloud 0.14. A manifest with another field has a typing
mistake, or this list is to be compared again and to grow.
"""

from collections.abc import Iterator
from typing import Any

_BACKUP_CREDENTIAL = ("name", "key")
FIELDS = {
    "Cluster": {
        "affinity": ("podAntiAffinityType", "topologyKey"),
        "bootstrap.initdb": ("dataChecksums", "database", "owner"),
        "bootstrap.initdb.secret": ("name",),
        "bootstrap.recovery": ("database", "owner", "source"),
        "bootstrap.recovery.recoveryTarget": ("targetTime",),
        "bootstrap.recovery.secret": ("name",),
        "externalClusters": ("name",),
        "externalClusters.plugin": ("name",),
        "externalClusters.plugin.parameters": ("barmanObjectName", "serverName"),
        "inheritedMetadata": ("labels",),
        "managed.roles": ("inRoles", "inherit", "login", "name"),
        "managed.roles.passwordSecret": ("name",),
        "plugins": ("isWALArchiver", "name"),
        "plugins.parameters": ("barmanObjectName", "serverName"),
        "postgresql": ("parameters", "pg_hba"),
        "postgresql.synchronous": ("dataDurability", "failoverQuorum", "method", "number"),
        "resources.limits": ("memory",),
        "resources.requests": ("cpu", "memory"),
        "storage": ("size",),
        "walStorage": ("size",),
        "": ("imageName", "instances"),
    },
    "ScheduledBackup": {
        "": ("backupOwnerReference", "immediate", "method", "schedule", "target"),
        "cluster": ("name",),
        "pluginConfiguration": ("name",),
    },
    "ObjectStore": {
        "": ("retentionPolicy",),
        "configuration": ("destinationPath",),
        "configuration.data": ("compression",),
        "configuration.s3Credentials.accessKeyId": _BACKUP_CREDENTIAL,
        "configuration.s3Credentials.secretAccessKey": _BACKUP_CREDENTIAL,
        "configuration.wal": ("compression", "maxParallel"),
    },
}
_OPEN = ("inheritedMetadata.labels.", "postgresql.parameters.")
"""What has any names in it."""
VERSIONS = {
    "Cluster": "postgresql.cnpg.io/v1",
    "ScheduledBackup": "postgresql.cnpg.io/v1",
    "ObjectStore": "barmancloud.cnpg.io/v1",
}


def unknown_fields(one: dict[str, Any]) -> Iterator[str]:
    """The faults of such a resource: fields that are not in the list."""
    kind = one["kind"]
    if one["apiVersion"] != VERSIONS[kind]:
        yield f"{kind} is not of {VERSIONS[kind]}"
    known = {f"{place}.{name}".removeprefix(".") for place, names in FIELDS[kind].items() for name in names}
    for path in _paths(one["spec"], ""):
        if path not in known and not path.startswith(_OPEN):
            yield f"{kind} {one['metadata']['name']} has {path}, which we don't know"


def _paths(value: Any, path: str) -> Iterator[str]:
    """The places of all values that have no parts; lists have no places."""
    match value:
        case dict():
            for name, part in value.items():
                yield from _paths(part, f"{path}.{name}".removeprefix("."))
        case list():
            for part in value:
                yield from _paths(part, path)
        case _:
            yield path
