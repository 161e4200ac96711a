"""PDF files: words from docling-parse, structure by rules over the whole document.

The way of a page: ``parse`` (words, ruling lines, images) -> ``sizes`` -> ``lines`` -> ``furniture`` (running heads
and page numbers, over all pages) -> ``tables``, ``figures`` -> ``blocks`` (paragraphs, reading order) -> ``kinds``
-> ``headings`` -> ``notes`` -> ``joining`` (over columns and pages) -> ``drafting``.
"""

from ragraph.ingest.readers.pdf.reader import PdfReader

__all__ = ["PdfReader"]
