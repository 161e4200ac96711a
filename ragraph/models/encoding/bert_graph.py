"""The packaged model as an OpenVINO graph built from its weights: nothing is traced, so torch is not loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ragraph.models.bert import Bert

_NEVER = np.float32(-1e9)
"""Added to the scores of padding tokens, so that no token attends to them; representable in float32 and bf16."""


def bert_graph(bert: Bert) -> Any:
    """Return an ``openvino.Model`` that computes the same as ``Bert``, without normalising its vectors to length 1.

    Args:
        bert: shape and weights.

    Returns:
        A graph from token ids and attention mask, both int64 of shape (texts, tokens), to float32 of shape (texts,
        dimensions): the mean over the tokens of each text. It shares the memory of the weights.
    """
    import openvino
    from openvino import opset13 as ops

    def linear(rows: Any, name: str) -> Any:
        return ops.add(ops.matmul(rows, weight(f"{name}.weight"), False, True), weight(f"{name}.bias"))

    def normalised(rows: Any, name: str) -> Any:
        rows = ops.mvn(rows, number([-1]), True, bert.shape.epsilon, "inside_sqrt")
        return ops.add(ops.multiply(rows, weight(f"{name}.weight")), weight(f"{name}.bias"))

    def weight(name: str) -> Any:
        return ops.constant(bert.weights[name], shared_memory=True)

    def number(value: int | list[int]) -> Any:
        return ops.constant(np.array(value, dtype=np.int64))

    ids, mask = (ops.parameter([-1, -1], np.int64, name=name) for name in ("input_ids", "attention_mask"))
    present = ops.convert(mask, "f32")
    absent = ops.multiply(ops.subtract(ops.constant(np.float32(1)), present), ops.constant(_NEVER))
    absent = ops.unsqueeze(absent, number([1, 2]))  # one row for all heads and all attending tokens

    tokens = ops.gather(ops.shape_of(ids), number(1), number(0))
    places = ops.range(number(0), tokens, number(1), output_type="i64")
    hidden = ops.convert(ops.gather(weight("embeddings.word_embeddings.weight"), ids, number(0)), "f32")
    hidden = ops.add(hidden, ops.gather(weight("embeddings.position_embeddings.weight"), places, number(0)))
    hidden = ops.add(hidden, ops.constant(bert.weights["embeddings.token_type_embeddings.weight"][0]))
    hidden = normalised(hidden, "embeddings.LayerNorm")

    dimensions = len(bert.weights["embeddings.LayerNorm.weight"])
    heads = number([0, 0, bert.shape.heads, dimensions // bert.shape.heads])  # 0 keeps a dimension
    whole, turned = number([0, 0, dimensions]), number([0, 2, 1, 3])
    for layer in range(bert.shape.layers):
        name = f"encoder.layer.{layer}"
        query, key, value = (
            ops.transpose(ops.reshape(linear(hidden, f"{name}.attention.self.{part}"), heads, True), turned)
            for part in ("query", "key", "value")
        )
        seen = ops.transpose(ops.scaled_dot_product_attention(query, key, value, absent), turned)
        seen = ops.add(linear(ops.reshape(seen, whole, True), f"{name}.attention.output.dense"), hidden)
        seen = normalised(seen, f"{name}.attention.output.LayerNorm")
        wide = ops.gelu(linear(seen, f"{name}.intermediate.dense"), "erf")
        hidden = normalised(ops.add(linear(wide, f"{name}.output.dense"), seen), f"{name}.output.LayerNorm")

    present = ops.unsqueeze(present, number([2]))
    total = ops.reduce_sum(ops.multiply(hidden, present), number([1]))
    return openvino.Model([ops.divide(total, ops.reduce_sum(present, number([1])))], [ids, mask], "bert")
