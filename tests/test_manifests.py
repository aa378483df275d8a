"""Kubernetes accepts the manifests under `k8s/`, and what they say about the program is true."""

import argparse
import os
import re
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
import yaml  # type: ignore[import-untyped]
from grpc_health.v1 import health_pb2, health_pb2_grpc

from services.app.database_address import DATABASE_VARIABLE
from services.app.environment import key_file, log_key_file
from services.app.settings import Settings
from services.cli import main as cli
from services.connect.door import PREFIX
from services.http.health import LIVE_PATH, READY_PATH
from services.rpc.server import SERVICES
from tests.infra.postgres.databases import empty_database, folder_for_a_server, login, new_database, on_connection
from tests.manifests import FOLDERS, KUBECTL, ROOT, Manifest, faults, kustomization, rendered, written
from tests.rpc.servers import METHODS
from tests.servers import free_ports

BASE, DEV, REBUILD, INGRESS, _MONITORING = FOLDERS
PAGE = (ROOT / "docs" / "operate" / "kubernetes.md").read_text()
WORKLOADS = [one for folder in (BASE, REBUILD) for one in written(folder) if one["kind"] in ("Deployment", "Job")]
SETTINGS = dict(pair.split("=", 1) for pair in kustomization(BASE)["configMapGenerator"][0]["literals"])
SECONDS_MAX = 60
RENDER = ROOT / "k8s" / "render"

has_kubectl = pytest.mark.skipif(KUBECTL is None, reason="kubectl is not installed")
each_folder = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(ROOT)))
each_workload = pytest.mark.parametrize("workload", WORKLOADS, ids=lambda one: one["metadata"]["name"])


def pod_of(workload: Manifest) -> Manifest:
    return dict(workload["spec"]["template"]["spec"])


def container_of(workload: Manifest) -> Manifest:
    (container,) = pod_of(workload)["containers"]
    return dict(container)


def workload(name: str) -> Manifest:
    return next(one for one in WORKLOADS if one["metadata"]["name"] == name)


def arguments_of(container: Manifest) -> list[str]:
    """The arguments as Kubernetes hands them over: with the settings put in."""
    return [re.sub(r"\$\((\w+)\)", lambda found: SETTINGS[found[1]], argument) for argument in container["args"]]


def parsed(container: Manifest) -> argparse.Namespace:
    return cli.parser_for(arguments_of(container)).parse_args(arguments_of(container))


def ports_of(container: Manifest) -> dict[str, int]:
    return {port["name"]: int(port["containerPort"]) for port in container.get("ports", [])}


def port_of(container: Manifest) -> int:
    """The port of a container that its callers and its probes know."""
    return next(iter(ports_of(container).values()))


def probes_of(container: Manifest) -> list[Manifest]:
    return [container[f"{kind}Probe"] for kind in ("startup", "readiness", "liveness") if f"{kind}Probe" in container]


def selects(selector: dict[str, str], labels: dict[str, str]) -> bool:
    return selector.items() <= labels.items()


@has_kubectl
@each_folder
def test_what_kubectl_makes_of_a_folder_is_valid_in_the_oldest_and_the_newest_kubernetes(folder: Path) -> None:
    objects = rendered(folder)

    assert objects
    assert not list(faults(objects))


@each_folder
def test_every_file_is_valid_by_itself_and_belongs_to_its_folder(folder: Path) -> None:
    listed = kustomization(folder)["resources"]
    files = {path.name for path in folder.glob("*.yaml")} - {"kustomization.yaml"}

    assert not list(faults(written(folder)))
    assert files == {name for name in listed if name.endswith(".yaml")}
    assert all((folder / name).exists() for name in listed)


def test_a_fault_is_found() -> None:
    wrong = {**workload("liarsdice-migrate"), "spec": {"replica": 1}}

    assert any("liarsdice-migrate" in fault for fault in faults([wrong]))


@has_kubectl
def test_the_overlay_for_development_has_everything_once_and_its_own_database() -> None:
    objects = rendered(DEV)
    replicas = {
        one["metadata"]["name"]: one["spec"]["replicas"] for one in objects if "replicas" in one.get("spec", {})
    }
    images = {
        one["image"] for found in objects if "template" in found.get("spec", {}) for one in pod_of(found)["containers"]
    }

    parts = ("game", "http", "postgres", "projector")
    assert replicas == {f"liarsdice-{part}": 1 for part in parts}
    assert images == {"liarsdice:dev", "postgres:18"}
    assert {one["metadata"].get("namespace", "liarsdice") for one in objects} == {"liarsdice"}
    (policy,) = (one for one in objects if (one["kind"], one["metadata"]["name"]) == ("NetworkPolicy", "liarsdice"))
    assert all("to" in rule for rule in policy["spec"]["egress"])


