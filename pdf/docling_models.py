"""Our rules as docling's layout and table engines.

docling hands an engine a few pages at a time, but what is a running head or the size of the text can only be told
from all of them. So the engine takes the file from the conversion, analyses it once, and answers from that. What
docling makes of the clusters is its own: reading order, levels of headings and merging of paragraphs are docling's.
"""

from __future__ import annotations

import threading
import weakref
from collections import defaultdict
from io import BytesIO
from typing import TYPE_CHECKING, Any, ClassVar

from docling.datamodel.base_models import Cluster, LayoutPrediction, Table, TableStructurePrediction
from docling.datamodel.pipeline_options import BaseLayoutOptions, BaseTableStructureOptions
from docling.models.base_layout_model import TABLE_LABELS, BaseLayoutModel
from docling.models.base_table_model import BaseTableStructureModel
from docling.utils.locks import pypdfium2_lock
from docling.utils.profiling import TimeRecorder
from docling_core.types.doc import BoundingBox, DocItemLabel, TableCell

from ragraph.pdf.model import Box, Grid, Kind, shared_height, shared_width
from ragraph.pdf.page.parse import parse_pages
from ragraph.pdf.passes import ANALYSING, PREPARING, Work, run
from ragraph.pdf.stated.facts import open_pdf, read_facts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from docling.datamodel.base_models import Page as DoclingPage
    from docling.datamodel.document import ConversionResult

    from ragraph.pdf.model import Block, Page, Word

_LABELS = {
    Kind.TEXT: DocItemLabel.TEXT,
    Kind.SIDE: DocItemLabel.TEXT,
    Kind.HEADING: DocItemLabel.SECTION_HEADER,
    Kind.TITLE: DocItemLabel.TITLE,
    Kind.LIST_ITEM: DocItemLabel.LIST_ITEM,
    Kind.ENTRY: DocItemLabel.LIST_ITEM,
    Kind.CONTENTS: DocItemLabel.LIST_ITEM,
    Kind.CAPTION: DocItemLabel.CAPTION,
    Kind.NOTE: DocItemLabel.FOOTNOTE,
    Kind.TABLE: DocItemLabel.TABLE,
    Kind.FIGURE: DocItemLabel.PICTURE,
    Kind.FORMULA: DocItemLabel.FORMULA,
    Kind.CODE: DocItemLabel.CODE,
    Kind.HEADER: DocItemLabel.PAGE_HEADER,
    Kind.FOOTER: DocItemLabel.PAGE_FOOTER,
}
_SURE = 0.9
"""Confidence of a cluster; rules are not surer of one than of another."""


class RuleLayoutOptions(BaseLayoutOptions):  # type: ignore[misc]
    """Choose our rules as the layout engine of a docling pipeline."""

    kind: ClassVar[str] = "ragraph_rules"


class RuleTableOptions(BaseTableStructureOptions):  # type: ignore[misc]
    """Choose our rules as the table engine of a docling pipeline."""

    kind: ClassVar[str] = "ragraph_rules"


class RuleLayoutModel(BaseLayoutModel):  # type: ignore[misc]
    """The layout engine: clusters with docling's labels, boxes from the top left."""

    requires_layout_postprocessing = True

    def __init__(self, *, options: RuleLayoutOptions, **_: Any) -> None:
        """Take the options; weights, accelerators and remote services are of no use here."""
        self.options = options

    @classmethod
    def get_options_type(cls) -> type[RuleLayoutOptions]:
        """Return the class of the options."""
        return RuleLayoutOptions

    def predict_layout(self, conv_res: ConversionResult, pages: Sequence[DoclingPage]) -> list[LayoutPrediction]:
        """Return a prediction per page, its clusters in our reading order; none for pages without text."""
        with TimeRecorder(conv_res, "layout"):
            known = _analysed(conv_res)
            return [LayoutPrediction(clusters=list(known.clusters(page.page_no))) for page in pages]


class RuleTableModel(BaseTableStructureModel):  # type: ignore[misc]
    """The table engine: cells of the tables that our rules find where the layout engine, any, sees a table."""

    def __init__(self, *, enabled: bool, options: RuleTableOptions, **_: Any) -> None:
        """Take the options; weights, accelerators and remote services are of no use here."""
        self.enabled = enabled
        self.options = options

    @classmethod
    def get_options_type(cls) -> type[RuleTableOptions]:
        """Return the class of the options."""
        return RuleTableOptions

    def predict_tables(
        self, conv_res: ConversionResult, pages: Sequence[DoclingPage]
    ) -> list[TableStructurePrediction]:
        """Return the tables of each page by the id of their cluster; a cluster that is no table to us stays out."""
        with TimeRecorder(conv_res, "table_structure"):
            known = _analysed(conv_res)
            return [_tables(known, page) for page in pages]


