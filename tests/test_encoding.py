"""Ways to compute vectors: they give the same ones, the fastest that does is taken, known ones are not computed."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_models import save_tiny_bert, save_tiny_roberta
from typer.testing import CliRunner

import ragraph
from ragraph.errors import ArgumentError, ModelError
from ragraph.faces.cli import app
from ragraph.models.embedding import SentenceModel, load_model
from ragraph.models.encoding import choice, encoders
from ragraph.models.encoding.encoders import BACKENDS, make_encoder
from ragraph.models.encoding.packing import in_batches, pack
from ragraph.models.encoding.plain import TorchEncoder, plain_encoder
from ragraph.models.encoding.trials import Trial, hold, judge, overlap

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ragraph import Store
    from ragraph.models.encoding.loaded import LoadedModel

WORDS = ("the", "cost", "of", "rain", "snow", "rains", "a")
TEXTS = [" ".join(WORDS[(start * step) % 7] for step in range(1, 2 + start % 40)) for start in range(120)]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAGRAPH_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_bert(tmp_path_factory.mktemp("models") / "tiny")


def loaded(folder: Path) -> LoadedModel:
    return cast("SentenceModel", load_model(str(folder)))._ready


def library(name: str) -> Any:
    """Return the name of a backend; the test is left out where it is not installed."""
    missing = [module for module in {"onnx": ("onnx", "onnxruntime")}.get(name, (name,)) if not _there(module)]
    return pytest.param(name, marks=pytest.mark.skipif(bool(missing), reason=f"needs {', '.join(missing)}"))


def _there(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


@given(st.lists(st.integers(1, 600), max_size=60), st.integers(1, 2000))
def test_batches_hold_each_text_once_and_no_more_tokens_than_they_may(lengths: list[int], tokens: int) -> None:
    batches = pack(lengths, tokens)
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or max(lengths[place] for place in batch) * len(batch) <= tokens


@given(st.lists(st.integers(1, 50), min_size=1, max_size=40))
def test_vectors_come_back_in_the_order_of_the_texts(lengths: list[int]) -> None:
    found = in_batches(lengths, lambda batch: np.array([[place, lengths[place]] for place in batch], np.float32), 64)
    assert found.tolist() == [[place, length] for place, length in enumerate(lengths)]


def test_torch_gives_the_vectors_of_sentence_transformers_whatever_the_batches(tiny: Path) -> None:
    model = loaded(tiny)
    known = model.transformer.encode(TEXTS, normalize_embeddings=True)
    assert np.abs(TorchEncoder(model).encode(TEXTS) - known).max() < 1e-6
    assert overlap(known, TorchEncoder(model, "bf16").encode(TEXTS)) > 0.9


@pytest.mark.parametrize("backend", [library("openvino"), library("onnx")])
def test_a_graph_gives_the_same_vectors_and_is_made_once(tiny: Path, backend: str, home: Path) -> None:
    model = loaded(tiny)
    known = TorchEncoder(model).encode(TEXTS)
    for _ in range(2):
        assert np.abs(make_encoder(f"{backend}/f32", model).encode(TEXTS) - known).max() < 1e-5
    (graph,) = home.glob(f"encoders/*/{backend}/model.*ml" if backend == "openvino" else "encoders/*/onnx/model.onnx")
    made = graph.stat().st_mtime_ns
    make_encoder(f"{backend}/f32", model)
    assert graph.stat().st_mtime_ns == made
    assert not [*home.glob("encoders/*/.*")]


@pytest.mark.skipif(not _there("openvino"), reason="needs openvino")
def test_the_packaged_model_becomes_a_graph_without_torch(home: Path) -> None:
    program = """
