"""Encoders, which compute the vectors of a model, and the choice among them.

| encoder | computed by | available for |
| --- | --- | --- |
| ``numpy`` | ``ragraph.models.bert`` | the packaged model; loads no library |
| ``torch/f32``, ``torch/bf16`` | sentence-transformers | any model; on a graphics card if there is one |
| ``openvino/f32``, ``openvino/bf16`` | an OpenVINO graph | models that can be traced; the extra ``openvino`` |
| ``onnx/f32`` | an onnxruntime graph | models that can be traced; the extra ``onnx`` |

The plain encoder is ``numpy`` for the packaged model and ``torch/f32`` for others. It needs no trial, and queries are
always encoded by it. ``choice.py`` tries the others on texts of the store and takes the first that is faster and finds
the same neighbours.
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
        name: name of the encoder as recorded with the vectors, such as ``torch/bf16``.
    """

    name: str

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return float32 of shape (len(texts), dimensions), in the order of ``texts``, which must not be empty."""