def _tables(known: _Analysis, page: DoclingPage) -> TableStructurePrediction:
    found = TableStructurePrediction()
    for cluster in page.predictions.layout.clusters if page.predictions.layout else ():
        if cluster.label not in TABLE_LABELS:
            continue
        box = Box(cluster.bbox.l, cluster.bbox.t, cluster.bbox.r, cluster.bbox.b)
        block = known.table(page.page_no, box)
        grid = known.grid(block, page.page_no) if block is not None else None
        if grid is None:
            continue
        found.table_map[cluster.id] = Table(
            label=cluster.label,
            id=cluster.id,
            page_no=page.page_no,
            cluster=cluster,
            text="",
            otsl_seq=[],
            num_rows=grid.rows,
            num_cols=grid.columns,
            table_cells=list(_cells(grid)),
        )
    return found


def _cells(grid: Grid) -> Iterator[TableCell]:
    for (row, column), words in sorted(grid.words.items()):
        high, wide = grid.spans.get((row, column), (1, 1))
        yield TableCell(
            bbox=BoundingBox(
                l=min(word.left for word in words),
                t=min(word.top for word in words),
                r=max(word.right for word in words),
                b=max(word.bottom for word in words),
            ),
            text=" ".join(line.text for line in grid.lines(row, column)),
            row_span=high,
            col_span=wide,
            start_row_offset_idx=row,
            end_row_offset_idx=row + high,
            start_col_offset_idx=column,
            end_col_offset_idx=column + wide,
            column_header=row < grid.header_rows,
        )


class _Analysis:
    """A file as our rules see it, by page."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self._words: dict[int, set[int]] = {}
        self._parts: dict[int, list[tuple[Block, Box]]] = defaultdict(list)
        for page in pages:
            self._words[page.number] = {id(word) for word in page.words}
            for block in (*page.furniture, *page.blocks):
                for number, box in block.parts:
                    self._parts[number].append((block, box))

    def clusters(self, page: int) -> Iterator[Cluster]:
        """Yield the clusters of a page: furniture first, then blocks in reading order."""
        for index, (block, box) in enumerate(self._parts[page]):
            kind = Kind(block.group) if block.kind is Kind.PAGE_NUMBER and block.group else block.kind
            yield Cluster(
                id=index,
                label=_LABELS.get(kind, DocItemLabel.TEXT),
                bbox=BoundingBox(l=box.left, t=box.top, r=box.right, b=box.bottom),
                confidence=_SURE,
            )

    def table(self, page: int, place: Box) -> Block | None:
        """Return the table that covers most of a place on a page, if it covers half of it or lies within it."""
        best, most = None, 0.0
        for block, box in self._parts[page]:
            if block.kind is Kind.TABLE and block.grid is not None:
                shared = max(shared_width(box, place), 0.0) * max(shared_height(box, place), 0.0)
                if shared > most and (box.holds(place, 0.5) or place.holds(box, 0.5)):
                    best, most = block, shared
        return best

    def grid(self, block: Block, page: int) -> Grid | None:
        """Return the cells of a table that stand on a page; of a table on several pages, the rows of this one."""
        whole = block.grid
        if whole is None:
            return None
        here: dict[tuple[int, int], list[Word]] = {}
        for place, words in (*whole.words.items(), *whole.tails.items()):
            if any(id(word) in self._words[page] for word in words):
                here.setdefault(place, []).extend(words)
        return Grid(whole.rows, whole.bounds, here, whole.spans, whole.header_rows).trimmed() if here else None


_lock = threading.Lock()
_analyses: dict[int, _Analysis] = {}


def _analysed(conv_res: ConversionResult) -> _Analysis:
    """Return the analysis of the file of a conversion, made once and dropped with it."""
    key = id(conv_res)
    with _lock:
        known = _analyses.get(key)
        if known is None:
            known = _analyses[key] = _Analysis(_read(conv_res))
            weakref.finalize(conv_res, _analyses.pop, key, None)
    return known


def _read(conv_res: ConversionResult) -> list[Page]:
    given = conv_res.input
    backend = given._backend
    source = backend.path_or_stream
    secret = getattr(backend.options, "password", None)
    password = secret.get_secret_value() if secret else None
    content = BytesIO(source.getvalue()) if isinstance(source, BytesIO) else source
    first, last = given.limits.page_range
    with pypdfium2_lock:
        document = open_pdf(content, password)
        try:
            facts = read_facts(document)
            span = (first, min(last, facts.page_count))
            if isinstance(content, BytesIO):
                content = BytesIO(content.getvalue())
            pages = list(parse_pages(content, password, span))
            # docling recognises the text of scanned pages itself, after the layout.
            work = Work(given.file.name, pages, facts, document, ocr=False)
            run(work, PREPARING)
        finally:
            document.close()
    run(work, ANALYSING)
    return pages
