"""Two of the examples, with the ids that tests of the Python interface and command line use."""

from __future__ import annotations

from pathlib import Path

DOCUMENTS = Path(__file__).parent.parent / "examples" / "documents"

GUIDE = "dl_guide"
BOOK = "dl_book"

FILES = {GUIDE: DOCUMENTS / "field-guide.docx", BOOK: DOCUMENTS / "wealth-of-nations-book-3.epub"}
