"""Pages that are images: which they are, and their words by optical character recognition.

RapidOCR does the recognition: its models come in its wheel, so nothing is fetched. It is called directly rather than
through docling's model class, which hands out lines alone: the places of letters, which words, sizes and marks of notes
are made of here, are dropped there. Only pages without text of their own are read; their words enter the analysis as
those of the parser do.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragraph.base.extra_time import ask_for
from ragraph.base.extras import extra_there, install
from ragraph.base.pages_done import tell_share
from ragraph.errors import IngestError, first_line
from ragraph.pdf.model import Box, Font, Turn, Word, joined
from ragraph.pdf.page.ink import InkWord, Letter, ink_words, pictures_in, rules_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Page

_FIRST, _LAST = 0.4, 0.95
"""Share of the work on a file that is done before and after the text of its pages is recognised."""

EXTRA = install("ocr")
"""What a user types to get this."""

_OTHER_LETTERS = "ar be bg fa he hi hy iw ka kk ko mk mn ps ru sr th uk ur yi"
UNREAD = frozenset(_OTHER_LETTERS.split())
"""Languages whose letters the models that come with RapidOCR do not know; they know Latin, Greek, Chinese, Japanese."""

PAGE_S = 60.0
"""Seconds that recognising a page may add to what a file may take; most take 2 to 15."""

_FEW = 50
"""Characters: a page with fewer, most of it an image, is a scan with a watermark or a line of a library's stamp."""
_DPI = 200.0
"""Resolution of the picture that is recognised, in dots per inch."""
_LARGEST = 5200
"""Pixels of the longer side, at most."""
_SHRINK = 2
"""Lines are found in the page at half the resolution at which they are read: it takes a quarter of the time."""
_FAINT = 0.3
"""Confidence from which a stretch is looked at as text: digits that stand alone, as page numbers do, get little."""
_HEAVY = 1.19
"""Strokes wider than the usual by this factor are bold: of a good scan 1.5 and more, of a blurred one 1.2."""
_RULE = 36.0
"""Points from which a stroke is a ruling line."""
_PICTURE = 36.0
"""Points that a picture has at least in either direction."""
_NEAR = 24.0
"""Points between parts of a picture, at most."""
_TOUCH = 3.0
"""Points between ruling lines that are parts of one frame, at most."""
_FILLED = 0.2
"""Share of a frame that pictures fill at least; else it is a table, or a box around text."""


@dataclass
class Recognised:
    """What was recognised: the engine, and the mean confidence of each page, from 0 to 1, by its number."""

    engine: str = ""
    pages: dict[int, float] = field(default_factory=dict)


def is_scanned(page: Page) -> bool:
    """Return True if a page shows text only as an image, as far as can be told without looking at the image."""
    if page.failed:
        return False
    letters = sum(len(word.text) for word in (*page.words, *page.sideways))
    if not letters:
        return bool(page.images or page.drawings)
    return letters < _FEW and covered(page) > 0.5


def covered(page: Page) -> float:
    """Return the share of a page that its largest image covers; strips of one image count together."""
    area = page.width * page.height
    if not page.images or not area:
        return 0.0
    largest = max(box.area for box in page.images)
    wide = [box for box in page.images if box.width > 0.5 * page.width]
    strips = sum(box.area for box in wide)
    return min(1.0, max(largest, strips) / area)


def available() -> bool:
    """Return True if the extra is installed."""
    return extra_there("ocr")


