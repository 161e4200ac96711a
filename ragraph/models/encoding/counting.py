"""Count tokens word by word, so that each word goes through the tokenizer once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROOM = 16_000_000
"""Approximate maximum size of the word cache, in bytes."""

_EACH = 100
"""Approximate size of a cached word without its characters, in bytes."""


def parts_at_spaces(tokenizer: Any) -> bool:
    """Return True if a tokenizer (of ``tokenizers``) tokenizes a text as it does each of its words between spaces.

    True of BERT tokenizers: they normalise single characters, and find word pieces between spaces and punctuation.
    """
    from tokenizers import models, normalizers, pre_tokenizers

    return (
        isinstance(tokenizer.pre_tokenizer, pre_tokenizers.BertPreTokenizer)
        and isinstance(tokenizer.model, models.WordPiece)
        and (tokenizer.normalizer is None or isinstance(tokenizer.normalizer, normalizers.BertNormalizer))
        and not any(" " in token.content for token in tokenizer.get_added_tokens_decoder().values())
    )


class TokenCounter:
    """Counts tokens without special tokens. Threads may share it."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._by_word = parts_at_spaces(tokenizer)
        self._known: dict[str, int] = {}
        self._held = 0

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text."""
        if not self._by_word:
            return self._lengths(texts)
        words = [text.split(" ") for text in texts]
        known = self._known
        new = list({word for line in words for word in line if word not in known})
        if new:
            known.update(zip(new, self._lengths(new), strict=True))
        counts = [sum(map(known.__getitem__, line)) for line in words]
        self._held += sum(map(len, new)) + _EACH * len(new)
        if self._held > _ROOM:
            self._known, self._held = {}, 0  # another thread may continue with the old cache
        return counts

    def _lengths(self, texts: Sequence[str]) -> list[int]:
        return list(map(len, self._tokenizer.encode_batch(texts, add_special_tokens=False)))
