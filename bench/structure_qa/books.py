"""Make questions from books: notes and chapters of an EPUB, chapters and pages of PDF files.

The truth is read from the files themselves: references of notes in the XHTML, the outline of a PDF, and PDFium's text
of its pages. Only books that may be passed on are taken.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import TYPE_CHECKING

import pypdfium2
from lxml import html

from bench.structure_qa.questions import StructureQuestion, chosen, more_often_elsewhere, sentences, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.structure_qa.questions import Candidate

BOOKS = {
    "books/standardebooks/wealth-of-nations/src/epub/content.opf": "CC0 1.0",
    "books/nist/NIST.SP.800-207.pdf": "US government work",
    "books/mueller/docs/mueller-report-vol-2.pdf": "CC BY 3.0",
    "books/gitenberg/41568_whitehead/41568-pdf.pdf": "public domain in the USA",
    "books/worldbank_dime/Data-for-Development-Impact.pdf": "CC BY 4.0",
}
"""Path below RAGRAPH_DATA to licence."""

PER_BOOK = 6
"""Questions of each kind and book."""

PAGES_OF_CHAPTER = 3
"""Pages that a chapter of a PDF has at least. Its first and last page may belong to its neighbours too."""

UNFIT = re.compile(
    r"[-\u00ad\ufffe\u0002]\s|[\ufffe\ufffd]"  # a word cut at the end of a line, whose hyphen may be its own
    r"|(?:\b[A-Z]{4,}\W+){2}|\. \. |https?:|[a-z]\.\d"  # a running head, a line of contents or a note within
)
"""Sentences of a page's text that are no sentences."""


def book_questions(data: Path) -> list[StructureQuestion]:
    """Return the questions on the books below the folder of the data sets."""
    found: list[StructureQuestion] = []
    for name, licence in BOOKS.items():
        path = data / name
        kinds = (
            {"note": _notes(path.parent), "section": _chapters(path.parent)}
            if path.suffix == ".opf"
            else {"section": _outlined(path), "page": _pages(path)}
        )
        for kind, candidates in kinds.items():
            found.extend(
                StructureQuestion(
                    id=f"{_name(path)}:{kind}:{number}",
                    kind=kind,
                    document=_name(path),
                    path=name,
                    text=text,
                    answer=list(answer),
                    section=section,
                    page=page,
                    licence=licence,
                )
                for number, (text, answer, section, page) in enumerate(
                    chosen(random.Random(f"{name} {kind}"), candidates, PER_BOOK)
                )
            )
    return found


def _name(path: Path) -> str:
    return "wealth-of-nations" if path.suffix == ".opf" else path.name


def _notes(folder: Path) -> Iterator[Candidate]:
    notes = {
        str(item.get("id")): _words(item)
        for item in html.parse(str(folder / "text/endnotes.xhtml")).getroot().iter("li")
    }
    mark = "\ue000"
    for path in sorted((folder / "text").glob("chapter-*.xhtml")):
        for paragraph in html.parse(str(path)).getroot().iter("p"):
            references = _references(paragraph)
            for reference in references:
                note = notes[str(reference.get("href")).partition("#")[2]]
                for other in references:
                    other.text = mark if other is reference else ""
                for sentence in sentences(_words(paragraph)):
                    bare = sentence.replace(mark, "").strip()
                    if mark in sentence and 60 <= len(bare) <= 300 and len(note.split()) >= 8:
                        yield f"Which note belongs to this statement: {bare}", (note,), "", 0


def _chapters(folder: Path) -> Iterator[Candidate]:
    pages = {path: html.parse(str(path)).getroot() for path in sorted((folder / "text").glob("chapter-*.xhtml"))}
    for page in pages.values():
        for link in _references(page):
            link.text = ""
    texts = {
        _words(page.xpath("//*[local-name()='section']//p[1]")[0]): [_words(p) for p in page.iter("p")][1:]
        for page in pages.values()
    }
    yield from _in_sections({title: " ".join(paragraphs) for title, paragraphs in texts.items()}, texts)


def _outlined(path: Path) -> Iterator[Candidate]:
    with pypdfium2.PdfDocument(path) as pdf:
        outline = [
            (item.level, str(item.get_title()), item.get_dest().get_index())
            for item in pdf.get_toc()
            if item.get_dest() is not None
        ]
    texts = page_texts(path)
    levels = []
    for level in {level for level, _, _ in outline}:
        # a title of this level ends where the next of it or of a higher one begins
        starts = [(of, title, start) for of, title, start in outline if of <= level]
        ends = [*(start for _, _, start in starts[1:]), len(texts)]
        levels.append(
            {
                title: texts[start + 1 : end - 1]
                for (of, title, start), end in zip(starts, ends, strict=True)
                if of == level and end - start >= PAGES_OF_CHAPTER
            }
        )
    bodies = max(levels, key=len)
    if len(bodies) > 2:
        yield from _in_sections({title: " ".join(pages) for title, pages in bodies.items()}, bodies)


def _in_sections(whole: dict[str, str], paragraphs: dict[str, list[str]]) -> Iterator[Candidate]:
    words = {title: Counter(words_of(text)) for title, text in whole.items()}
    for title, texts in paragraphs.items():
        for text in texts:
            for sentence in sentences(text):
                rare = _rare(sentence, title, words)
                if rare:
                    yield f"{', '.join(rare)} (in the section {title})", (sentence,), title, 0


def _pages(path: Path) -> Iterator[Candidate]:
    texts = {str(number): text for number, text in enumerate(page_texts(path), 1)}
    words = {number: Counter(words_of(text)) for number, text in texts.items()}
    for number, text in texts.items():
        # the first and the last sentence of a page may be on two pages, and a running head in the first
        for sentence in sentences(text)[1:-1]:
            rare = _rare(sentence, number, words)
            if rare:
                yield f"{', '.join(rare)} (on page {number} of the file)", (sentence,), "", int(number)


def _rare(sentence: str, place: str, words: dict[str, Counter[str]]) -> list[str]:
    """Return the words that a question asks with; none unless the sentence is whole and without words cut at a line."""
    whole = sentence[0].isupper() and sentence[-1] in ".!?" and not UNFIT.search(sentence)
    return more_often_elsewhere(sentence, place, words) if whole else []


def _references(element: html.HtmlElement) -> list[html.HtmlElement]:
    return [link for link in element.iter("a") if "noteref" in str(link.get("epub:type"))]


def page_texts(path: Path) -> list[str]:
    """Return the text of each page of a PDF, as PDFium reads it, in one line."""
    with pypdfium2.PdfDocument(path) as pdf:
        return [" ".join(page.get_textpage().get_text_range().split()) for page in pdf]


def _words(element: html.HtmlElement) -> str:
    return " ".join(str(element.text_content()).replace("↩", "").split())