import sys
from ragraph.models.embedding import load_model
from ragraph.models.encoding.encoders import make_encoder
from ragraph.models.encoding.plain import plain_encoder
model = load_model()._ready
texts = [" ".join(["rain", "snows", "twenty-one", "1984"] * count) for count in (1, 3, 9, 90)] + [""]
print(abs(make_encoder("openvino/f32", model).encode(texts) - plain_encoder(model).encode(texts)).max())
print(*sorted({"torch", "transformers", "sentence_transformers"} & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    off, *libraries = done.stdout.split()
    assert float(off) < 1e-5
    assert libraries == []
    assert not home.exists()  # it shares the weights, and keeps nothing


@pytest.mark.parametrize("backend", [library("openvino"), library("onnx")])
def test_a_model_that_is_no_transformer_has_no_graph(axes: Path, backend: str) -> None:
    with pytest.raises(ModelError, match=f"^{backend} cannot compute the model 'axes'"):
        make_encoder(f"{backend}/f32", loaded(axes))


@pytest.mark.parametrize("backend", [library("onnx")])  # one trial, for which a process loads torch
def test_a_backend_that_cannot_compute_a_model_is_not_chosen(axes: Path, backend: str) -> None:
    reference = load_model(str(axes), backend="auto").encode_documents(TEXTS)
    chosen = choice.choose(loaded(axes), backend, TEXTS, reference)
    assert chosen.encoder == ""
    assert [trial.encoder for trial in chosen.trials] == list(BACKENDS[backend])
    assert all(trial.failed for trial in chosen.trials)


@pytest.mark.slow  # three trials, for each of which a process loads torch
def test_a_model_that_is_no_transformer_keeps_its_own_way(axes: Path) -> None:
    reference = load_model(str(axes), backend="auto").encode_documents(TEXTS)
    chosen = choice.choose(loaded(axes), "auto", TEXTS, reference)
    assert chosen.encoder.startswith("torch/")
    assert all(trial.failed for trial in chosen.trials if not trial.encoder.startswith("torch/"))


def test_an_encoder_with_other_neighbours_is_not_taken_however_fast(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Wrong:
        name = "torch/bf16"

        def encode(self, texts: Sequence[str]) -> Any:
            return np.random.default_rng(3).normal(size=(len(texts), 16)).astype(np.float32)

    model = loaded(tiny)
    plain = plain_encoder(model)
    reference = plain.encode(TEXTS)
    trial = judge(Wrong(), plain, TEXTS, reference, 0.0)
    assert trial.overlap is not None
    assert trial.overlap < 0.5
    monkeypatch.setattr(choice, "hold", lambda name, *_: trial if "bf16" in name else Trial(name, 2.0, 1.0))
    assert choice.choose(model, "torch", TEXTS, reference).encoder == "torch/f32"


def test_a_trial_times_all_its_texts_at_once(tiny: Path) -> None:
    sizes: list[int] = []

    class Counting:
        name = "torch/f32"

        def encode(self, texts: Sequence[str]) -> Any:
            sizes.append(len(texts))
            return plain.encode(texts)

    plain = plain_encoder(loaded(tiny))
    judge(Counting(), plain, TEXTS, plain.encode(TEXTS), 0.0)
    assert sizes == [8, len(TEXTS)]  # of few texts, batches hold the long beside the short


def test_a_trial_ends_early_for_an_encoder_that_is_far_too_slow(tiny: Path) -> None:
    sizes: list[int] = []

    class Slow:
        name = "torch/bf16"

        def encode(self, texts: Sequence[str]) -> Any:
            sizes.append(len(texts))
            for _ in range(20):  # as often as an emulated format takes as long
                vectors = plain.encode(texts)
            return vectors

    plain = plain_encoder(loaded(tiny))
    many = TEXTS * 4
    trial = judge(Slow(), plain, many, plain.encode(many), 1.1)
    assert trial.overlap is None
    assert trial.times is not None
    assert trial.times < 1
    assert max(sizes) < len(many) / 2


def test_a_processor_without_bf16_is_not_asked_to_emulate_it(tiny: Path, tmp_path: Path) -> None:
    openvino = pytest.importorskip("openvino")
    if "BF16" in openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
        pytest.skip("this processor has bf16")
    with pytest.raises(ModelError, match="only emulates bf16"):
        make_encoder("openvino/bf16", loaded(tiny))


def test_a_trial_that_kills_its_process_is_an_encoder_that_does_not_do(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = loaded(tiny)
    reference = plain_encoder(model).encode(TEXTS)
    (tmp_path / "sitecustomize.py").write_text("import os, sys\nif sys.argv[0] == '-m': os.abort()\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    trial = hold("torch/f32", model, TEXTS, reference, 0.0)
    assert trial.failed is not None
    assert trial.failed.startswith("its process ended with -6")


def test_what_was_chosen_is_remembered_and_named(tiny: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "_BUSY", 10_000)
    model = cast("SentenceModel", load_model(str(tiny), name="tried", backend="torch"))
    assert model.encode_documents(TEXTS[:10]).shape == (10, 16)
    assert model.backend == "torch/f32"
    assert not [*home.glob("encoders/*/choice.json")]  # so few are no reason to try anything
    model.encode_documents(TEXTS)
    (kept,) = home.glob("encoders/*/choice.json")
    (known,) = json.loads(kept.read_text()).values()
    model.encode_documents(TEXTS)
    assert model.backend == known["encoder"] in BACKENDS["torch"]
    # another process finds it, and tries nothing
    monkeypatch.setattr(choice, "choose", lambda *_: pytest.fail("tried again"))
    again = choice.ChosenEncoder(model._ready, "torch")
    again.encode(TEXTS)
    assert again.name == known["encoder"]
    kept.write_text("{")  # damaged: as if there were none
    assert choice.recall(model._ready, "torch") is None


@pytest.mark.parametrize(("exact", "taken"), [(1.0, "openvino/bf16"), (0.9, "openvino/f32")])
def test_what_takes_more_memory_is_not_tried_where_something_else_does(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, exact: float, taken: str
) -> None:
    measured = {"openvino/bf16": (3.0, exact), "openvino/f32": (1.5, 1.0), "torch/bf16": (4.0, 1.0)}

    def held(name: str, _: object, __: object, ___: object, at_least: float) -> Trial:
        times, overlap = measured[name]
        return Trial(name, times, overlap if times >= at_least else None)

    monkeypatch.setattr(choice, "hold", held)
    monkeypatch.setattr(choice, "is_installed", lambda _: True)
    monkeypatch.setattr(choice, "has_graphics_card", lambda: False)
    model = loaded(tiny)
    chosen = choice.choose(model, "auto", TEXTS, plain_encoder(model).encode(TEXTS))
    assert chosen.encoder == taken
    assert [trial.encoder for trial in chosen.trials][-1] == taken


def test_queries_go_the_plain_way(tiny: Path) -> None:
    model = load_model(str(tiny), name="plainly asked", backend="torch/bf16")
    plain = load_model(str(tiny), backend="plain")
    query = model.encode_query("the cost of rain")
    assert np.array_equal(query, plain.encode_query("the cost of rain"))
    assert not np.array_equal(model.encode_documents(TEXTS), plain.encode_documents(TEXTS))
    assert model.backend == "torch/bf16"


def test_a_backend_that_there_is_not_is_told(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ArgumentError, match=r"backend 'tensor' is not known; use auto, plain, openvino, torch, onnx"):
        load_model(str(tiny), backend="tensor")
    monkeypatch.setattr(encoders, "is_installed", lambda _: False)
    with pytest.raises(ArgumentError, match=r"not installed; install it: pip install 'ragraph-store\[openvino\]'"):
        load_model(str(tiny), backend="openvino/f32")
    monkeypatch.setenv("RAGRAPH_BACKEND", "tensor")
    with pytest.raises(ArgumentError, match="'tensor'"):
        load_model(str(tiny))


@pytest.mark.parametrize("missing", ["onnx", "onnxruntime", "openvino"])
def test_a_backend_lacks_each_library_that_it_needs(tiny: Path, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == missing else find(name))
    backend = "openvino" if missing == "openvino" else "onnx"
    with pytest.raises(ArgumentError, match=rf"not installed; install it: pip install 'ragraph-store\[{backend}\]'"):
        load_model(str(tiny), backend=f"{backend}/f32")


# -- in a store ------------------------------------------------------------------------------------------


def _vectors(store: Store) -> list[tuple[str, str, str]]:
    with store.database.read() as connection:
        return connection.execute(
            "SELECT document_id, content_hash, embedding_vector::text FROM ragraph.embedding ORDER BY 1, 2"
        ).fetchall()


def test_a_text_that_has_a_vector_in_the_store_gets_that_one(
    store: Store, axes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one.md").write_text("# Weather\n\nThe cost of rain.\n\nA cost of snow.\n")
    (tmp_path / "two.md").write_text("# Weather\n\nA cost of snow.\n\nSnow.\n")
    model = load_model(str(axes), name="counted")
    read: list[str] = []
    compute = cast("Any", model)._compute

    def counting(texts: list[str], **how: Any) -> Any:
        read.extend(texts)
        return compute(texts, **how)

    monkeypatch.setattr(model, "_compute", counting)
    assert store.ingest(tmp_path / "one.md", document_id="dl_one", model=model).ok
    assert len(read) == 2
    assert store.ingest(tmp_path / "two.md", document_id="dl_two", model=model).ok
    assert read[2:] == ["Snow."]
    by_hash: dict[str, set[str]] = {}
    for _, text, vector in _vectors(store):
        by_hash.setdefault(text, set()).add(vector)
    assert len(by_hash) == 3
    assert all(len(vectors) == 1 for vectors in by_hash.values())
    made = store.document("dl_two").ingested_with["embedded"]["counted"]
    assert made["backends"] == ["copied", "torch/f32"]
    # which is no reason to look at the document again
    assert store.ingest(tmp_path / "two.md", document_id="dl_two", model=model).files[0].status == "unchanged"
    report = store.embed("counted")
    assert (report.embeddings, report.encoded, report.copied) == (0, 0, 0)
    assert store.document("dl_two").ingested_with["embedded"]["counted"] == made
    assert store.check() == []
    # not under another model
    assert store.embed(str(axes), name="another").encoded == 3


def test_the_command_line_takes_a_backend(database_url: str, axes: Path, tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text("# Weather\n\nThe cost of rain.\n")
    runner = CliRunner()
    base = ["--url", database_url]
    done = runner.invoke(app, [*base, "ingest", str(tmp_path / "one.md"), "--model", str(axes), "--backend", "torch"])
    assert done.exit_code == 0, done.output
    refused = runner.invoke(app, [*base, "embed", "--backend", "tensor"])
    assert isinstance(refused.exception, ArgumentError)
    assert "tensor" in str(refused.exception)


def test_a_multilingual_model_counts_its_pieces_and_embeds_every_script(tmp_path: Path, database_url: str) -> None:
    folder = save_tiny_roberta(tmp_path / "multilingual")
    model = load_model(str(folder))
    texts = ["the costs", "the  costs of дождь", "雨の日", "雨 の日", "المطر", "הגשם", "비", "ＴＨＥ the", ""]
    # blanks are pieces of their own here, so words cannot be counted one by one
    assert model.count_tokens(texts) == [3, 7, 3, 4, 3, 3, 2, 3, 0]
    assert model.special_tokens == 2
    with ragraph.open(database_url) as store:
        nodes = [{"key": f"p{place}", "type": "PARAGRAPH", "text": text} for place, text in enumerate(texts[:7])]
        store.add({"id": "dl_rain", "metadata": {"title": "Rain"}, "nodes": nodes}, model=str(folder))
        for text in texts[2:7]:
            assert store.search(text, 1, mode="vector", model=str(folder))[0].content == text
