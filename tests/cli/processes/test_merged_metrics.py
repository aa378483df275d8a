"""One page of metrics for several processes."""

import asyncio
from collections.abc import Iterator
from typing import NamedTuple

from prometheus_client.metrics_core import CounterMetricFamily, Metric
from prometheus_client.parser import text_string_to_metric_families

from services.cli.processes.merged_metrics import merged
from services.http.request_metrics import Metrics


class Calls(NamedTuple):
    """Calls that a process has counted."""

    made: float

    async def look(self) -> bool:
        return True

    def collect(self) -> Iterator[Metric]:
        yield CounterMetricFamily("liarsdice_rpc_calls", "Calls.", self.made)


def page(calls: float, *requests: tuple[str, str, str]) -> bytes:
    metrics = Metrics((Calls(calls),))
    for labels in requests:
        metrics.requests.labels(*labels).inc()
    return asyncio.run(metrics.page())


def test_each_number_names_its_process_and_each_family_is_described_once() -> None:
    written = merged({1: page(3, ("GET", "/api/v1/games", "200")), 2: page(4)}).decode()

    (calls,) = [one for one in text_string_to_metric_families(written) if one.name == "liarsdice_rpc_calls"]
    assert {sample.labels["process"]: sample.value for sample in calls.samples} == {"1": 3, "2": 4}
    request = 'liarsdice_http_requests_total{process="1",method="GET",route="/api/v1/games",status="200"} 1.0'
    assert request in written.splitlines()
    assert written.count("# TYPE liarsdice_rpc_calls_total") == 1


def test_numbers_of_all_processes_together_name_none() -> None:
    models = b'# HELP lag Behind.\n# TYPE lag gauge\nlag{model="games"} 2.0\n'

    assert merged({1: page(0)}, models).decode().splitlines()[:3] == models.decode().splitlines()


def test_a_process_that_does_not_answer_leaves_no_gap_in_the_page_of_the_others() -> None:
    answered = page(5)
    assert merged({1: answered, 2: b""}) == merged({1: answered})
    assert merged({}) == b""
