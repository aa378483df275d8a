"""The Postgres of `k8s/cloudnative-pg` and its restored twin: what they promise, and that the parts can work with it."""

import re
import subprocess
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
import yaml  # type: ignore[import-untyped]

from tests.infra.postgres.databases import empty_database, on_connection
from tests.manifests import FOLDERS, ROOT, Manifest, faults, rendered, written
from tests.test_manifests import RENDER, container_of, has_kubectl, pod_of, run_together, secrets_referred_to

*_, DATABASE, OVERLAY, RESTORED = FOLDERS
PAGE = (ROOT / "docs" / "operate" / "cloudnative-pg.md").read_text()
EXAMPLES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
SUFFIX = "_of_cluster"
"""Roles belong to the whole server, which other tests use too."""


def cluster_in(objects: list[Manifest]) -> Manifest:
    (cluster,) = (one for one in objects if one["kind"] == "Cluster")
    return cluster


def test_a_commit_is_on_a_standby_and_no_standby_that_may_lack_it_is_promoted() -> None:
    spec = cluster_in(written(DATABASE))["spec"]

    assert spec["instances"] >= 3
    assert spec["postgresql"]["synchronous"] == {
        "method": "any",
        "number": 1,
        "dataDurability": "required",
        "failoverQuorum": True,
    }
    assert spec["postgresql"]["parameters"]["synchronous_commit"] == "on"
    assert spec["affinity"]["podAntiAffinityType"] == "required"


def test_everything_is_archived_and_backed_up_to_one_store_and_the_restored_one_archives_beside_it() -> None:
    (store, schedule) = (one for one in written(DATABASE) if one["kind"] in ("ObjectStore", "ScheduledBackup"))
    cluster = cluster_in(written(DATABASE))
    (plugin,) = cluster["spec"]["plugins"]

    assert plugin["isWALArchiver"]
    assert plugin["parameters"] == {"barmanObjectName": store["metadata"]["name"]}
    assert schedule["spec"]["cluster"] == {"name": cluster["metadata"]["name"]}
    assert schedule["spec"]["pluginConfiguration"]["name"] == plugin["name"]
    assert len(schedule["spec"]["schedule"].split()) == 6


@has_kubectl
def test_what_is_restored_is_another_cluster_that_leaves_the_past_of_the_first_as_it_is() -> None:
    first, twin = cluster_in(written(DATABASE)), cluster_in(rendered(RESTORED))
    source, plugin = twin["spec"]["externalClusters"][0], twin["spec"]["plugins"][0]

    assert twin["metadata"]["name"] != first["metadata"]["name"]
    assert twin["spec"]["bootstrap"]["recovery"]["source"] == source["name"]
    assert source["plugin"]["parameters"]["serverName"] == first["metadata"]["name"]
    assert plugin["parameters"]["serverName"] == twin["metadata"]["name"]
    same = ("instances", "postgresql", "managed", "affinity")
    assert {name: twin["spec"][name] for name in same} == {name: first["spec"][name] for name in same}
    assert {one["kind"] for one in rendered(RESTORED)} == {"Cluster", "ScheduledBackup"}


@has_kubectl
def test_all_parts_verify_the_certificate_against_the_authority_of_the_operator_and_none_gets_its_key() -> None:
    objects = rendered(OVERLAY)
    parts = [one for one in objects if one["kind"] in ("Deployment", "Job")]
    (policy,) = (one for one in objects if (one["kind"], one["metadata"]["name"]) == ("NetworkPolicy", "liarsdice"))

    assert len(parts) == 4
    for part in parts:
        assert {"name": "PGSSLMODE", "value": "verify-full"} in container_of(part)["env"]
        (volume,) = (one for one in pod_of(part)["volumes"] if one["name"] == "database-ca")
        assert volume["secret"] == {
            "secretName": "liarsdice-postgres-ca",
            "items": [{"key": "ca.crt", "path": "ca.crt"}],
        }
    assert "hostnossl all all all reject" in cluster_in(objects)["spec"]["postgresql"]["pg_hba"]
    assert all("to" in rule for rule in policy["spec"]["egress"])