@has_kubectl
@pytest.mark.parametrize("example", re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL))
def test_an_overlay_of_the_page_can_be_rendered(example: str, tmp_path: Path) -> None:
    relative = os.path.relpath(ROOT / "k8s", tmp_path.resolve())
    (tmp_path / "kustomization.yaml").write_text(example.replace("../..", relative))
    objects = rendered(tmp_path)

    assert not list(faults(objects))
    assert {one["metadata"]["namespace"] for one in objects} == {"dice"}
    assert re.search(r"registry.example.com/liarsdice@sha256:[0-9a-f]{64}\n", yaml.dump(objects))
    ran = subprocess.run([RENDER, tmp_path], capture_output=True, check=True, timeout=60)
    assert list(yaml.safe_load_all(ran.stdout)) == objects


@has_kubectl
def test_the_overlay_of_the_page_lets_browsers_in_under_its_host_and_pages_of_its_origin_call(tmp_path: Path) -> None:
    example = next(one for one in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) if "../../ingress" in one)
    relative = os.path.relpath(ROOT / "k8s", tmp_path.resolve())
    (tmp_path / "kustomization.yaml").write_text(example.replace("../..", relative))
    objects = rendered(tmp_path)
    (ingress,) = (one["spec"] for one in objects if one["kind"] == "Ingress")
    (policy,) = (one["spec"] for one in objects if one["metadata"]["name"] == "liarsdice-connect")
    serving = [one for one in objects if one["metadata"]["name"] in ("liarsdice-game", "liarsdice-http")]

    assert [rule["host"] for rule in ingress["rules"]] == ["dice.example.com"] == ingress["tls"][0]["hosts"]
    assert ingress["ingressClassName"] == "traefik"
    assert policy["ingress"][0]["from"] == [
        {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "traefik"}}}
    ]
    for container in (container_of(one) for one in serving if one["kind"] == "Deployment"):
        assert parsed(container).cors_origin == ["https://play.example.com"]


@has_kubectl
@pytest.mark.parametrize("image", ["", "    newTag: 0.1.0\n", "    digest: sha256:abc\n"])
def test_an_image_without_its_digest_is_not_rendered(image: str, tmp_path: Path) -> None:
    relative = os.path.relpath(ROOT / "k8s", tmp_path.resolve())
    example = f"resources:\n  - {relative}/base\nimages:\n  - name: liarsdice\n    newName: example.com/dice\n{image}"
    (tmp_path / "kustomization.yaml").write_text(example)
    ran = subprocess.run([RENDER, tmp_path], capture_output=True, check=False, timeout=60)

    assert (ran.returncode, ran.stdout) == (1, b"")
    assert b"example.com/dice" in ran.stderr


@pytest.mark.parametrize(
    "name",
    [
        "liarsdice-game",
        "liarsdice-http",
        "liarsdice-projector",
        "liarsdice-migrate",
        "liarsdice-rebuild",
    ],
)
def test_the_program_understands_the_arguments_and_listens_on_the_port(name: str) -> None:
    container = container_of(workload(name))
    understood = parsed(container)

    assert container["command"] == ["liarsdice"]
    if "ports" in container:
        assert understood.listen == f"0.0.0.0:{port_of(container)}"
    if name == "liarsdice-game":
        assert understood.http == f"0.0.0.0:{ports_of(container)['connect']}"


@each_workload
def test_a_probe_asks_for_what_there_is(workload: Manifest) -> None:
    container = container_of(workload)
    ports = ports_of(container)

    assert len(probes_of(container)) == (3 if ports else 0)
    for probe in probes_of(container):
        if "grpc" in probe:
            assert probe["grpc"]["port"] in ports.values()
            assert probe["grpc"].get("service", "") in ("", *SERVICES)
        else:
            assert probe["httpGet"]["port"] in ports
            is_ready = probe is container["readinessProbe"]
            assert probe["httpGet"]["path"] == (READY_PATH if is_ready else LIVE_PATH)


