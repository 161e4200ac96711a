"""PDF files: words from docling-parse, structure by rules over the whole document.

A folder for each part of the work: ``page`` (what is printed), ``stated`` (what the file or a layout model says of it),
``furniture`` (running heads and page numbers), ``tables``, ``blocks`` (paragraphs, items, figures), ``headings`` and
``notes``. ``passes`` lists what is done in which order, ``model`` holds the data that all work on, ``patterns`` the
regular expressions, ``drafting`` makes the draft.
"""

from ragraph.ingest.readers.pdf.reader import PdfReader

__all__ = ["PdfReader"]
