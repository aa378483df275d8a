"""The alerts and the panels of `k8s/monitoring`, and Prometheus's own tool to check them, where it is installed."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml  # type: ignore[import-untyped]

from tests.monitoring.promql import INTERVAL_SECONDS, Scrape, Series, names_in

FOLDER = Path(__file__).parents[2] / "k8s" / "monitoring"
PROMTOOL = shutil.which("promtool")
_SPEC: dict[str, Any] = yaml.safe_load((FOLDER / "alerts.yaml").read_text())["spec"]
ALERTS: dict[str, dict[str, Any]] = {rule["alert"]: rule for group in _SPEC["groups"] for rule in group["rules"]}
_SCRAPES = 120
"""Longer than any alert waits."""


def panels() -> Iterator[dict[str, Any]]:
    """The panels of the dashboard that show something."""
    dashboard = json.loads((FOLDER / "dashboard.json").read_text())
    return (panel for panel in dashboard["panels"] if panel["type"] != "row")


def expressions() -> list[str]:
    """All expressions of alerts and panels."""
    shown = [target["expr"] for panel in panels() for target in panel["targets"]]
    return [*(rule["expr"] for rule in ALERTS.values()), *shown]


def checked_by_promtool() -> str:
    """What Prometheus's own tool says of the rules."""
    with TemporaryDirectory() as folder:
        rules = _written(Path(folder), *ALERTS.values())
        return _promtool("check", "rules", str(rules))


def fires_by_promtool(alert: str, before: Scrape, during: Scrape) -> bool:
    """Whether an alert fires in Prometheus itself, if the fault goes on for as long as the alert waits.

    Counters go on growing as between the two scrapes; everything else stays as it is in the second one.
    """
    series = [
        {"series": _text(one), "values": f"{_start(one, before, during)!r}+{_step(one, before, during)!r}x{_SCRAPES}"}
        for one in during.values
        if one.name in names_in(ALERTS[alert]["expr"])
    ]
    firing = f'count(ALERTS{{alertname="{alert}",alertstate="firing"}}) > bool 0'
    expected = [{"expr": firing, "eval_time": "25m", "exp_samples": [{"labels": "{}", "value": 1}]}]
    test = {"interval": f"{INTERVAL_SECONDS:.0f}s", "input_series": series, "promql_expr_test": expected}
    with TemporaryDirectory() as folder:
        rules, unit = _written(Path(folder), ALERTS[alert]), Path(folder) / "test.yaml"
        content = {"rule_files": [str(rules)], "evaluation_interval": "15s", "tests": [test]}
        unit.write_text(yaml.safe_dump(content))
        return "SUCCESS" in _promtool("test", "rules", str(unit))


def _written(folder: Path, *alerts: dict[str, Any]) -> Path:
    """A file with some of the rules."""
    rules = folder / "rules.yaml"
    rules.write_text(yaml.safe_dump({"groups": [{"name": "liarsdice", "rules": [*alerts]}]}))
    return rules


def _promtool(*arguments: str) -> str:
    assert PROMTOOL is not None
    ran = subprocess.run([PROMTOOL, *arguments], capture_output=True, check=False, timeout=120)
    return (ran.stdout + ran.stderr).decode()


def _text(one: Series) -> str:
    labels = ",".join(f'{name}="{value}"' for name, value in sorted(one.labels))
    return f"{one.name}{{{labels}}}"


def _grows(one: Series, during: Scrape) -> bool:
    family = re.sub(r"_(total|bucket|sum|count)$", "", one.name)
    return during.kinds.get(family, during.kinds.get(one.name)) in ("counter", "histogram")


def _start(one: Series, before: Scrape, during: Scrape) -> float:
    return before.values.get(one, 0.0) if _grows(one, during) else during.values[one]


def _step(one: Series, before: Scrape, during: Scrape) -> float:
    return max(0.0, during.values[one] - before.values.get(one, 0.0)) if _grows(one, during) else 0.0