@each_workload
def test_the_environment_has_what_the_program_reads_and_nothing_secret_in_it(workload: Manifest) -> None:
    container = container_of(workload)
    *given, variable = container["env"]

    assert variable["name"] == DATABASE_VARIABLE
    assert set(variable["valueFrom"]) == {"secretKeyRef"}
    assert {one["name"] for one in given} == {"PGSSLMODE", "PGSSLROOTCERT"}
    takes_settings = any("$(" in argument for argument in container["args"])
    assert container.get("envFrom", []) == (
        [{"configMapRef": {"name": "liarsdice-settings"}}] if takes_settings else []
    )


def test_every_setting_is_used() -> None:
    used = {
        name for one in WORKLOADS for text in container_of(one)["args"] for name in re.findall(r"\$\((\w+)\)", text)
    }

    assert used == set(SETTINGS)


@each_workload
def test_the_certificate_of_the_database_is_verified_against_an_authority_that_is_mounted(workload: Manifest) -> None:
    container = container_of(workload)
    settings = {one["name"]: one.get("value") for one in container["env"]}
    (mount,) = (one for one in container["volumeMounts"] if one["name"] == "database-ca")
    (volume,) = (one for one in pod_of(workload)["volumes"] if one["name"] == "database-ca")

    assert settings["PGSSLMODE"] == "verify-full"
    assert [f"{mount['mountPath']}/{item['path']}" for item in volume["configMap"]["items"]] == [
        settings["PGSSLROOTCERT"]
    ]
    assert (
        f"create configmap {volume['configMap']['name']} --from-file={volume['configMap']['items'][0]['key']}" in PAGE
    )


def test_only_the_game_service_has_the_keys_under_the_names_that_it_looks_for() -> None:
    container = container_of(workload("liarsdice-game"))
    mount, volume = container["volumeMounts"][0], pod_of(workload("liarsdice-game"))["volumes"][0]
    data = parsed(container).data

    assert (str(data), mount["name"]) == (mount["mountPath"], volume["name"])
    assert {data / item["path"] for item in volume["secret"]["items"]} == {key_file(data), log_key_file(data)}
    with_secrets = [one for one in WORKLOADS if any("secret" in volume for volume in pod_of(one)["volumes"])]
    assert [one["metadata"]["name"] for one in with_secrets] == ["liarsdice-game"]


def test_only_pods_of_the_monitoring_reach_the_metrics() -> None:
    policies = [one["spec"] for one in written(BASE) if one["kind"] == "NetworkPolicy"]
    rules = [rule for spec in policies for rule in spec.get("ingress", [])]
    to_metrics = [rule for rule in rules if {port["port"] for port in rule["ports"]} & {"metrics", "health"}]

    (rule,) = to_metrics
    labels = {"kubernetes.io/metadata.name": "monitoring"}
    assert rule["from"] == [{"namespaceSelector": {"matchLabels": labels}}]
    for name in ("liarsdice-game", "liarsdice-http"):
        container = container_of(workload(name))
        assert parsed(container).metrics == f"0.0.0.0:{ports_of(container)['metrics']}"
    # Without a policy for it a pod would take every connection.
    assert {"app.kubernetes.io/name": "liarsdice"} in [spec["podSelector"]["matchLabels"] for spec in policies]


def rules_for(component: str, port: str, folders: tuple[Path, ...]) -> list[Manifest]:
    """The rules by which the policies of some folders let anybody reach a port of a component."""
    labels = workload(f"liarsdice-{component}")["spec"]["template"]["metadata"]["labels"]
    policies = [one["spec"] for folder in folders for one in written(folder) if one["kind"] == "NetworkPolicy"]
    rules = [
        rule
        for spec in policies
        if selects(spec["podSelector"]["matchLabels"], labels)
        for rule in spec.get("ingress", [])
    ]
    number = ports_of(container_of(workload(f"liarsdice-{component}")))[port]
    # A rule without ports is for all of them.
    return [rule for rule in rules if "ports" not in rule or {one["port"] for one in rule["ports"]} & {port, number}]


def test_only_the_ingress_calls_the_game_service_over_http_and_without_it_nobody_does() -> None:
    (rule,) = rules_for("game", "connect", (BASE, INGRESS))

    labels = {"kubernetes.io/metadata.name": "ingress"}
    assert rule["from"] == [{"namespaceSelector": {"matchLabels": labels}}]
    assert [port["port"] for port in rule["ports"]] == ["connect"]
    assert not rules_for("game", "connect", (BASE,))
    # Who reaches the other two is as it was: gRPC and reads are for everybody.
    assert all("from" not in rule for rule in rules_for("game", "grpc", (BASE, INGRESS)))
    assert all("from" not in rule for rule in rules_for("http", "http", (BASE, INGRESS)))


