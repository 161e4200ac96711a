"""Ways to compute the vectors of a model, each an encoder, and how one is chosen.

| encoder | what computes | where |
| --- | --- | --- |
| ``numpy`` | ``ragraph.models.bert`` | the packaged model; loads nothing |
| ``torch/f32``, ``torch/bf16`` | sentence-transformers | any model; on a graphics card where there is one |
| ``openvino/f32``, ``openvino/bf16`` | a graph of OpenVINO | models that can be traced; the extra ``openvino`` |
| ``onnx/f32`` | a graph of onnxruntime | the same; the extra ``onnx`` |

``numpy``, and ``torch/f32`` for other models, are the plain way: it needs no trial, and queries always go by it.
``choice.py`` tries the others on texts of the store and takes the first that is faster and finds the same neighbours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class Encoder(Protocol):
    """Computes vectors in one way.

    Attributes:
        name: of the way, as it is recorded with the vectors: ``torch/bf16``.
    """

    name: str

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return float32 of shape (len(texts), dimensions), in the order of ``texts``, which is never empty."""
