"""A sentence-transformers model from its folder: its tokens and what computes it, loaded on demand."""

from __future__ import annotations

import contextlib
import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragraph.errors import ModelError, first_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph.models.bert import Bert


class LoadedModel:
    """The parts of a model that encoders share.

    Attributes:
        name: name in the store, for messages.
        folder: where its files are.
        packaged: whether it is the default model, which ``ragraph.models.bert`` computes.
        max_tokens: tokens it reads at most, special tokens included; set once they are known.
        normalized: whether its vectors have length 1; the same.
    """

    def __init__(self, folder: Path, *, name: str, packaged: bool) -> None:
        self.folder = folder
        self.name = name
        self.packaged = packaged
        self.max_tokens = 0
        self.normalized = True
        self._lock = threading.RLock()

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the tokens of each text as the model reads them: special ones included, cut to what it reads."""
        return [found.ids for found in self._cutting_tokenizer.encode_batch(list(texts))]

    @cached_property
    def tokenizer(self) -> Any:
        """Its fast tokenizer, which neither truncates nor pads.

        Raises:
            ModelError: it has none.
        """
        return self._own_tokenizer()

    @cached_property
    def _cutting_tokenizer(self) -> Any:
        tokenizer = self._own_tokenizer()
        side = "right" if self.packaged else getattr(self.transformer.tokenizer, "truncation_side", "right")
        tokenizer.enable_truncation(self.max_tokens, direction=side)
        return tokenizer

    def _own_tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        stated = self.folder / "tokenizer.json"
        if self.packaged and stated.is_file():
            tokenizer = Tokenizer.from_file(str(stated))
        else:
            fast = self.transformer.tokenizer
            fast = getattr(fast, "backend_tokenizer", fast)
            if not isinstance(fast, Tokenizer):
                raise ModelError(f"model {self.name!r} has no fast tokenizer; choose a model with a tokenizer.json")
            # A copy: the model's own must truncate and pad.
            tokenizer = Tokenizer.from_str(fast.to_str())
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def bert(self) -> Bert:
        """The packaged model in numpy.

        Raises:
            ModelError: its files are not what they should be.
        """
        from ragraph.models.bert import Bert

        try:
            return Bert(self.folder)
        except (OSError, ValueError, KeyError) as error:
            raise ModelError(f"model {self.name!r} cannot be loaded: {short(error)}") from error

    @cached_property
    def transformer(self) -> Any:
        """The model as sentence-transformers has it; on a graphics card where there is one.

        Raises:
            ModelError: it cannot be loaded.
        """
        with self._lock, quiet():
            from sentence_transformers import SentenceTransformer

            try:
                transformer = SentenceTransformer(
                    str(self.folder),
                    trust_remote_code=False,
                    local_files_only=True,
                    model_kwargs={"use_safetensors": True},
                )
            except Exception as error:
                raise ModelError(f"model {self.name!r} cannot be loaded: {short(error)}") from error
        transformer.default_prompt_name = None  # else it would be put before every text, prefix or not
        return transformer


def has_graphics_card() -> bool:
    """Whether torch can compute on a card of NVIDIA; torch is not asked where the system knows of none."""
    if not any(Path("/dev").glob("nvidia[0-9]*")):
        return False
    import torch

    return bool(torch.cuda.is_available())


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep the bars that libraries draw while they load off the terminal."""
    from huggingface_hub.utils.tqdm import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars
    from transformers.utils import logging

    hub_bars, model_bars = not are_progress_bars_disabled(), logging.is_progress_bar_enabled()
    disable_progress_bars()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if hub_bars:
            enable_progress_bars()
        if model_bars:
            logging.enable_progress_bar()


def short(error: BaseException) -> str:
    """Return the first line of an error, cut to a length for one line."""
    return first_line(error)[:200]
