"""Encode the texts of several threads together: a batch takes hardly longer than one text."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph.models.encoding import Vectors

_MOST = 64
"""Maximum number of texts in a batch; later ones go into the next."""


@dataclass(eq=False, slots=True)
class _Asked:
    text: str
    vector: Vectors | None = None
    error: Exception | None = None


class Together:
    """Encodes one text at a time, or those that came while the last ones were encoded. Threads share it.

    Args:
        encode: encodes texts and returns one vector for each.
    """

    def __init__(self, encode: Callable[[list[str]], Vectors]) -> None:
        self._encode = encode
        self._turn = threading.Lock()
        self._waiting: list[_Asked] = []
        self._guard = threading.Lock()

    def encode(self, text: str) -> Vectors:
        """Return the vector of a text; raise what ``encode`` raises for it."""
        asked = _Asked(text)
        with self._guard:
            self._waiting.append(asked)
        with self._turn:
            # another thread may have encoded it during its turn; otherwise it is among the first that wait
            while asked.vector is None:
                if asked.error is not None:
                    raise asked.error
                with self._guard:
                    batch, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
                try:
                    self._answer(batch)
                except BaseException:  # Ctrl-C ends this thread alone: the others encode their texts themselves
                    with self._guard:
                        self._waiting = [other for other in batch if other is not asked] + self._waiting
                    raise
            return asked.vector

    def _answer(self, batch: list[_Asked]) -> None:
        try:
            vectors = self._encode([asked.text for asked in batch])
        except Exception as error:
            if len(batch) == 1:
                batch[0].error = error
                return
            for asked in batch:  # one text must not fail the others
                self._answer([asked])
        else:
            for asked, vector in zip(batch, vectors, strict=True):
                asked.vector = vector
