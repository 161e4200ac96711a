"""The reader of PDF files: words from docling-parse, structure by rules over the whole document.

A folder for each part of the work: ``page`` (what is printed), ``stated`` (what the file or a layout model says of it),
``furniture`` (running heads and page numbers), ``tables``, ``blocks`` (paragraphs, items, figures), ``headings`` and
``notes``. ``passes`` lists what is done in which order, ``model`` holds the data that all work on, ``patterns`` the
regular expressions; ``analysis`` runs all of it over a file. ``training`` learns the weights and is not installed.

The package knows nothing of stores and drafts: ``ragraph.ingest.readers.pdf`` makes drafts of what it finds.
"""

from typing import Literal

Layout = Literal["auto", "rules", "model"]
"""How the structure of a PDF may be found; ``analysis.analyse`` says more."""
