"""ragraph on the files: its PDF reader, and the printed page numbers that the store derives from the draft."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bench.structure.reading import Reading, reading_of
from ragraph.errors import IngestError
from ragraph.ingest.common.graph_rows import DocumentRow
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.ingest.storing.linking import ingest_draft, load_graph

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph import Store
    from ragraph.ingest.draft import Draft


def read(path: Path, store: Store | None, number: int) -> Reading:
    """Read a file with ragraph.

    Args:
        path: the file.
        store: an empty store; printed page numbers come from its functions, as users get them. None: no numbers.
        number: used for the id of the document.
    """
    start = time.process_time()
    try:
        draft = PdfReader().read(path, ReadOptions())
    except IngestError as error:
        return Reading(failed=str(error), seconds=time.process_time() - start)
    seconds = time.process_time() - start
    labels = None if store is None else _labels(draft, store, f"dl_{number:024x}")
    return reading_of(draft, labels, seconds)


def _labels(draft: Draft, store: Store, document: str) -> dict[int, str]:
    """Return the printed number of every page, after the document is stored and linked."""
    row = DocumentRow(document, f"pub_{document[3:]}")
    with store.database.write() as connection:
        ingest_draft(connection, draft, row)
        pages = load_graph(connection, document).pages
    return {page.page_pdf: page.page_logical for page in pages if page.page_logical}


def parse_alone(path: Path) -> float:
    """Return the processor time of docling-parse alone: words, lines and shapes of every page, as docling gets them."""
    from docling_parse.pdf_parser import DoclingThreadedPdfParser, ThreadedPdfParserConfig

    start = time.process_time()
    parser = DoclingThreadedPdfParser(parser_config=ThreadedPdfParserConfig(loglevel="fatal", threads=1))
    try:
        parser.load(path)
    except (RuntimeError, ValueError):
        return 0.0
    for result in parser.iterate_results():
        if result.success:
            result.get_page()
    return time.process_time() - start