def recognise(pages: Sequence[Page], document: Any, model: str | None = None) -> Recognised:
    """Put the words of scanned pages on them.

    Args:
        pages: pages that are images; they change. A page that lies on its side, stands on its head or is scanned
            askew is set upright, and ``Page.turn`` tells the way back.
        document: the file, opened by ``facts.open_pdf``.
        model: file of the model that recognises lines; None = the packaged one.

    Returns:
        The engine and how sure it was, per page with text.

    Raises:
        IngestError: the model is no such file.
    """
    engine = _engine(model)
    found = Recognised(f"rapidocr/{version('rapidocr')}" + (f" {Path(model).name}" if model else ""))
    read: list[tuple[Page, list[_Line]]] = []
    for place, page in enumerate(pages, 1):
        ask_for(PAGE_S)
        lines = _read(page, document, engine)
        tell_share(_FIRST + (_LAST - _FIRST) * place / len(pages))  # it takes most of the time
        if lines:
            read.append((page, lines))
            letters = sum(len(word.text) for line in lines for word in line.words) or 1
            sure = sum(line.score * len(word.text) for line in lines for word in line.words)
            found.pages[page.number] = round(sure / letters, 3)
    _set_words(read)
    return found


@dataclass
class _Line:
    words: list[InkWord]
    score: float


def _engine(model: str | None) -> Any:
    from rapidocr import RapidOCR

    if model is not None:
        _check_model(model)

    # onnxruntime spins on every core it gets; the process was told how many are its own.
    threads = int(os.environ.get("OMP_NUM_THREADS", "0") or 0) or -1
    return RapidOCR(
        params={
            "Global.log_level": "error",
            "Global.max_side_len": _LARGEST,
            "EngineConfig.onnxruntime.intra_op_num_threads": threads,
            **({"Rec.model_path": model} if model else {}),
        }
    )


def _check_model(model: str) -> None:
    """Refuse a model without its letters: RapidOCR would fetch those of another."""
    from onnxruntime import InferenceSession

    what = "give one of PaddleOCR's models that recognise lines, as ONNX with its letters in it"
    if not Path(model).is_file():
        raise IngestError(f"there is no model for recognition at {model}", hint=what)
    try:
        known = InferenceSession(model, providers=["CPUExecutionProvider"]).get_modelmeta().custom_metadata_map
    except Exception as error:  # what onnxruntime raises has no class of its own
        raise IngestError(f"{model} is no model for recognition: {first_line(error)}", hint=what) from error
    if "character" not in known:
        raise IngestError(f"{model} does not say which letters it knows", hint=what)


def _read(page: Page, document: Any, engine: Any) -> list[_Line]:
    """Return the lines of a page, boxes in points of the upright page."""
    import cv2
    import numpy as np

    sheet = document[page.number - 1]
    width, height = sheet.get_size()
    scale = min(_DPI / 72, _LARGEST / max(width, height, 1.0))
    bitmap = sheet.render(scale=scale, grayscale=True)
    picture = np.ascontiguousarray(bitmap.to_numpy().reshape(bitmap.height, bitmap.width, -1)[:, :, 0])
    bitmap.close()
    sheet.close()
    upright, back, boxes = _upright(picture, engine)
    if boxes is None:
        return []
    lines = []
    # Top to bottom, then left to right, as the file of a page with text has them, more or less.
    for box in sorted(boxes, key=lambda box: (round(float(box[:, 1].min()) / 8), float(box[:, 0].min()))):
        crop, origin = _cut(upright, box)
        result = engine(
            cv2.cvtColor(crop, cv2.COLOR_GRAY2BGR), use_det=False, use_cls=False, use_rec=True, return_word_box=True
        )
        if not result.txts or not result.txts[0].strip() or result.scores[0] < 0.5:
            continue
        words = [_placed(word, origin, scale) for word in ink_words(crop, _letters(result))]
        if words:
            lines.append(_Line(words, float(result.scores[0])))
    if lines:
        page.turn = _turn(page, back, scale, picture.shape, upright.shape)
        _set_graphics(page, upright, boxes, scale)
    return lines


