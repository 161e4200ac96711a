"""A typed Python client, made from the description of the service by a generator that the project did not write."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from sample_library import BOOK
from web_tools import served

from ragraph.faces.web.app import create_app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph import Store

_NO_STORE: Any = None  # no call is made


@pytest.fixture
def client_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The modules of a generated client by their names."""
    description = tmp_path / "openapi.json"
    description.write_text(json.dumps(create_app(_NO_STORE, write=True).openapi()))
    command = [str(Path(sys.executable).parent / "openapi-python-client"), "generate", "--meta", "none"]
    done = subprocess.run(
        [*command, "--path", str(description), "--output-path", str(tmp_path / "library_client")],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
        timeout=300,
    )
    left_out = {line.split()[3] for line in done.stdout.splitlines() if line.startswith("WARNING parsing ")}
    assert {address.rpartition("/")[2] for address in left_out} == {"image", "figure"}, done.stdout
    monkeypatch.syspath_prepend(tmp_path)
    yield lambda name: import_module(f"library_client.{name}")
    for name in [name for name in sys.modules if name.partition(".")[0] == "library_client"]:
        del sys.modules[name]


def test_a_generated_client_reads_and_writes(client_of: Any, own_library: Store) -> None:
    models = client_of("models")
    with served(own_library, write=True) as site:
        client = client_of("client").Client(base_url=site)
        calls = {name: client_of(f"api.default.{name}") for name in ("search", "nodes", "jobs", "show_document")}
        hits = calls["search"].sync(client=client, q="corn", mode=client_of("models.search_mode").SearchMode.TEXT)
        assert [(hit.document_id, hit.node_id) for hit in hits] == [
            (hit.document_id, hit.node_id) for hit in own_library.search("corn", mode="text")
        ]
        assert isinstance(hits[0], models.HitBody)
        assert [node.id for node in calls["nodes"].sync(BOOK, client=client, limit=2)] == [
            node.id for node in own_library.nodes(BOOK)[:2]
        ]
        assert len(calls["jobs"].sync(client=client)) == len(own_library.jobs())
        missing = calls["show_document"].sync("nope", client=client)
        assert isinstance(missing, models.Failure)
        assert missing.error == "DocumentNotFoundError"
        update = client_of("api.writing.update").sync_detailed
        answers = [
            update(BOOK, client=client, body=models.Changes(title="Of Wealth"), idempotency_key="once") for _ in (1, 2)
        ]
        assert [answer.headers.get("Idempotent-Replayed") for answer in answers] == [None, "true"]
        changed = answers[0].parsed
        assert changed.document.title == own_library.document(BOOK).document.title == "Of Wealth"


def test_names_of_the_description_are_those_of_the_code(library: Store) -> None:
    with served(library, write=True) as site:
        described = httpx.get(f"{site}/api/openapi.json").json()
    assert not [name for name in described["components"]["schemas"] if "__" in name], "two classes of one name"
    calls = [call for methods in described["paths"].values() for call in methods.values()]
    names = [call["operationId"] for call in calls]
    assert len(set(names)) == len(names)
    assert {"search", "list_documents", "upload"} <= set(names)
    for call in calls:
        error = call["responses"]["422"]["content"]["application/problem+json"]["schema"]
        assert error == {"$ref": "#/components/schemas/Failure"}, call["operationId"]
