"""The words of each page of a PDF file, from other readers."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Literal

import pypdfium2

from bench.retrieval.cache import cache_folder

if TYPE_CHECKING:
    from pathlib import Path

By = Literal["pypdfium2", "docling-parse"]


def page_texts(path: Path, by: By) -> list[str]:
    """Return the text of each page in order, from the disk if it was read before."""
    key = hashlib.sha256(by.encode() + path.read_bytes()).hexdigest()
    kept = cache_folder() / "pages" / f"{key}.json"
    if kept.is_file():
        texts: list[str] = json.loads(kept.read_text(encoding="utf-8"))
        return texts
    texts = _pypdfium2(path) if by == "pypdfium2" else _docling_parse(path)
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(json.dumps(texts), encoding="utf-8")
    return texts


def _pypdfium2(path: Path) -> list[str]:
    with pypdfium2.PdfDocument(path) as document:
        return [document[place].get_textpage().get_text_range().replace("\r\n", "\n") for place in range(len(document))]


def _docling_parse(path: Path) -> list[str]:
    from docling_parse.pdf_parser import DoclingPdfParser

    document = DoclingPdfParser(loglevel="fatal").load(str(path))
    pages = range(1, document.number_of_pages() + 1)
    return ["\n".join(cell.text for cell in document.get_page(page).textline_cells) for page in pages]
