"""Models that were trained so may have their vectors cut to the beginning."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest
from embedding_stub import embedding_stub
from tiny_models import save_tiny_bert, save_word_axes
from typer.testing import CliRunner

import ragraph
from ragraph.errors import EndpointError, ModelError
from ragraph.faces.cli import app
from ragraph.models.embedding import DEFAULT_MODEL, _loaded, load_model
from ragraph.models.encoding.lengths import stated_lengths

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ragraph import Store

TEXTS = ["The cost of rain.", "A cost of snow.", "rain"]
CARD = """---
tags:
- sentence-transformers
- loss:MatryoshkaLoss
---

# A model

* Loss: MatryoshkaLoss with these parameters:
  ```json
  {
      "loss": "CosineSimilarityLoss",
      "matryoshka_dims": [
          16,
          8
      ],
      "matryoshka_weights": [1, 1]
  }
  ```
"""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = save_tiny_bert(tmp_path_factory.mktemp("models") / "trained")
    (folder / "README.md").write_text(CARD)
    return folder


@pytest.fixture
def store(database_url: str, tmp_path: Path) -> Iterator[Store]:
    (tmp_path / "weather.md").write_text("# Weather\n\nThe cost of rain.\n\nA cost of snow.\n")
    with ragraph.open(database_url) as opened:
        assert opened.ingest(tmp_path / "weather.md", model=None).ok
        yield opened


def test_vectors_are_the_beginning_with_length_one_again(trained: Path) -> None:
    whole, cut = load_model(str(trained)), load_model(str(trained), name="cut", dimensions=8)
    assert (cut.dimensions, cut.truncated_from, whole.truncated_from) == (8, 16, None)
    expected = whole.encode_documents(TEXTS)[:, :8]
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.allclose(cut.encode_documents(TEXTS), expected, atol=1e-6)
    assert np.allclose(cut.encode_query(TEXTS[0]), expected[0], atol=1e-6)


def test_a_text_of_which_the_beginning_is_zero_stays_zero(tmp_path: Path) -> None:
    cut = load_model(str(save_word_axes(tmp_path / "axes")), dimensions=9, unstated=True)
    vectors = cut.encode_documents(["snow", "rain"])  # snow is the tenth axis
    assert not vectors[0].any()
    assert np.linalg.norm(vectors[1]) == pytest.approx(1)


@pytest.mark.parametrize(
    ("file", "text", "lengths"),
    [
        ("README.md", CARD, (16, 8)),
        ("README.md", "---\ntags:\n- matryoshka\n---\nA model.\n", ()),
        ("README.md", "Unlike Matryoshka models this one was trained once.\n", None),
        ("config.json", json.dumps({"matryoshka_dimensions": [4, 8]}), (8, 4)),
        ("config.json", json.dumps({"is_matryoshka": True}), ()),
        ("config_sentence_transformers.json", json.dumps({"truncate_dim": 8, "matryoshka_dims": None}), (8,)),
        ("config.json", "[not json", None),
        ("config.json", "[1]", None),
    ],
)
def test_what_a_model_states(tmp_path: Path, file: str, text: str, lengths: tuple[int, ...] | None) -> None:
    (tmp_path / file).write_text(text)
    assert stated_lengths(tmp_path) == lengths


def test_what_it_does_not_state_is_refused_unless_told(trained: Path, tmp_path: Path) -> None:
    for length in (17, 0):
        with pytest.raises(ModelError, match=rf"vectors of 16 numbers, which cannot be cut to {length}"):
            load_model(str(trained), dimensions=length, unstated=True)
    with pytest.raises(ModelError, match=r"was trained for vectors of 16, 8 numbers, not of 4; .*by unstated"):
        load_model(str(trained), dimensions=4)
    assert load_model(str(trained), dimensions=4, unstated=True).dimensions == 4
    plain = save_tiny_bert(tmp_path / "plain")
    (plain / "README.md").unlink(missing_ok=True)
    with pytest.raises(ModelError, match="does not state that it was trained for shorter vectors than its 16"):
        load_model(str(plain), dimensions=8)
    assert load_model(str(plain), dimensions=16).truncated_from is None
    with pytest.raises(ModelError, match=re.escape(repr(DEFAULT_MODEL))):
        load_model(dimensions=128)


def test_it_is_recorded_and_loaded_as_recorded(store: Store, trained: Path) -> None:
    added = store.add_model(str(trained), name="cut", dimensions=8)
    assert (added.dimensions, added.truncated_from) == (8, 16)
    assert store.embed("cut").encoded == 2
    _loaded.clear()
    assert len(store.search("rain", mode="vector", model="cut")) == 2
    assert len(store.embed_query("rain", model="cut")) == 8
    assert store.embed("cut").encoded == 0
    assert store.add_model(str(trained), name="whole").truncated_from is None
    with pytest.raises(
        ModelError, match=r"another model named 'whole': dimensions 16, now 8; truncated_from None, now 16"
    ):
        store.add_model(str(trained), name="whole", dimensions=8)
    with pytest.raises(ModelError, match=r"another model named 'cut': dimensions 8, now 4"):
        store.add_model(str(trained), name="cut", dimensions=4, unstated=True)


def test_an_export_takes_it_along(store: Store, trained: Path, make_database: Callable[..., str]) -> None:
    store.add_model(str(trained), name="cut", dimensions=8, index_kind="bit")
    assert store.embed("cut").encoded == 2
    lines = list(store.export())
    with ragraph.open(make_database()) as other:
        for _ in range(2):
            report = other.add_many(lines, model=None)
            assert report.ok, report.files
        (model,) = other.models()
        assert (model.dimensions, model.truncated_from, model.index_kind, model.vectors) == (8, 16, "bit", 2)


def test_another_model_in_the_folder_is_told(store: Store, trained: Path, tmp_path: Path) -> None:
    folder = tmp_path / "changing"
    shutil.copytree(trained, folder)
    store.add_model(str(folder), name="cut", dimensions=8)
    shutil.rmtree(folder)
    save_tiny_bert(folder, dimensions=32)
    _loaded.clear()
    with pytest.raises(ModelError, match="truncated_from 16, now 32"):
        store.embed("cut")


def test_the_packaged_model_when_told(store: Store) -> None:
    cut = store.add_model(DEFAULT_MODEL, name="short", dimensions=96, unstated=True)
    assert (cut.location, cut.dimensions, cut.truncated_from) == (None, 96, 384)
    assert store.embed("short").encoded == 2
    _loaded.clear()
    assert store.search("rain", mode="vector", model="short")[0].content == "The cost of rain."


def test_the_command(database_url: str, trained: Path) -> None:
    def run(*words: str) -> tuple[int, str]:
        result = CliRunner().invoke(app, ["--url", database_url, "models", "add", str(trained), *words])
        return result.exit_code, f"{result.output} {result.exception}"

    assert run("--dimensions", "8", "--name", "eight")[0] == 0
    code, said = run("--dimensions", "5", "--name", "five")
    assert code != 0
    assert "not of 5" in said
    assert run("--dimensions", "5", "--name", "five", "--unstated")[0] == 0
    listed = CliRunner().invoke(app, ["--url", database_url, "models", "list", "--json"])
    assert {row["name"]: row["truncated_from"] for row in json.loads(listed.output)} == {"eight": 16, "five": 16}


def test_an_endpoint_is_asked_for_vectors_of_a_length(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAGRAPH_EMBEDDING_KEY", raising=False)
    with embedding_stub() as stub:
        stub.cuts = True
        added = store.add_model("openai:counter", name="cut", base_url=stub.url, dimensions=3)
        assert (added.dimensions, added.truncated_from) == (3, 5)
        assert store.embed("cut").encoded == 2
        _loaded.clear()
        asked = len(stub.requests)
        assert store.search("rain", mode="vector", model="cut")[0].content == "The cost of rain."
        assert len(stub.requests) == asked + 1  # the query alone: what it gives is on record
        stub.cuts = False
        with pytest.raises(EndpointError, match=r"vectors of 5 numbers for 'other' although it was asked for 3"):
            store.add_model("openai:counter", name="other", base_url=stub.url, dimensions=3)