def led_to(path: str) -> tuple[str, str]:
    """The workload, and the address on which its program listens, to which the Ingress leads a path.

    A prefix matches whole parts of a path, and the longest one counts.
    """
    (ingress,) = (one for one in written(INGRESS) if one["kind"] == "Ingress")
    (rule,) = ingress["spec"]["rules"]
    parts = [part for part in path.split("/") if part]
    routes = {tuple(part for part in one["path"].split("/") if part): one for one in rule["http"]["paths"]}
    route = routes[max((prefix for prefix in routes if parts[: len(prefix)] == [*prefix]), key=len)]
    assert route["pathType"] == "Prefix"
    backend = route["backend"]["service"]
    objects = [one for one in written(BASE) if one["metadata"]["name"] == backend["name"]]
    (service,) = (one for one in objects if one["kind"] == "Service")
    (port,) = (one for one in service["spec"]["ports"] if one["name"] == backend["port"]["name"])
    container = container_of(workload(backend["name"]))
    return backend["name"], f"0.0.0.0:{ports_of(container)[port['targetPort']]}"


def test_the_ingress_leads_every_call_of_the_contract_to_the_game_service() -> None:
    understood = parsed(container_of(workload("liarsdice-game")))

    assert {path.split("/")[1] for path, _ in METHODS.values()} == set(SERVICES)
    for path, _ in METHODS.values():
        assert path.startswith(PREFIX)
        assert led_to(path) == ("liarsdice-game", understood.http)


@pytest.mark.parametrize(
    "path",
    ["/", "/api/v1/games", "/schema/openapi.json", "/page.js", f"{PREFIX}NoService/Play", "/liarsdice.v1/GameService"],
)
def test_the_ingress_leads_everything_else_to_the_service_without_keys(path: str) -> None:
    assert led_to(path) == ("liarsdice-http", parsed(container_of(workload("liarsdice-http"))).listen)


def test_the_ingress_has_a_certificate_for_every_host_and_answers_for_no_other() -> None:
    (ingress,) = (one for one in written(INGRESS) if one["kind"] == "Ingress")
    hosts = {rule["host"] for rule in ingress["spec"]["rules"]}

    assert {host for one in ingress["spec"]["tls"] for host in one["hosts"]} == hosts
    assert all(one["secretName"] for one in ingress["spec"]["tls"])
    assert "defaultBackend" not in ingress["spec"]


def test_behind_the_ingress_no_service_limits_by_address() -> None:
    """All callers have the address of the ingress controller."""
    for name in ("liarsdice-game", "liarsdice-http"):
        understood = parsed(container_of(workload(name)))
        assert (understood.address_rate, understood.address_connections) == (0, 0)


def test_no_key_reaches_the_http_service() -> None:
    container = container_of(workload("liarsdice-http"))

    assert secrets_referred_to([workload("liarsdice-http")]) == {"liarsdice-database": {"http"}}
    assert not any(argument.startswith("--data") for argument in container["args"])


def secrets_referred_to(objects: list[Manifest]) -> dict[str, set[str]]:
    """The secrets that pods refer to, and the keys in them, as far as they are named."""
    found: dict[str, set[str]] = {}
    for pod in (pod_of(one) for one in objects if "template" in one.get("spec", {})):
        for volume in pod.get("volumes", []):
            if "secret" in volume:
                keys = {item["key"] for item in volume["secret"].get("items", [])}
                found.setdefault(volume["secret"]["secretName"], set()).update(keys)
        for variable in (one for container in pod["containers"] for one in container["env"] if "valueFrom" in one):
            reference = variable["valueFrom"]["secretKeyRef"]
            found.setdefault(reference["name"], set()).add(reference["key"])
    return found


@has_kubectl
def test_the_commands_of_the_page_make_the_secrets_that_the_manifests_refer_to(tmp_path: Path) -> None:
    """They are run as they stand there, but kubectl only shows what it would create."""
    (block,) = (block for block in re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL) if "password=" in block)
    (tmp_path / "cluster").mkdir()
    for name in ("keys", "log-keys"):
        (tmp_path / "cluster" / name).write_text("none")
    shown = 'case "$*" in *create*) echo ---; command kubectl "$@" --dry-run=client -o yaml;; esac'
    script = f"kubectl() {{ {shown}; }}\nopenssl() {{ echo made-up; }}\n{block}"
    ran = subprocess.run(["/bin/sh", "-eu", "-c", script], cwd=tmp_path, capture_output=True, check=True, timeout=60)
    made = {one["metadata"]["name"]: set(one["data"]) for one in yaml.safe_load_all(ran.stdout) if one}

    wanted = secrets_referred_to([*written(BASE), *written(DEV), *written(REBUILD)])
    # The image of Postgres gets the name of a file, and the files of a secret have the names of its keys.
    assert wanted | {"liarsdice-postgres": {"password"}} == made


