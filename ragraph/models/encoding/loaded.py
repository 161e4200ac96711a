"""A sentence-transformers model in a folder: its tokenizer and its network, loaded on demand."""

from __future__ import annotations

import contextlib
import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragraph.base.extras import needing
from ragraph.errors import ModelError, first_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph.models.bert import Bert


class LoadedModel:
    """The parts of a model that encoders share.

    Attributes:
        name: name in the store, for messages.
        folder: folder with its files.
        packaged: True for a model that ``ragraph.models.bert`` computes: the default one and that of the extra
            ``multilingual``.
        max_tokens: maximum number of tokens that it reads, with special tokens; set once it is known.
        normalized: True if its vectors have length 1; set at the same time.
    """

    def __init__(self, folder: Path, *, name: str, packaged: bool) -> None:
        self.folder = folder
        self.name = name
        self.packaged = packaged
        self.max_tokens = 0
        self.normalized = True
        self._lock = threading.RLock()

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids of each text with special tokens, truncated to the model's limit."""
        return [found.ids for found in self._cutting_tokenizer.encode_batch(list(texts))]

    @cached_property
    def tokenizer(self) -> Any:
        """The model's fast tokenizer, without truncation and padding.

        Raises:
            ModelError: the model has no fast tokenizer.
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
            # A copy, because the model's own must truncate and pad.
            tokenizer = Tokenizer.from_str(fast.to_str())
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def bert(self) -> Bert:
        """The packaged model in numpy.

        Raises:
            ModelError: its files are missing or damaged.
        """
        from ragraph.models.bert import Bert

        try:
            return Bert(self.folder)
        except (OSError, ValueError, KeyError) as error:
            raise ModelError(f"model {self.name!r} cannot be loaded: {short(error)}") from error

    @cached_property
    def transformer(self) -> Any:
        """The model in sentence-transformers, on a graphics card if there is one.

        Raises:
            ModelError: it cannot be loaded.
        """
        with self._lock, quiet():
            with needing("every model but the default one", ModelError):
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
        # otherwise the prompt would precede every text, with or without a prefix
        transformer.default_prompt_name = None
        return transformer


def has_graphics_card() -> bool:
    """Return True if torch can use an NVIDIA card; torch is imported only if the system has such a device."""
    if not any(Path("/dev").glob("nvidia[0-9]*")):
        return False
    try:
        import torch
    except ModuleNotFoundError:
        return False
    return bool(torch.cuda.is_available())


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep progress bars of libraries off the terminal."""
    with needing("every model but the default one", ModelError):
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
    """Return the first line of an error, cut to 200 characters."""
    return first_line(error)[:200]