def logins(admin: str) -> dict[str, str]:
    """The URL for each login, with the roles that the operator makes of the manifest, by the very statements."""
    statements, parts = [], urlsplit(admin)
    roles = cluster_in(written(DATABASE))["spec"]["managed"]["roles"]
    for role in roles:
        if role["login"]:
            statements.append(f"CREATE ROLE {role['name']}{SUFFIX} LOGIN NOINHERIT PASSWORD 'secret'")
            assert role["inherit"] is False
        else:
            exists = f"EXISTS (SELECT FROM pg_roles WHERE rolname = '{role['name']}')"
            statements.append(f"DO $$ BEGIN IF NOT {exists} THEN CREATE ROLE {role['name']} NOLOGIN; END IF; END $$")
    statements += [f"GRANT {one} TO {role['name']}{SUFFIX}" for role in roles for one in role.get("inRoles", ())]
    statements.append(f"ALTER DATABASE {parts.path.removeprefix('/')} OWNER TO migrate{SUFFIX}")
    on_connection(admin, lambda connection: connection.execute(";".join(statements)))
    host = parts.netloc.rpartition("@")[2]
    names = [role["name"] for role in roles if role["login"]]
    return {name: urlunsplit(parts._replace(netloc=f"{name}{SUFFIX}:secret@{host}")) for name in names}


def test_the_parts_run_together_as_the_logins_of_the_cluster() -> None:
    urls = logins(empty_database())

    run_together(urls.pop("migrate"), lambda: urls)


@has_kubectl
@pytest.mark.parametrize("example", EXAMPLES, ids=["services", "restored"])
def test_an_overlay_of_the_page_is_rendered_with_every_image_pinned(example: str, tmp_path: Path) -> None:
    relative = Path(*[".."] * (len(tmp_path.resolve().parts) - 1), *(ROOT / "k8s").parts[1:])
    (tmp_path / "kustomization.yaml").write_text(example.replace("../..", str(relative)))
    ran = subprocess.run([RENDER, tmp_path], capture_output=True, check=True, timeout=60)
    objects = list(yaml.safe_load_all(ran.stdout))

    assert not list(faults(objects))
    assert {one["metadata"]["namespace"] for one in objects} == {"dice"}
    (tmp_path / "kustomization.yaml").write_text(example.replace("../..", str(relative)).replace("@sha256:", ":"))
    refused = subprocess.run([RENDER, tmp_path], capture_output=True, check=False, timeout=60)
    assert refused.returncode == 1
    assert b"ghcr.io/cloudnative-pg/postgresql" in refused.stderr


@has_kubectl
def test_the_commands_of_the_page_make_the_secrets_that_the_manifests_refer_to(tmp_path: Path) -> None:
    """They are run as they stand there, but kubectl only shows what it would create."""
    (block,) = (block for block in re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL) if "openssl" in block)
    (tmp_path / "cluster").mkdir()
    for name in ("keys", "log-keys"):
        (tmp_path / "cluster" / name).write_text("none")
    shown = 'case "$*" in *create*) echo ---; command kubectl "$@" --dry-run=client -o yaml;; esac'
    script = f"kubectl() {{ {shown}; }}\nopenssl() {{ echo made-up; }}\nACCESS_KEY_ID=a SECRET_ACCESS_KEY=b\n{block}"
    ran = subprocess.run(["/bin/sh", "-eu", "-c", script], cwd=tmp_path, capture_output=True, check=True, timeout=60)
    made = {one["metadata"]["name"]: set(one["data"]) for one in yaml.safe_load_all(ran.stdout) if one}

    wanted = secrets_referred_to(rendered(OVERLAY))
    assert wanted.pop("liarsdice-postgres-ca") == {"ca.crt"}  # The operator makes it.
    cluster = cluster_in(written(DATABASE))["spec"]
    names = [role["passwordSecret"]["name"] for role in cluster["managed"]["roles"] if role["login"]]
    wanted |= {name: {"username", "password"} for name in names}
    assert cluster["bootstrap"]["initdb"]["secret"]["name"] in names
    assert wanted | {"liarsdice-backup": {"access-key-id", "secret-access-key"}} == made
