"""Reranking with a cross-encoder that is made here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from sample_library import BOOK
from typer.testing import CliRunner

from ragraph.errors import ArgumentError, ModelError
from ragraph.models.rerank import load_reranker

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph import Store

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "land", "towns", "of", "trade", "##s", "a", ">", "."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_cross_encoder(tmp_path_factory.mktemp("reranker"), labels=1)


def save_cross_encoder(folder: Path, *, labels: int) -> Path:
    """Save a BERT of random weights as a CrossEncoder."""
    import torch
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    torch.manual_seed(3)
    tokenizer = BertWordPieceTokenizer(vocab={word: index for index, word in enumerate(WORDS)})
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        num_labels=labels,
        initializer_range=1.0,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    fast = BertTokenizerFast(tokenizer_object=tokenizer._tokenizer, model_max_length=64)
    fast.save_pretrained(folder)
    return folder


def test_hits_come_in_the_order_of_the_model(library: Store, folder: Path) -> None:
    hits = library.search("towns and trade", 10, document=BOOK)
    ranked = library.rerank("towns and trade", hits, str(folder))
    assert {hit.node_id for hit in ranked} == {hit.node_id for hit in hits}
    assert [hit.score for hit in ranked] == sorted((hit.score for hit in ranked), reverse=True)
    assert len({hit.score for hit in ranked}) > 1
    assert [hit.node_id for hit in ranked] != [hit.node_id for hit in hits]
    assert library.rerank("towns and trade", hits, str(folder), 3) == ranked[:3]
    assert library.rerank("towns", [], str(folder)) == []


def test_batches_do_not_change_scores(folder: Path) -> None:
    texts = ["the land", "towns of trade " * 50, "a", "the towns . the land", ""]
    together = load_reranker(str(folder)).scores("trade", texts)
    apart = load_reranker(str(folder), batch_size=1).scores("trade", texts)
    assert np.allclose(together, apart, atol=1e-4)
    assert load_reranker(str(folder)) is load_reranker(str(folder))


def test_what_is_no_reranker_is_refused(library: Store, folder: Path, tmp_path: Path) -> None:
    hits = library.search("towns", 2)
    with pytest.raises(ModelError, match=r"there is no folder '.*none' with a reranker; give the folder of"):
        library.rerank("towns", hits, str(tmp_path / "none"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match=r"empty' has no reranker: no config.json; give the folder"):
        library.rerank("towns", hits, str(tmp_path / "empty"))
    (tmp_path / "empty" / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="cannot be loaded"):
        library.rerank("towns", hits, str(tmp_path / "empty"))
    with pytest.raises(ModelError, match="one label"):
        library.rerank("towns", hits, str(save_cross_encoder(tmp_path, labels=3)))
    with pytest.raises(ArgumentError):
        library.rerank("towns", hits, str(folder), 0)
    with pytest.raises(ArgumentError):
        library.rerank(" ", hits, str(folder))


@pytest.mark.parametrize("name", ["nope", "nobody/nope", "./nope", " "])
def test_a_reranker_that_is_nowhere_is_told_before_anything_that_could_load_it(library_url: str, name: str) -> None:
    code = (
        "import sys; from ragraph.faces.cli import main; sys.argv[0] = 'ragraph'\n"
        "try: main()\nfinally: print([name for name in ('torch', 'sentence_transformers') if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, "--url", library_url, "search", "towns", "--rerank", name],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
    )
    assert run.returncode == 1
    assert run.stdout.splitlines()[-1] == "[]"
    assert run.stderr.startswith("error: ")
    assert "give the folder of a sentence-transformers CrossEncoder, or its name on the hub" in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_the_command_line_reranks(library_url: str, folder: Path) -> None:
    from ragraph.faces.cli import app

    command = ["--url", library_url, "search", "towns and trade", "-k", "2", "--json"]
    plain = CliRunner().invoke(app, command)
    ranked = CliRunner().invoke(app, [*command, "--rerank", str(folder)])
    assert (plain.exit_code, ranked.exit_code) == (0, 0), ranked.output
    plain_scores, scores = ([hit["score"] for hit in json.loads(run.stdout)] for run in (plain, ranked))
    assert len(scores) == 2
    assert scores == sorted(scores, reverse=True)
    assert scores != plain_scores
