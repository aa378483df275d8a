"""Traces: one call is seen from its arrival through the commit to the watcher, and none of it tells anything secret."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from infra import spans
from infra.failure import CommandFailed
from services.app.otel_tracer import exported
from services.app.tracing import tracing_to
from tests.audit.test_secrecy import occurs, played
from tests.infra.postgres.databases import empty_database, folder_for_a_server, new_database
from tests.rpc.servers import METHODS, Server, on_server
from tests.servers import ServerProcess

PARTS = {"decide", "append", "commit", "broadcast", "deliver", "steward"}
"""The names of spans that are not those of calls."""


def below(spans_of_call: Sequence[ReadableSpan], name: str, parent: ReadableSpan) -> list[ReadableSpan]:
    context = parent.get_span_context()
    assert context is not None
    return [
        span
        for span in spans_of_call
        if span.name == name and span.parent is not None and span.parent.span_id == context.span_id
    ]


def test_a_bid_is_traced_from_the_call_through_the_commit_to_every_watcher() -> None:
    exporter = InMemorySpanExporter()

    async def story(server: Server) -> None:
        ann, bob, eve = await server.players(3)
        game_id = await server.bidding([ann, bob])
        watching = [eve.watch(game_id), bob.watch(game_id)]
        for stream in watching:
            await stream.next("snapshot")
        await ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2)
        for stream in watching:
            await stream.next("update")
        play = bob.play()
        await play.send(challenge={"game_id": game_id, "request_id": "doubt"})
        await play.next("result")
        for stream in (*watching, play):
            stream.call.cancel()

    with exported(exporter):
        on_server(story, own=True)

    finished = exporter.get_finished_spans()
    for name, watchers in (("PlaceBid", 2), ("Challenge", 2)):
        (call,) = (span for span in finished if span.name == name)
        assert call.parent is None
        (_,) = below(finished, "decide", call)
        (append,) = below(finished, "append", call)
        (commit,) = below(finished, "commit", append)
        (broadcast,) = below(finished, "broadcast", call)
        assert commit.attributes == {"appends": 1, "events": append.attributes and append.attributes["events"]}
        assert broadcast.attributes == {"watchers": watchers}
        assert len(below(finished, "deliver", broadcast)) == watchers
        for part in (append, commit, broadcast):
            assert part.start_time is not None
            assert part.end_time is not None
            assert call.start_time is not None
            assert call.start_time <= part.start_time <= part.end_time
    # What the server does after it is a trace of its own, or a game of bots would be one without an end.
    assert all(span.parent is None for span in finished if span.name == "steward")


def test_no_span_tells_a_secret_a_name_or_an_id() -> None:
    exporter = InMemorySpanExporter()
    with exported(exporter):
        secrets, revealed = asyncio.run(played(empty_database(), os.urandom(32), os.urandom(32)))

    finished = exporter.get_finished_spans()
    everything = b"".join(span.to_json().encode() for span in finished)
    assert {span.name for span in finished} <= PARTS | METHODS.keys()
    assert {span.name for span in finished} >= {"PlaceBid", "commit", "steward"}
    assert all(isinstance(value, int) for span in finished for value in (span.attributes or {}).values())
    assert not any(span.events for span in finished)
    assert {span.status.description for span in finished} >= {None, "QuantityOutOfRange", "FaceOutOfRange"}
    assert [name for name, secret in {**secrets, **revealed}.items() if occurs(secret, everything)] == []
    assert b"Player 0" not in everything
    assert {tuple(span.resource.attributes.items()) for span in finished} == {(("service.name", "liarsdice"),)}


def test_a_process_without_traces_has_no_tracer_and_loads_no_library_for_it() -> None:
    program = "import sys, services.cli.serve; print([name for name in sys.modules if 'opentelemetry.sdk' in name or 'otel' in name])"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

    assert ran.stdout == b"[]\n"
    assert spans.here() is None
    assert spans.begun("deliver") is None
    assert spans.span("decide") is spans.span("append", events=1)


def test_a_collector_gets_the_traces_of_a_server_that_was_asked_for_them() -> None:
    found: list[str] = []

    def export(request: ExportTraceServiceRequest, _: object) -> ExportTraceServiceResponse:
        found.extend(span.name for part in request.resource_spans for scope in part.scope_spans for span in scope.spans)
        return ExportTraceServiceResponse()

    handler = grpc.unary_unary_rpc_method_handler(
        export, ExportTraceServiceRequest.FromString, ExportTraceServiceResponse.SerializeToString
    )
    service = "opentelemetry.proto.collector.trace.v1.TraceService"
    collector = grpc.server(ThreadPoolExecutor(1))
    collector.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {"Export": handler}),))
    port = collector.add_insecure_port("127.0.0.1:0")
    collector.start()
    url = new_database(lanes=2)
    with folder_for_a_server() as folder:
        server = ServerProcess(url, folder, 0.0, "--no-http", "--traces", f"http://127.0.0.1:{port}")
        try:
            with closing(grpc.insecure_channel(server.address)) as channel:
                call: Any = channel.unary_unary(METHODS["ListRulebooks"][0])
                call(b"")
            server.end(signal.SIGTERM)
            assert server.process.returncode == 0
        finally:
            if server.process.poll() is None:
                server.end()
    collector.stop(None)

    assert "ListRulebooks" in found


def test_an_address_that_is_no_url_is_refused() -> None:
    with pytest.raises(CommandFailed, match="takes a URL"):
        tracing_to("127.0.0.1:4317")
