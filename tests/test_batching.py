"""Queries of several threads are encoded together."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from server_tools import wait_until

from ragraph.models.embedding import load_model
from ragraph.models.encoding.batching import Together


def test_texts_that_wait_are_encoded_together() -> None:
    begun, go = threading.Event(), threading.Event()
    batches: list[list[str]] = []

    def encode(texts: list[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        batches.append(texts)
        begun.set()
        assert go.wait(60)
        if "bad" in texts:
            raise ValueError("bad")
        return np.array([[len(text)] for text in texts], dtype=np.float32)

    together = Together(encode)
    texts = ["a", "bb", "ccc", "bad", "dddd"]
    with ThreadPoolExecutor(len(texts)) as threads:
        first = threads.submit(together.encode, texts[0])
        assert begun.wait(60)
        others = {text: threads.submit(together.encode, text) for text in texts[1:]}
        wait_until(lambda: len(together._waiting) == len(others))
        go.set()
        assert first.result().tolist() == [1]
        assert [others[text].result().tolist() for text in ("bb", "ccc", "dddd")] == [[2], [3], [4]]
        with pytest.raises(ValueError, match="bad"):
            others["bad"].result()
    assert batches[0] == ["a"]
    assert sorted(batches[1]) == sorted(texts[1:])
    assert sorted(batches[2:]) == sorted([text] for text in texts[1:])  # one by one, after the failure


def test_an_interrupted_thread_leaves_the_others_their_texts() -> None:
    begun, go = threading.Event(), threading.Event()
    calls: list[list[str]] = []

    def encode(texts: list[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        calls.append(texts)
        begun.set()
        assert go.wait(60)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return np.ones((len(texts), 1), dtype=np.float32)

    together = Together(encode)
    with ThreadPoolExecutor(4) as threads:
        first = threads.submit(together.encode, "a")
        assert begun.wait(60)
        others = [threads.submit(together.encode, text) for text in "bcd"]
        wait_until(lambda: len(together._waiting) == len(others))
        go.set()
        assert first.result().tolist() == [1]
        errors = [other.exception() for other in others]
    assert sorted(type(error).__name__ for error in errors) == ["KeyboardInterrupt", "NoneType", "NoneType"]


def test_a_query_has_the_same_vector_among_others() -> None:
    model = load_model()
    queries = [f"question {n} about bridges and rivers" for n in range(24)]
    alone = [model.encode_query(query) for query in queries]
    with ThreadPoolExecutor(8) as threads:
        among = list(threads.map(model.encode_query, queries))
    assert np.allclose(alone, among, atol=1e-5)