def test_no_manifest_holds_a_secret() -> None:
    objects = [one for folder in FOLDERS for one in written(folder)]

    assert "Secret" not in {one["kind"] for one in objects}
    assert not any("secretGenerator" in kustomization(folder) for folder in FOLDERS)


@pytest.mark.parametrize(
    "workload",
    [*WORKLOADS, *(one for one in written(DEV) if one["kind"] == "StatefulSet")],
    ids=lambda one: one["metadata"]["name"],
)
def test_a_pod_may_do_only_what_it_must(workload: Manifest) -> None:
    pod, container = pod_of(workload), container_of(workload)
    accounts = {
        one["metadata"]["name"]: one for folder in FOLDERS for one in written(folder) if one["kind"] == "ServiceAccount"
    }

    assert pod["automountServiceAccountToken"] is False
    assert accounts[pod["serviceAccountName"]]["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["runAsUser"] == pod["securityContext"]["runAsGroup"] > 0
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert {"cpu", "memory"} == set(container["resources"]["requests"])
    assert "memory" in container["resources"]["limits"]


def test_a_pod_has_the_time_that_it_needs_to_go_down() -> None:
    pod = pod_of(workload("liarsdice-game"))
    pause = container_of(workload("liarsdice-game"))["lifecycle"]["preStop"]["sleep"]["seconds"]

    assert pod["terminationGracePeriodSeconds"] >= 2 * (pause + Settings().grace_seconds)


@each_folder
def test_every_selector_selects_pods_and_every_port_that_is_named_is_there(folder: Path) -> None:
    objects = written(folder)
    # What stands before the services selects pods of the base.
    around = written(BASE) if folder == INGRESS else []
    pods = [one["spec"]["template"] for one in [*objects, *around] if "template" in one.get("spec", {})]
    for one in objects:
        selected = selector_of(one)
        if selected is None:
            continue
        found = [pod for pod in pods if selects(selected, pod["metadata"]["labels"])]
        named = {port["name"] for pod in found for part in pod["spec"]["containers"] for port in part.get("ports", [])}
        assert found, one["metadata"]["name"]
        assert set(ports_named_by(one)) <= named


def selector_of(one: Manifest) -> dict[str, str] | None:
    match one["kind"]:
        case "Service":
            return dict(one["spec"]["selector"])
        case "NetworkPolicy":
            return dict(one["spec"]["podSelector"]["matchLabels"])
        case "Deployment" | "StatefulSet" | "PodDisruptionBudget":
            return dict(one["spec"]["selector"]["matchLabels"])
        case _:
            return None


def ports_named_by(one: Manifest) -> Iterator[str]:
    if one["kind"] == "Service":
        yield from (port["targetPort"] for port in one["spec"]["ports"])
    if one["kind"] == "NetworkPolicy":
        yield from (port["port"] for rule in one["spec"].get("ingress", []) for port in rule["ports"])


def test_the_image_has_the_user_of_the_manifests_and_what_it_copies_is_there() -> None:
    text = (ROOT / "k8s" / "Dockerfile").read_text()
    users = {str(pod_of(one)["securityContext"]["runAsUser"]) for one in WORKLOADS}
    copied = [name for names in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE) for name in names.split()]

    assert users == set(re.findall(r"^USER (\d+)$", text, re.MULTILINE)) == set(re.findall(r"--uid (\d+)", text))
    assert "--require-hashes" in text
    assert copied
    assert all((ROOT / name).exists() for name in copied)


@contextmanager
def run(container: Manifest, environment: dict[str, str], folder: str) -> Iterator[dict[str, int]]:
    """The command of a container, in the environment that it would have, on ports that are free; it ends when asked to."""
    ports = dict(zip(ports_of(container), free_ports(len(ports_of(container))), strict=True))
    places = {f"0.0.0.0:{number}": f"127.0.0.1:{ports[name]}" for name, number in ports_of(container).items()}
    arguments = arguments_of(container)
    for before, after in {**places, "/etc/liarsdice": folder}.items():
        arguments = [argument.replace(before, after) for argument in arguments]
    process = subprocess.Popen([sys.executable, "-m", "services.cli", *arguments], env=environment, cwd=folder)
    try:
        yield ports
    finally:
        process.terminate()
        assert process.wait(timeout=SECONDS_MAX) == 0


