"""Spans and metrics as the SDK of OpenTelemetry gets them; each in a process of its own, where they are set up once."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

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
from ragraph.models.embedding import SentenceModel
from ragraph.ingest.draft import Draft, DraftNode
url, model = sys.argv[1:3]
def draft(text):
    return Draft(reader="t/1", nodes=[DraftNode(key="a", type="PARAGRAPH", text=text)])
class Breaking(SentenceModel):
    def encode_documents(self, texts):
        raise EndpointError("gone")
with ragraph.open(url) as store:
    store.add_many([draft("The rain."), draft("The snow."), draft("")], model=model)
    store.search("secret snow", 1, mode="vector", model="axes")
    try:
        store.add(draft("The cost."), model=Breaking(__import__("pathlib").Path(model), name="axes", location=model))
    except EndpointError:
        pass
"""
QUIET = RUN + "\nprint(json.dumps([name for name in sys.modules if name.startswith('opentelemetry')]))"


def run(code: str, url: str, axes: Path) -> Any:
    done = subprocess.run([sys.executable, "-c", code, url, str(axes)], check=True, timeout=120, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def test_what_a_program_with_an_sdk_is_told(database_url: str, axes: Path) -> None:
    told = run(f"{COLLECT}{RUN}\nprint(json.dumps(told()))", database_url, axes)
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


def test_without_one_nothing_is_loaded(database_url: str, axes: Path) -> None:
    assert run("import json, sys\n" + QUIET, database_url, axes) == []
