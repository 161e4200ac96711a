"""Figures described by a model that sees: told picture and caption, embedded, found, and kept apart from others."""

from __future__ import annotations

import base64
import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from command_line import CommandLine
from ingest_tools import one_pool
from llm_stub import stub_model
from PIL import Image

import ragraph
from ragraph.answers.language_model import Endpoint
from ragraph.errors import AnswerError, DocumentNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragraph import Store

SAID = "A bar chart of rainfall in Bergen by month; October is the wettest."


@pytest.fixture(scope="module", autouse=True)
def pool() -> Iterator[None]:
    with one_pool():
        yield


@pytest.fixture
def store(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setenv("RAGRAPH_ASSETS", str(tmp_path / "assets"))
    image = BytesIO()
    Image.new("RGB", (40, 30), (10, 90, 200)).save(image, "png")
    inline = base64.b64encode(image.getvalue()).decode()
    (tmp_path / "a.html").write_text(
        "<h1>Weather</h1><p>It is often wet there.</p>"
        f'<figure><img src="data:image/png;base64,{inline}"><figcaption>Figure 1. Wet days.</figcaption></figure>'
        f'<p>And the sun.</p><img src="data:image/png;base64,{inline}" alt="A sun that the author describes">'
        '<p>One is missing.</p><figure><img src="gone.png"><figcaption>Figure 2. Lost.</figcaption></figure>'
    )
    with ragraph.open(database_url) as opened:
        opened.ingest(tmp_path / "a.html", document_id="dl_a")
        yield opened


def figures(store: Store) -> list[tuple[Any, ...]]:
    with store.database.read() as connection:
        return connection.execute(
            "SELECT description, embedding_source::text, data ->> 'described_by' FROM ragraph.content_node"
            " WHERE content_node_type = 'FIGURE' ORDER BY sequence_in_document"
        ).fetchall()


def test_a_figure_is_described_from_its_picture_and_found_by_it(store: Store) -> None:
    with stub_model({"description": SAID}) as stub:
        report = store.describe(llm=Endpoint(model="seer", base_url=stub.url))
    assert (report.figures, report.described) == (2, 1)
    (failed,) = report.failed
    assert "gone.png" in failed.reason
    (request,) = stub.requests
    told = json.dumps(request["messages"])
    assert "Its caption: Figure 1. Wet days." in told
    assert "data:image/png;base64," in told
    assert figures(store)[:2] == [
        (SAID, "DESCRIPTION", "seer"),
        ("A sun that the author describes", "DESCRIPTION", None),
    ]
    store.embed()
    (hit, *_) = store.search("the wettest month in Bergen", k=1, mode="vector")
    assert hit.node_type == "FIGURE"
    assert store.check() == []


def test_described_once_and_again_only_on_request(store: Store) -> None:
    with stub_model({"description": SAID}, {"description": "Other words."}) as stub:
        endpoint = Endpoint(model="seer", base_url=stub.url)
        store.describe("dl_a", llm=endpoint)
        assert store.describe("dl_a", llm=endpoint).described == 0
        assert store.describe("dl_a", llm=endpoint, again=True).described == 1
    assert figures(store)[0][0] == "Other words."
    assert figures(store)[1][0] == "A sun that the author describes"


def test_what_is_missing_is_told(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAGRAPH_LLM_MODEL", raising=False)
    with pytest.raises(AnswerError, match="no language model is named"):
        store.describe()
    with pytest.raises(DocumentNotFoundError):
        store.describe("dl_nope", llm="seer")
    with stub_model(500, 500, 500, 500) as stub, pytest.raises(AnswerError, match="returned no usable answer"):
        store.describe(llm=Endpoint(model="seer", base_url=stub.url))
    assert figures(store)[0][0] is None


def test_the_command(store: Store, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    with stub_model({"description": SAID}) as stub:
        ended = CommandLine(store.database.url, monkeypatch, capsys)("describe", "--llm", "seer", "--llm-url", stub.url)
    assert ended.code == 1
    assert "1 of 2 figures described" in ended.out
    assert "not described: dl_a" in ended.err