def until_it_succeeds(probe: Manifest, port: int) -> None:
    ends = time.monotonic() + SECONDS_MAX
    while not succeeds(probe, port):
        assert time.monotonic() < ends, probe
        time.sleep(0.1)


def succeeds(probe: Manifest, port: int) -> bool:
    """What the kubelet would find."""
    if "httpGet" in probe:
        try:
            return httpx.get(f"http://127.0.0.1:{port}{probe['httpGet']['path']}").is_success
        except httpx.TransportError:
            return False
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        request = health_pb2.HealthCheckRequest(service=probe["grpc"].get("service", ""))
        try:
            stub: Any = health_pb2_grpc.HealthStub(channel)
            answer = stub.Check(request, timeout=probe["timeoutSeconds"])
        except grpc.RpcError:
            return False
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


def logins_of_the_page(url: str) -> dict[str, str]:
    """The address for each part, with a login that has the roles of the page and nothing else."""
    (grants,) = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
    parts = {name: login(f"{name}_of_manifests", owns=False, url=url) for name in ("game", "http", "projector")}
    sql = re.sub(r"TO (\w+) WITH", r"TO \1_of_manifests WITH", grants)
    on_connection(url, lambda connection: connection.execute(sql))
    return parts


def test_the_containers_run_together_as_the_logins_of_the_page_and_answer_their_probes() -> None:
    with folder_for_a_server() as folder, ExitStack() as stack:
        owner = empty_database()
        environment = {
            "PATH": os.defpath,
            "HOME": folder,
            "PYTHONPATH": f"{ROOT}:{ROOT / 'proto' / 'gen'}",
            DATABASE_VARIABLE: owner,
        }
        for name in (key_file, log_key_file):
            name(Path(folder)).write_bytes(b64encode(os.urandom(32)) + b"\n")
            name(Path(folder)).chmod(0o600)
        migrate = [sys.executable, "-m", "services.cli", *arguments_of(container_of(workload("liarsdice-migrate")))]
        subprocess.run(migrate, env=environment, cwd=folder, check=True, stdout=subprocess.DEVNULL, timeout=SECONDS_MAX)

        started = {}
        for part, url in logins_of_the_page(owner).items():
            container = container_of(workload(f"liarsdice-{part}"))
            own = environment | {DATABASE_VARIABLE: url}
            started[part] = stack.enter_context(run(container, own, folder))
        for part, ports in started.items():
            container = container_of(workload(f"liarsdice-{part}"))
            for probe in probes_of(container):
                until_it_succeeds(probe, ports[next(iter(ports))])
        assert_that_only_the_game_service_answers_calls(started)


def assert_that_only_the_game_service_answers_calls(started: dict[str, dict[str, int]]) -> None:
    door, reads = (f"http://127.0.0.1:{started[part][port]}" for part, port in (("game", "connect"), ("http", "http")))
    call, metrics = METHODS["ListRulebooks"][0], "/metrics"

    assert httpx.post(f"{door}{call}", json={}).json()["rulebooks"]
    assert httpx.post(f"{reads}{call}", json={}).status_code == HTTPStatus.NOT_FOUND
    assert httpx.get(f"{reads}/api/v1/rulebooks").is_success
    # Metrics are on their own port, and not where the ingress could lead somebody.
    for part in ("game", "http"):
        assert b"liarsdice_" in httpx.get(f"http://127.0.0.1:{started[part]['metrics']}{metrics}").content
    assert {httpx.get(f"{base}{metrics}").status_code for base in (door, reads)} == {HTTPStatus.NOT_FOUND}


def test_a_part_whose_login_lacks_a_role_says_which_grant_is_missing() -> None:
    url = new_database(lanes=1)
    mine = login("lacks_tokens", "IN ROLE liarsdice_reader", owns=False, url=url)
    command = [sys.executable, "-m", "services.cli", "http", "--listen=127.0.0.1:0"]
    environment = {"PATH": os.defpath, "PYTHONPATH": f"{ROOT}:{ROOT / 'proto' / 'gen'}", DATABASE_VARIABLE: mine}
    ran = subprocess.run(command, env=environment, capture_output=True, check=False, timeout=SECONDS_MAX)

    assert ran.returncode != 0
    assert b"`GRANT liarsdice_tokens TO lacks_tokens WITH SET TRUE`" in ran.stderr
    assert b"Traceback" not in ran.stderr
