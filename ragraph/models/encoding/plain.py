"""Encoders without extra packages: numpy for the packaged model, torch for all models."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np

from ragraph.models.encoding.packing import BATCH_TOKENS, in_batches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.models.encoding import Encoder, Vectors
    from ragraph.models.encoding.loaded import LoadedModel

_CARD_TOKENS = 65_536
"""Maximum number of tokens in a batch on a graphics card, which would be idle with fewer."""


class NumpyEncoder:
    """The packaged model in numpy, which makes its own batches because it does not pad."""

    name = "numpy"

    def __init__(self, model: LoadedModel) -> None:
        self._model = model

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See ``Encoder.encode``."""
        return self._model.bert.encode(self._model.token_ids(texts))


class TorchEncoder:
    """A model by sentence-transformers, whatever its modules. With bf16, torch decides which steps use it.

    Args:
        model: the model.
        precision: ``f32`` or ``bf16``.
    """

    def __init__(self, model: LoadedModel, precision: str = "f32") -> None:
        self.name = f"torch/{precision}"
        self._model = model
        self._precision = precision

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See ``Encoder.encode``."""
        transformer = self._model.transformer
        on_card = transformer.device.type != "cpu"
        lengths = [max(len(ids), 1) for ids in self._model.token_ids(texts)]

        def compute(batch: list[int]) -> Vectors:
            found = transformer.encode(
                [texts[place] for place in batch],
                prompt="",
                batch_size=len(batch),
                show_progress_bar=False,
                convert_to_numpy=True,
                normalize_embeddings=self._model.normalized,
            )
            return np.asarray(found, dtype=np.float32)

        with self._context(transformer.device.type):
            return in_batches(lengths, compute, _CARD_TOKENS if on_card else BATCH_TOKENS)

    def _context(self, device: str) -> contextlib.AbstractContextManager[Any]:
        if self._precision == "f32":
            return contextlib.nullcontext()
        import torch

        return torch.autocast(device, dtype=torch.bfloat16)


def plain_encoder(model: LoadedModel) -> Encoder:
    """Return the encoder that needs no trial: numpy for the packaged model, else torch in float32."""
    return NumpyEncoder(model) if model.packaged else TorchEncoder(model)
