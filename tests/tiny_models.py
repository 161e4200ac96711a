"""Embedding models small enough to be created in a test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cost", "of", "rain", "snow", "##s", "a", "."]


def save_tiny_bert(folder: Path, *, dimensions: int = 16, similarity: str | None = None, **options: Any) -> Path:
    """Save a BERT of random weights, always the same, as a sentence-transformers model, and return its folder."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    torch.manual_seed(7)
    base = folder.parent / f"{folder.name} base"
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
    transformer = modules.Transformer(str(base), max_seq_length=32)
    pooling = modules.Pooling(dimensions)
    SentenceTransformer(modules=[transformer, pooling], similarity_fn_name=similarity, **options).save(str(folder))
    return folder


def save_word_axes(folder: Path) -> Path:
    """Save a model in which each known word is an axis of its own and a text the mean of its words.

    So a vector shows which words the model got, and a text with unknown words only is zero.
    """
    import numpy as np
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import BertWordPieceTokenizer

    tokenizer = BertWordPieceTokenizer(vocab={word: index for index, word in enumerate(WORDS)})
    axes = np.eye(len(WORDS), dtype=np.float32)
    axes[: WORDS.index("the")] = 0
    module = StaticEmbedding(tokenizer._tokenizer, embedding_weights=axes)
    SentenceTransformer(modules=[module], similarity_fn_name="cosine").save(str(folder))
    return folder


def save_tiny_roberta(folder: Path) -> Path:
    """Save an XLM-RoBERTa of random weights whose tokens are pieces of sentences, as multilingual models have."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast, XLMRobertaConfig, XLMRobertaModel

    torch.manual_seed(7)
    base = folder.parent / f"{folder.name} base"
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    pieces = ["▁", "▁the", "▁cost", "s", "▁дожд", "ь", "雨", "の日", "ال", "مطر", "ה", "גשם", "비", "▁of"]
    tokenizer = Tokenizer(models.Unigram([(piece, -1.0) for piece in special + pieces], unk_id=3))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    names = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, cls_token="<s>", sep_token="</s>", **names)
    wrapped.save_pretrained(base)
    config = XLMRobertaConfig(
        vocab_size=len(special + pieces),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=66,
    )
    XLMRobertaModel(config).save_pretrained(base)
    transformer = modules.Transformer(str(base), max_seq_length=32)
    SentenceTransformer(modules=[transformer, modules.Pooling(16)]).save(str(folder))
    return folder
