"""Embedding models: the packaged default, and tiny ones made here."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ragraph.embedding import DEFAULT_MODEL, EmbeddingModel, load_model, register_model
from ragraph.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cost", "of", "rain", "snow", "##s", "a", "."]


@pytest.fixture(scope="module")
def make_model(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return a function that saves a BERT of random weights as a sentence-transformers model."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    def make(name: str, *, dimensions: int = 16, similarity: str | None = None, **options: Any) -> Path:
        torch.manual_seed(7)
        base = tmp_path_factory.mktemp("base")
        tokenizer = BertWordPieceTokenizer(vocab={word: index for index, word in enumerate(WORDS)})
        config = BertConfig(
            vocab_size=len(WORDS),
            hidden_size=dimensions,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=16,
            max_position_embeddings=64,
        )
        BertModel(config).save_pretrained(base)
        BertTokenizerFast(tokenizer_object=tokenizer._tokenizer).save_pretrained(base)
        folder = tmp_path_factory.mktemp("models") / name
        transformer = modules.Transformer(str(base), max_seq_length=32)
        pooling = modules.Pooling(dimensions)
        SentenceTransformer(modules=[transformer, pooling], similarity_fn_name=similarity, **options).save(str(folder))
        return folder

    return make


@pytest.fixture(scope="module")
def tiny(make_model: Any) -> Path:
    folder: Path = make_model("tiny", prompts={"query": "the ", "passage": "a "})
    return folder


def test_default_model_needs_no_network_and_gives_unit_vectors() -> None:
    model = load_model()
    vectors = model.encode_documents(["A cat sits on a mat.", "Interest rates rose again.", "A cat sits on a mat."])
    assert (model.name, model.location, model.dimensions, model.max_tokens) == (DEFAULT_MODEL, None, 384, 256)
    assert vectors.dtype == np.float32
    assert vectors.shape == (3, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)
    assert np.allclose(vectors[0], vectors[2], atol=1e-5)
    query = model.encode_query("kitten on a rug")
    assert query.shape == (384,)
    assert query @ vectors[0] > query @ vectors[1] + 0.2


def test_described_without_torch() -> None:
    code = (
        "import sys; from ragraph.embedding import load_model; m = load_model();"
        "m.count_tokens(['a b c']); assert m.special_tokens == 2;"
        "print(sorted({'torch', 'sentence_transformers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_nothing_to_encode() -> None:
    assert load_model().encode_documents([]).shape == (0, 384)


def test_tokens_are_counted_beyond_the_limit_of_the_model() -> None:
    model = load_model()
    text = "rain falls " * 500
    offsets = model.token_offsets(text)
    assert model.count_tokens([text, "", "rain"]) == [1000, 0, 1]
    assert [text[start:end] for start, end in offsets[:2]] == ["rain", "falls"]


def test_folder_model_states_its_own_shape(tiny: Path) -> None:
    model = load_model(str(tiny))
    assert (model.name, model.location) == ("tiny", str(tiny))
    assert (model.dimensions, model.max_tokens, model.normalized) == (16, 32, True)
    assert (model.query_prefix, model.document_prefix) == ("the ", "a ")
    assert model.token_offsets("the rains") == [(0, 3), (4, 8), (8, 9)]


def test_prefixes_are_put_before_the_texts(tiny: Path) -> None:
    plain = load_model(str(tiny), query_prefix="", document_prefix="")
    model = load_model(str(tiny))
    assert np.allclose(model.encode_query("cost of rain"), plain.encode_query("the cost of rain"), atol=1e-6)
    assert np.allclose(model.encode_documents(["rain"]), plain.encode_documents(["a rain"]), atol=1e-6)
    assert not np.allclose(model.encode_documents(["rain"]), plain.encode_documents(["rain"]), atol=1e-4)


def test_dot_product_model_keeps_its_lengths(make_model: Any) -> None:
    model = load_model(str(make_model("dotty", similarity="dot")))
    lengths = np.linalg.norm(model.encode_documents(["rain", "the cost of snow"]), axis=1)
    assert (model.distance.value, model.normalized) == ("inner_product", False)
    assert not np.allclose(lengths, 1, atol=1e-2)


def test_manhattan_model_is_refused(make_model: Any) -> None:
    folder = make_model("blocks", similarity="manhattan")
    with pytest.raises(ModelError, match="manhattan"):
        load_model(str(folder))


def test_zero_and_infinite_vectors_are_refused(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load_model(str(tiny), name="broken")
    for bad in (0.0, np.nan, np.inf):
        found = np.ones((2, 16), dtype=np.float32)
        found[1] = bad
        monkeypatch.setattr(model._transformer, "encode", lambda *_, found=found, **__: found)
        with pytest.raises(ModelError, match="'snow'"):
            model.encode_documents(["rain", "snow"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda folder: (folder / "modules.json").unlink(), "no modules.json"),
        (lambda folder: (folder / "modules.json").write_text("{"), "cannot be read"),
        (
            lambda folder: (folder / "modules.json").write_text(
                json.dumps([{"idx": 0, "name": "0", "path": "", "type": "evil.module.Thing"}])
            ),
            "never run",
        ),
        (lambda folder: (folder / "model.safetensors").rename(folder / "pytorch_model.bin"), "pickle"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"\0" * 64), "cannot be loaded"),
        (lambda folder: (folder / "config.json").unlink(), "cannot be loaded"),
    ],
)
def test_bad_folders_are_refused_in_one_line(make_model: Any, change: Any, message: str) -> None:
    folder = make_model("bad")
    change(folder)
    with pytest.raises(ModelError, match=message) as caught:
        load_model(str(folder))
    assert "\n" not in str(caught.value)


def test_missing_folder() -> None:
    with pytest.raises(ModelError, match="no folder"):
        load_model("./nowhere/model")


def test_registered_once_and_compared(connection: Any, tiny: Path, make_model: Any) -> None:
    model = load_model(str(tiny))
    register_model(connection, model)
    register_model(connection, model)
    row = connection.execute(
        "SELECT dimensions, distance::text, max_tokens, query_prefix, document_prefix, normalized, location"
        " FROM ragraph.embedding_model WHERE name = 'tiny'"
    ).fetchall()
    assert [tuple(found) for found in row] == [(16, "cosine", 32, "the ", "a ", True, str(tiny))]
    other: EmbeddingModel = load_model(str(make_model("other", dimensions=8)), name="tiny")
    with pytest.raises(ModelError, match="dimensions 16, now 8") as caught:
        register_model(connection, other)
    assert "\n" not in str(caught.value)
    with pytest.raises(ModelError, match="document_prefix"):
        register_model(connection, load_model(str(tiny), document_prefix="passage: "))
