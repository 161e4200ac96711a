"""Embedding models: the packaged default, and tiny ones made here."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits
from tiny_models import save_tiny_bert, save_word_axes
from tokenizers import Tokenizer, models

from ragraph.errors import ModelError
from ragraph.models.bert import Bert, _matrix_libraries, _one_matrix_thread
from ragraph.models.embedding import DEFAULT_MODEL, SentenceModel, load_model
from ragraph.models.encoding.counting import TokenCounter, parts_at_spaces
from ragraph.models.encoding.plain import NumpyEncoder, TorchEncoder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from ragraph.models.encoding.loaded import LoadedModel

T = TypeVar("T")


@pytest.fixture(scope="module")
def make_model(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return a function that saves a BERT of random weights as a sentence-transformers model."""

    def make(name: str, **options: Any) -> Path:
        return save_tiny_bert(tmp_path_factory.mktemp("models") / name, **options)

    return make


def loaded_model() -> LoadedModel:
    """Return the parts of the default model, as its encoders get them."""
    return cast("SentenceModel", load_model())._ready


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


def test_default_model_needs_neither_torch_nor_transformers() -> None:
    code = (
        "import sys; from ragraph.models.embedding import load_model; m = load_model();"
        "m.count_tokens(['a b c']); m.encode_query('a b c'); m.encode_documents(['rain', 'snow falls']);"
        "print(sorted({'torch', 'transformers', 'sentence_transformers', 'onnxruntime'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def matrix_threads() -> list[int]:
    """Return the threads of the libraries that numpy multiplies with.

    A test that ran before may have loaded one for scipy, which the encoder neither uses nor changes.
    """
    used = {library.filepath for library in _matrix_libraries()}
    return [library["num_threads"] for library in threadpool_info() if library["filepath"] in used]


@pytest.fixture
def two_matrix_threads() -> Iterator[None]:
    """The library for matrices with two threads, also where there is one processor."""
    with threadpool_limits(2, "blas"):
        yield


def in_thread(work: Callable[[], T]) -> T:
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()


def test_threads_that_encode_leave_the_matrix_library_as_it_was(two_matrix_threads: None) -> None:
    bert = loaded_model().bert
    barrier = threading.Barrier(4)

    def encode() -> None:
        barrier.wait()
        for _ in range(5):
            bert.encode([[101, 7592, 102]])

    before = matrix_threads()
    assert before
    threads = [threading.Thread(target=encode) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert matrix_threads() == before
    first, second = _one_matrix_thread(), _one_matrix_thread()
    with first:
        second.__enter__()
        assert set(matrix_threads()) == {1}
    assert set(matrix_threads()) == {1}
    second.__exit__(None, None, None)
    assert matrix_threads() == before


def test_a_matrix_library_has_one_thread_wherever_it_is_asked(
    two_matrix_threads: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[int]] = []
    forward = Bert._forward

    def noted(self: Bert, texts: Sequence[Sequence[int]]) -> Any:
        seen.append(set(matrix_threads()))
        return forward(self, texts)

    monkeypatch.setattr(Bert, "_forward", noted)
    bert = loaded_model().bert
    query, many = [[101, 7592, 102]], [[101, *[7592] * 250, 102]] * 30
    here = bert.encode(query)
    there = in_thread(lambda: bert.encode(query))
    assert np.array_equal(here, there)
    bert.encode(many)
    in_thread(lambda: bert.encode(many))
    assert seen == [{1}] * (2 + 2 * 4)
    assert set(matrix_threads()) == {2}


def test_a_matrix_library_gets_its_threads_back_from_a_thread_that_came_later(two_matrix_threads: None) -> None:
    first, second = _one_matrix_thread(), _one_matrix_thread()
    first.__enter__()
    in_thread(second.__enter__)
    first.__exit__(None, None, None)
    assert set(matrix_threads()) == {1}
    in_thread(lambda: second.__exit__(None, None, None))
    assert set(matrix_threads()) == {2}
    with threadpool_limits(1, "blas"):  # whoever uses the library beside us can set it as before
        assert set(matrix_threads()) == {1}
    assert set(matrix_threads()) == {2}


def test_no_texts_are_no_vectors() -> None:
    model = load_model()
    for vectors in (model.encode_documents([]), loaded_model().bert.encode([])):
        assert vectors.shape == (0, 384)
        assert vectors.dtype == np.float32


TEXTS = [
    "rain",
    "",
    " ",
    "\n\t",
    ".",
    "\u00ad",  # a soft hyphen: the tokenizer drops it
    "What does the adaptation of coasts cost, and who pays for it?",
    "Größenordnungen der Überschwemmungen in Zürich; coût de l'adaptation à Orléans",
    "适应成本是多少？ 谁来支付？",
    "Стоимость адаптации побережья",
    "تكلفة التكيف مع المناخ",
    "🌧️🌊 x² ≤ ½·π — “quoted” …",
    "e\u0301te\u0301 cafe\u0301",
    "internationalisation" * 20,
    "[CLS] [SEP] [PAD] [MASK]",
    "a" * 5000,
    "The cost of adaptation rises with the sea. " * 3,
    "The cost of adaptation rises with the sea. " * 200,
    " ".join(f"word{number}" for number in range(400)),
    *(" ".join(["sea", "level", "rise"] * length) for length in range(1, 60, 7)),
]


def test_default_model_gives_the_vectors_of_sentence_transformers() -> None:
    loaded = loaded_model()
    by_numpy = NumpyEncoder(loaded).encode
    fast, known = by_numpy(TEXTS), TorchEncoder(loaded).encode(TEXTS)
    assert fast.shape == known.shape == (len(TEXTS), 384)
    assert np.abs(fast - known).max() < 1e-5
    assert np.abs((fast * known).sum(axis=1) - 1).max() < 1e-5
    # alone or among others, in one pass or in several on threads
    assert np.abs(by_numpy(TEXTS[7:8])[0] - fast[7]).max() < 1e-6
    assert np.abs(by_numpy(TEXTS * 20)[-len(TEXTS) :] - fast).max() < 1e-6


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


def test_vectors_that_are_not_finite_are_refused(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load_model(str(tiny), name="broken")
    for bad in (np.nan, np.inf):
        found = np.ones((2, 16), dtype=np.float32)
        found[1] = bad
        monkeypatch.setattr(
            cast("SentenceModel", model)._loaded.transformer, "encode", lambda *_, found=found, **__: found
        )
        with pytest.raises(ModelError, match="'snow'"):
            model.encode_documents(["rain", "snow"])


def test_a_text_the_model_makes_nothing_of_is_zero_and_no_query(tmp_path: Path) -> None:
    model = load_model(str(save_word_axes(tmp_path / "axes")))
    lengths = np.linalg.norm(model.encode_documents(["rain", "qqqq"]), axis=1)
    assert np.allclose(lengths, [1, 0])
    with pytest.raises(
        ModelError, match=r"has no vector for the query 'qqqq'; use other words, or search for these as text, by mode=$"
    ):
        model.encode_query("qqqq")


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


_ODD = st.sampled_from("aéσΣ漢語 .[]'-\t\n\x00\x1c\x85\xa0\u0301\u0345\u200b\u3000") | st.characters(codec="utf-8")
_PIECES = st.text(_ODD, max_size=30) | st.sampled_from([" [CLS] ", "[SEP]x ", " ", "naïve ", "rainfall ", "x" * 120])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(_PIECES, max_size=6).map("".join), max_size=3))
def test_tokens_counted_word_by_word_are_those_of_the_text(texts: list[str]) -> None:
    model = load_model()
    assert parts_at_spaces(model._tokenizer)
    assert model.count_tokens(texts) == [len(model._tokenizer.encode(text, add_special_tokens=False)) for text in texts]


def test_tokenizers_that_join_over_spaces_are_given_whole_texts() -> None:
    joining = Tokenizer(models.BPE({"a": 0, " ": 1, "a a": 2, " a": 3}, [(" ", "a"), ("a", " a")]))
    assert not parts_at_spaces(joining)
    assert TokenCounter(joining).count(["a a", "a"]) == [1, 1]
