"""Spans and metrics as the SDK of OpenTelemetry gets them; each in a process of its own, where they are set up once."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

COLLECT = """
import json, sys
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
spans, reader = InMemorySpanExporter(), InMemoryMetricReader()
tracing = TracerProvider()
tracing.add_span_processor(SimpleSpanProcessor(spans))
trace.set_tracer_provider(tracing)
metrics.set_meter_provider(MeterProvider(metric_readers=[reader]))

def told():
    found = {"spans": [(s.name, dict(s.attributes), s.status.status_code.name) for s in spans.get_finished_spans()]}
    data = reader.get_metrics_data()
    for metric in data.resource_metrics[0].scope_metrics[0].metrics:
        found[metric.name] = [
            (dict(p.attributes), p.value if hasattr(p, "value") else p.count) for p in metric.data.data_points
        ]
    return found
"""
RUN = """
import ragraph
from ragraph.errors import EndpointError
from ragraph.models.embedding import load_model
from ragraph.ingest.draft import Draft, DraftNode
def draft(text):
    return Draft(reader="t/1", nodes=[DraftNode(key="a", type="PARAGRAPH", text=text)])
def gone(texts):
    raise EndpointError("gone")
with ragraph.open(sys.argv[1]) as store:
    store.add_many([draft("The rain."), draft("The snow."), draft("")])
    store.search("secret snow", 1, mode="vector")
    breaking = load_model()
    breaking.encode_documents = gone
    try:
        store.add(draft("The cost."), model=breaking)
    except EndpointError:
        pass
"""
QUIET = RUN + "\nprint(json.dumps([name for name in sys.modules if name.startswith('opentelemetry')]))"


def run(code: str, url: str) -> Any:
    done = subprocess.run([sys.executable, "-c", code, url], check=True, timeout=120, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def test_what_a_program_with_an_sdk_is_told(database_url: str) -> None:
    told = run(f"{COLLECT}{RUN}\nprint(json.dumps(told()))", database_url)
    ingest, search, broken = told["spans"]
    counts = {"added": 2, "failed": 1, "nodes": 2, "components": 2, "relations": 0, "embeddings": 2}
    assert ingest == ["ragraph.ingest", {f"ragraph.{name}": count for name, count in counts.items()}, "UNSET"]
    assert search == ["ragraph.search", {"ragraph.mode": "vector", "ragraph.k": 1, "ragraph.hits": 1}, "UNSET"]
    assert broken == ["ragraph.ingest", {"error.type": "EndpointError"}, "ERROR"]
    assert told["ragraph.ingest.nodes"] == [[{}, 2]]
    assert told["ragraph.ingest.vectors"] == [[{}, 2]]
    by_status = [[{"ragraph.status": "added"}, 2], [{"ragraph.status": "failed"}, 1]]
    assert told["ragraph.ingest.documents"] == told["ragraph.ingest.document.duration"] == by_status
    assert told["ragraph.search.duration"] == [[{"ragraph.mode": "vector"}, 1]]
    assert told["ragraph.ingest.duration"] == [[{}, 1], [{"error.type": "EndpointError"}, 1]]
    assert "secret" not in json.dumps(told)


def test_without_one_nothing_is_loaded(database_url: str) -> None:
    assert run("import json, sys\n" + QUIET, database_url) == []