def _set_graphics(page: Page, picture: Any, boxes: Any, scale: float) -> None:
    """Give a page its ruling lines and pictures, in place of the image that it is."""
    import cv2
    import numpy as np

    _, black = cv2.threshold(picture, 0, 1, cv2.THRESH_BINARY_INV + cv2.THRESH_OTSU)
    text = np.zeros_like(black)
    cv2.fillPoly(text, [box.astype(np.int32) for box in boxes], 1)
    level, upright = rules_in(black, int(_RULE * scale))
    for x, y, w, h in (*level, *upright):
        black[y : y + h, x : x + w] = 0
    pictures = [
        Box(x / scale, y / scale, (x + w) / scale, (y + h) / scale)
        for x, y, w, h in pictures_in(black, text, int(_PICTURE * scale))
    ]
    lines = [Box(x / scale, y / scale, (x + w) / scale, (y + h) / scale) for x, y, w, h in (*level, *upright)]
    # Frames of pictures and strokes within them are no rules of tables.
    frames = [
        frame
        for frame in joined(lines, _TOUCH)
        if sum(box.area for box in pictures if frame.holds(box, 0.9)) > _FILLED * frame.area
    ]
    loose = [box for box in pictures if not any(frame.holds(box, 0.5) for frame in frames)]
    page.images = [*frames, *joined(loose, _NEAR)]
    free = [not any(image.holds(line, 0.9) for image in page.images) for line in lines]
    page.horizontals = sorted(
        {(line.left, line.right, round(line.middle_y, 2))
         for line, kept in zip(lines[: len(level)], free[: len(level)], strict=True) if kept}
    )  # fmt: skip
    page.verticals = sorted(
        {(line.top, line.bottom, round(line.middle_x, 2))
         for line, kept in zip(lines[len(level) :], free[len(level) :], strict=True) if kept}
    )  # fmt: skip
    page.drawings = []


