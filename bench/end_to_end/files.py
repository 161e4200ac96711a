"""The ingested files, and the visible text of each."""

from __future__ import annotations

import random
import zipfile
from typing import TYPE_CHECKING

import pypdfium2
from lxml import etree

from bench.text_loss import html_text, jats_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KINDS = (
    ("evidence_inference", ".nxml", 6),
    ("cuad", ".pdf", 5),
    ("cuad", ".txt", 3),
    ("books", ".xhtml", 2),
    ("docling", ".docx", 2),
    ("docling", ".html", 2),
)
"""Folder below RAGRAPH_DATA, ending, and parts of twenty."""

_WORD_ML = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def files_of(data: Path, count: int) -> list[Path]:
    """Choose files of all kinds, always the same; fewer than ``count`` if a folder has too few.

    No contract is included both as PDF and as text.
    """
    chosen: list[Path] = []
    names: set[str] = set()
    for folder, ending, parts in KINDS:
        found = sorted(path for path in (data / folder).rglob("*") if path.suffix.lower() == ending)
        random.Random(20261123).shuffle(found)
        fresh = [path for path in found if path.stem.lower() not in names][: count * parts // 20]
        names |= {path.stem.lower() for path in fresh}
        chosen += fresh
    return chosen


def visible_text(path: Path) -> str:
    """Return the text of a file by the simplest reader, in any order."""
    match path.suffix.lower():
        case ".nxml":
            return jats_text(path)
        case ".html" | ".xhtml":
            return html_text(path.read_bytes())
        case ".docx":
            return _docx_text(path)
        case ".pdf":
            with pypdfium2.PdfDocument(path) as document:
                return "\n".join(page.get_textpage().get_text_bounded() for page in document)
    return path.read_text(encoding="utf-8", errors="replace")


def _docx_text(path: Path) -> str:
    with zipfile.ZipFile(path) as archive:
        body = etree.fromstring(archive.read("word/document.xml")).find(f"{_WORD_ML}body")
    return "".join(_docx_parts(body)) if body is not None else ""


def _docx_parts(body: etree._Element) -> Iterator[str]:
    for element in body.iter():
        if element.tag == f"{_WORD_ML}t":
            yield element.text or ""
        elif element.tag in (f"{_WORD_ML}p", f"{_WORD_ML}tab", f"{_WORD_ML}br"):
            yield "\n"
