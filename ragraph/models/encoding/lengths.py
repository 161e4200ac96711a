"""Cut vectors to their first dimensions, for models trained for it (Matryoshka representation learning)."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ragraph.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.models.encoding import Vectors

_FILES = ("config.json", "config_sentence_transformers.json")
_KEYS = ("matryoshka_dims", "matryoshka_dimensions", "truncate_dim")
_CARD_LENGTHS = re.compile(r'"matryoshka_dim(?:ension)?s":\s*(\[[\d,\s]*\])')
_CARD_TAG = re.compile(r"(?im)^\s*-\s*(?:loss:)?matryoshka\w*\s*$")
"""A tag of the model card's metadata, as sentence-transformers writes it: ``- loss:MatryoshkaLoss``."""


def stated_lengths(folder: Path) -> tuple[int, ...] | None:
    """Return the lengths to which the vectors of a model may be cut, according to its folder, longest first.

    They are read from its configuration (``matryoshka_dims``, ``matryoshka_dimensions``, ``truncate_dim``,
    ``is_matryoshka``) and from its card: the parameters of its loss, or a tag.

    Returns:
        None if the folder states nothing; an empty tuple if the model was trained for it without stating lengths.
    """
    found: set[int] = set()
    trained = False
    for name in _FILES:
        with suppress(OSError, ValueError, AttributeError):
            stated = json.loads((folder / name).read_text(encoding="utf-8"))
            trained = trained or stated.get("is_matryoshka") is True
            for key in _KEYS:
                found |= _numbers(stated.get(key))
    with suppress(OSError, ValueError):
        card = (folder / "README.md").read_text(encoding="utf-8")
        for lengths in _CARD_LENGTHS.findall(card):
            with suppress(ValueError):
                found |= _numbers(json.loads(lengths))
        front, _, _ = card.removeprefix("---").partition("\n---") if card.startswith("---") else ("", "", "")
        trained = trained or bool(_CARD_TAG.search(front))
    return tuple(sorted(found, reverse=True)) if found or trained else None


def check_length(folder: Path, name: str, own: int, asked: int, *, unstated: bool) -> None:
    """Raise ModelError unless the vectors of a model may be cut to a length.

    Args:
        folder: folder of the model.
        name: name of the model, for messages.
        own: length of the model's vectors.
        asked: requested length.
        unstated: allow lengths that the model does not state.
    """
    if not 0 < asked <= own:
        raise ModelError(f"model {name!r} has vectors of {own} numbers, which cannot be cut to {asked}")
    if unstated or asked == own:
        return
    lengths = stated_lengths(folder)
    if lengths is None:
        raise ModelError(
            f"model {name!r} does not state that it was trained for shorter vectors than its {own} numbers, so their"
            " beginning may say little",
            hint="leave them whole, or cut them all the same by",
            argument="unstated",
        )
    if lengths and asked not in lengths:
        told = ", ".join(str(length) for length in lengths if length <= own)
        raise ModelError(
            f"model {name!r} was trained for vectors of {told} numbers, not of {asked}",
            hint="choose one of these, or cut them all the same by",
            argument="unstated",
        )


def beginnings(vectors: Vectors, length: int, *, normalized: bool) -> Vectors:
    """Return the first numbers of each vector, scaled to length 1 if ``normalized``; zero vectors stay zero."""
    import numpy as np

    cut: Vectors = np.ascontiguousarray(vectors[:, :length])
    if normalized:
        cut = cut / np.maximum(np.linalg.norm(cut, axis=1, keepdims=True), np.float32(1e-12))
    return cut


def _numbers(stated: Any) -> set[int]:
    numbers = stated if isinstance(stated, list) else [stated]
    return {number for number in numbers if isinstance(number, int) and number is not True and number > 0}