def _upright(picture: Any, engine: Any) -> tuple[Any, Any, Any]:
    """Return the picture set upright, the matrix of the way back, and the boxes of its lines; None without lines."""
    import cv2
    import numpy as np

    back = np.eye(3)
    boxes = _lines_in(picture, engine)
    if boxes is None:
        return picture, back, None
    turned = False
    if _standing(boxes) > 0.6:
        height, width = picture.shape
        picture = np.ascontiguousarray(np.rot90(picture))
        back = back @ np.array([[0.0, -1.0, width], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
        boxes, turned = _lines_in(picture, engine), True
        if boxes is None:
            return picture, back, None
    if _on_its_head(picture, boxes, engine):
        height, width = picture.shape
        picture = np.ascontiguousarray(np.rot90(picture, 2))
        back = back @ np.array([[-1.0, 0.0, width], [0.0, -1.0, height], [0.0, 0.0, 1.0]])
        turned = True
    angle = _skew(boxes)
    if 0.2 < abs(angle) < 20:
        if turned:
            boxes = _lines_in(picture, engine)
            angle = _skew(boxes) if boxes is not None else 0.0
        height, width = picture.shape
        matrix = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 1.0)
        picture = cv2.warpAffine(picture, matrix, (width, height), flags=cv2.INTER_CUBIC, borderValue=255)
        back = back @ np.vstack([cv2.invertAffineTransform(matrix), [0.0, 0.0, 1.0]])
        turned = True
    if turned:
        boxes = _lines_in(picture, engine)
    return picture, back, boxes


def _lines_in(picture: Any, engine: Any) -> Any:
    """Return the quadrilaterals of lines, corners from the upper left on clockwise, shape (n, 4, 2); None for none."""
    import cv2
    import numpy as np

    small = cv2.resize(picture, None, fx=1 / _SHRINK, fy=1 / _SHRINK, interpolation=cv2.INTER_AREA)
    found = engine(
        cv2.cvtColor(small, cv2.COLOR_GRAY2BGR), use_det=True, use_cls=False, use_rec=False, box_thresh=_FAINT
    )
    return None if found.boxes is None or not len(found.boxes) else np.asarray(found.boxes, dtype=float) * _SHRINK


def _sides(boxes: Any) -> tuple[Any, Any]:
    """Return width and height of quadrilaterals."""
    import numpy as np

    return np.linalg.norm(boxes[:, 1] - boxes[:, 0], axis=1), np.linalg.norm(boxes[:, 3] - boxes[:, 0], axis=1)


def _standing(boxes: Any) -> float:
    """Return the share of lines, by length, that run up or down the page."""
    wide, high = _sides(boxes)
    upright, level = high[high > 2 * wide].sum(), wide[wide > 2 * high].sum()
    return float(upright / (upright + level)) if upright + level else 0.0


def _on_its_head(picture: Any, boxes: Any, engine: Any) -> bool:
    """Return True if most of the longest lines are upside down, by the classifier that comes with the models."""
    import cv2

    wide, _ = _sides(boxes)
    votes: Counter[str] = Counter()
    for index in (-wide).argsort()[:7]:
        crop, _ = _cut(picture, boxes[index])
        # The classifier looks at a strip four times as wide as high: the beginning of the line.
        strip = crop[:, : 6 * crop.shape[0]]
        said = engine(cv2.cvtColor(strip, cv2.COLOR_GRAY2BGR), use_det=False, use_cls=True, use_rec=False)
        for label, score in said.cls_res or ():
            if score > 0.8:
                votes[str(label)] += 1
    if votes["180"] <= votes["0"]:
        return False
    # The classifier is often wrong about light or slanted type: the lines are read both ways before it is believed.
    as_is = turned = 0.0
    for index in (-wide).argsort()[:3]:
        crop, _ = _cut(picture, boxes[index])
        as_is += _score(crop, engine)
        turned += _score(crop[::-1, ::-1], engine)
    return turned > as_is


def _score(crop: Any, engine: Any) -> float:
    """Return how sure the recogniser is of a line, from 0 to 1."""
    import cv2
    import numpy as np

    picture = cv2.cvtColor(np.ascontiguousarray(crop), cv2.COLOR_GRAY2BGR)
    result = engine(picture, use_det=False, use_cls=False, use_rec=True, return_word_box=False)
    return float(result.scores[0]) if result.txts else 0.0


def _skew(boxes: Any) -> float:
    """Return the angle of the lines in degrees, clockwise: the median of the long ones."""
    import numpy as np

    wide, high = _sides(boxes)
    long = boxes[wide > max(8 * float(np.median(high)), 1.0)]
    if len(long) < 3:
        return 0.0
    slopes = np.arctan2(
        (long[:, 1, 1] - long[:, 0, 1] + long[:, 2, 1] - long[:, 3, 1]) / 2,
        (long[:, 1, 0] - long[:, 0, 0] + long[:, 2, 0] - long[:, 3, 0]) / 2,
    )
    return math.degrees(float(np.median(slopes)))


def _cut(picture: Any, box: Any) -> tuple[Any, tuple[float, float]]:
    """Return the picture of a line and its upper left corner in the page's picture."""
    height, width = picture.shape
    left, top = max(int(box[:, 0].min()), 0), max(int(box[:, 1].min()), 0)
    right, bottom = min(math.ceil(box[:, 0].max()), width), min(math.ceil(box[:, 1].max()), height)
    return picture[top : max(bottom, top + 1), left : max(right, left + 1)], (float(left), float(top))


def _letters(result: Any) -> list[list[Letter]]:
    """Return the words of a recognised line as letters with their places.

    The recogniser breaks words at hyphens and between scripts; what has no blank between is one word here.
    """
    info = result.word_results[0]
    length = float(info.line_txt_len) or 1.0
    places = [(text, (column + 0.5) / length) for word, columns in zip(info.words, info.word_cols, strict=True)
              for text, column in zip(word, columns, strict=False)]  # fmt: skip
    places.sort(key=lambda item: item[1])
    text = result.txts[0]
    words: list[list[Letter]] = []
    used = 0
    for token in re.findall(r"\S+", text):
        letters = places[used : used + len(token)]
        if [letter for letter, _ in letters] != list(token):
            return _even(text)
        words.append([Letter(*letter) for letter in letters])
        used += len(token)
    return words


def _even(text: str) -> list[list[Letter]]:
    """Return the words of a line as if all its letters were of one width; where no better is known."""
    step = 1.0 / max(len(text), 1)
    return [
        [Letter(letter, (match.start() + index + 0.5) * step) for index, letter in enumerate(match[0])]
        for match in re.finditer(r"\S+", text)
    ]


def _placed(word: InkWord, origin: tuple[float, float], scale: float) -> InkWord:
    x, y = origin
    return InkWord(
        word.text,
        (word.left + x) / scale,
        (word.top + y) / scale,
        (word.right + x) / scale,
        (word.bottom + y) / scale,
        word.size / scale,
        word.weight,
    )


def _turn(page: Page, back: Any, scale: float, seen: tuple[int, int], upright: tuple[int, int]) -> Turn | None:
    """Set the page to its upright size; return the way back to what the file says its size is, None if it is the same.

    The parser's page may itself be turned against what is displayed: its own measure is kept in that case.
    """
    import numpy as np

    if np.allclose(back, np.eye(3)):
        return None
    (a, b, c), (d, e, f) = back[0], back[1]
    turn = Turn(page.width, page.height, (a, b, c / scale, d, e, f / scale))
    page.width, page.height = upright[1] / scale, upright[0] / scale
    return turn


def _set_words(read: Sequence[tuple[Page, list[_Line]]]) -> None:
    """Give the pages their words: sizes that differ by the error of measuring become one, heavy strokes are bold."""
    weights = [(word.weight, len(word.text)) for _, lines in read for line in lines for word in line.words]
    heavy = _HEAVY * _weighted_median(weights)
    sizes: dict[bool, Counter[float]] = {True: Counter(), False: Counter()}
    bold: dict[int, bool] = {}
    for _, lines in read:
        for line in lines:
            whole = _weighted_median([(word.weight, len(word.text)) for word in line.words]) > heavy
            for word in line.words:
                bold[id(word)] = word.weight > heavy if len(word.text) > 4 else whole
                sizes[whole][round(word.size, 1)] += len(word.text)
    steps = {whole: _steps(counted, 0.06 if whole else 0.11) for whole, counted in sizes.items()}
    fonts = {
        False: Font("recognised", False, False, False, False),
        True: Font("recognised-bold", True, False, False, False),
    }
    for page, lines in read:
        kept = page.words
        page.words = []
        for line in lines:
            whole = _weighted_median([(word.weight, len(word.text)) for word in line.words]) > heavy
            for word in line.words:
                if any(_overlap(word, other) for other in kept):
                    continue
                made = Word(
                    max(word.left, 0.0), max(word.top, 0.0), min(word.right, page.width), min(word.bottom, page.height),
                    word.text, fonts[bold[id(word)]],
                )  # fmt: skip
                made.size = steps[whole][round(word.size, 1)]
                if made.right > made.left and made.bottom > made.top:
                    page.words.append(made)
        page.words += kept


def _steps(sizes: Counter[float], error: float) -> dict[float, float]:
    """Return, for each measured size, the one that stands for it: the most frequent within the error of measuring."""
    steps: dict[float, float] = {}
    for size, _ in sizes.most_common():
        near = [known for known in set(steps.values()) if abs(known - size) <= error * known]
        steps[size] = min(near, key=lambda known: abs(known - size)) if near else size
    return steps


def _weighted_median(values: Sequence[tuple[float, int]]) -> float:
    half = sum(count for _, count in values) / 2
    total = 0
    for value, count in sorted(values):
        total += count
        if total >= half:
            return value
    return 0.0


def _overlap(word: InkWord, other: Word) -> bool:
    return Box(word.left, word.top, word.right, word.bottom).holds(
        Box(other.left, other.top, other.right, other.bottom), 0.3
    )
