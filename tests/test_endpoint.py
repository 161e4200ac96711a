"""Embedding models behind an endpoint of OpenAI's protocol, over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from embedding_stub import embedding_stub
from typer.testing import CliRunner

from ragraph.errors import ArgumentError, EndpointError, IngestEndedError, ModelError
from ragraph.faces.cli import app
from ragraph.models.embedding import _loaded, load_model
from ragraph.models.endpoint import _TEXTS, endpoint_location

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from embedding_stub import EmbeddingStub

    from ragraph import Store
    from ragraph.models.embedding import EmbeddingModel


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingStub]:
    for name in ("RAGRAPH_EMBEDDING_KEY", "RAGRAPH_EMBEDDING_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with embedding_stub() as running:
        yield running


def model_at(stub: EmbeddingStub) -> EmbeddingModel:
    return load_model("openai:counter", base_url=stub.url)


def test_vectors_come_in_the_order_of_the_texts_and_have_length_one(stub: EmbeddingStub) -> None:
    model = model_at(stub)
    assert (model.name, model.dimensions, model.location) == ("counter", 5, f"openai:counter@{stub.url}")
    vectors = model.encode_documents(["rain", "snow snow", ""])
    assert np.allclose(vectors, [[0.5**0.5, 0, 0, 0, 0.5**0.5], [0, 0.8**0.5, 0, 0, 0.2**0.5], [0, 0, 0, 0, 1]])
    assert np.allclose(model.encode_query("rain"), vectors[0])
    assert stub.requests[1] == ["rain", "snow snow", "."]


def test_many_texts_go_in_several_requests(stub: EmbeddingStub) -> None:
    model = model_at(stub)
    texts = ["rain " * (number % 7) + "." for number in range(3 * _TEXTS + 5)]
    vectors = model.encode_documents(texts)
    assert np.allclose(vectors, [np.array(stub.vector(text)) / np.linalg.norm(stub.vector(text)) for text in texts])
    assert sorted(map(len, stub.requests)) == [1, 5, _TEXTS, _TEXTS, _TEXTS]
    long = ["rain " * 30_000] * 3
    model.encode_documents(long)
    assert [len(request) for request in stub.requests[5:]] == [1, 1, 1]


def test_it_is_asked_again_when_it_has_too_much_to_do(stub: EmbeddingStub) -> None:
    model = model_at(stub)
    stub.failures.extend(
        [(429, {"Retry-After": "0.02"}), (503, {"Retry-After": "0.02"}), (500, {"Retry-After": "0.02"})]
    )
    assert model.encode_documents(["rain"]).shape == (1, 5)
    assert len(stub.keys) == 5


def test_one_that_is_not_there_is_told_at_once(stub: EmbeddingStub) -> None:
    stub.failures.extend([(503, {"Retry-After": "0.02"})] * 3)
    with pytest.raises(EndpointError, match="refuses to embed"):
        model_at(stub)
    assert len(stub.failures) == 1


def test_a_request_that_is_too_large_becomes_several(stub: EmbeddingStub) -> None:
    model = model_at(stub)
    stub.most = 8
    texts = [f"rain {number}" for number in range(50)]
    assert model.encode_documents(texts).shape == (50, 5)
    assert max(map(len, stub.requests)) <= 8
    assert sum(map(len, stub.requests)) == 51


def test_a_text_that_is_refused_fails_its_document_alone(stub: EmbeddingStub, store: Store, tmp_path: Path) -> None:
    for name, text in (("good", "The rain."), ("bad", "The enormous snow.")):
        (tmp_path / f"{name}.txt").write_text(f"{text}\n")
    stub.refused = "enormous"
    files = [tmp_path / "good.txt", tmp_path / "bad.txt"]
    report = store.ingest(files, model="openai:counter", base_url=stub.url)
    assert [file.status for file in report.files] == ["added", "failed"]
    assert "refuses 'The enormous snow.'" in (report.files[1].reason or "")


@pytest.mark.parametrize(("status", "todo"), [(401, "set RAGRAPH_EMBEDDING_KEY"), (404, "the name of the model")])
def test_an_endpoint_that_refuses_ends_the_run_and_is_not_asked_for_each_text(
    stub: EmbeddingStub, store: Store, tmp_path: Path, status: int, todo: str
) -> None:
    (tmp_path / "one.md").write_text("# One\n\nRain.\n\nSnow.\n\nWind.\n")
    assert store.ingest(tmp_path / "one.md", model=None).ok
    model = model_at(stub)
    stub.failures.extend([(status, {})] * 3)
    with pytest.raises(IngestEndedError, match=todo):
        store.ingest(tmp_path / "one.md", model=model)
    assert len(stub.failures) == 2
    stub.failures.clear()
    assert store.ingest(tmp_path / "one.md", model=model).ok


def test_no_endpoint_and_no_vectors_are_told(stub: EmbeddingStub) -> None:
    model = model_at(stub)
    stub.dimensions = 7
    with pytest.raises(EndpointError, match=r"returns vectors of \[7\] numbers"):
        model.encode_documents(["rain"])
    with pytest.raises(ArgumentError, match="is not the address of an endpoint"):
        endpoint_location("openai:counter", "localhost:80")
    with pytest.raises(ArgumentError, match="does not name a model"):
        endpoint_location("openai:")
    with pytest.raises(ModelError, match="name it openai:counter"):
        load_model("counter", base_url=stub.url)


def test_the_key_of_openai_goes_to_openai_alone(stub: EmbeddingStub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-own")
    model_at(stub)
    monkeypatch.setenv("RAGRAPH_EMBEDDING_KEY", "sk-meant")
    load_model("openai:counter", name="again", base_url=stub.url)
    assert stub.keys == ["Bearer none", "Bearer sk-meant"]
    monkeypatch.delenv("RAGRAPH_EMBEDDING_KEY")
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(EndpointError, match="set OPENAI_API_KEY"):
        load_model("openai:text-embedding-3-small")


def test_a_store_remembers_where_its_model_is(
    stub: EmbeddingStub, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one.md").write_text("# Weather\n\nThe cost of rain.\n\nA cost of snow.\n")
    runner = CliRunner()
    base = ["--url", store.database.url]
    told = ["--model", "openai:counter", "--base-url", stub.url, "--max-tokens", "64"]
    done = runner.invoke(app, [*base, "ingest", str(tmp_path / "one.md"), *told])
    assert done.exit_code == 0, done.output
    _loaded.clear()  # as in another process
    asked = len(stub.requests)
    for name in ("counter", "openai:counter"):
        assert store.search("snow", 1, mode="vector", model=name)[0].content == "A cost of snow."
    assert len(stub.requests) == asked + 2  # nothing but the queries
    monkeypatch.setenv("RAGRAPH_EMBEDDING_URL", "http://127.0.0.1:9/v1")  # where it is is known
    assert store.embed("counter").encoded == 0
    (document,) = store.documents()
    assert store.document(document.id).ingested_with["embedded"]["counter"]["backends"] == ["endpoint"]
