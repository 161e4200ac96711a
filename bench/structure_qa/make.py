"""Make questions from JATS files and books.

Five kinds, all asked within their document:

    table    a sentence of the text refers to a table; the numbers of that table are asked for
    entry    a sentence of the text cites an entry; the cited work is asked for
    note     a table has a note; the note is asked for by the caption of the table
    section  words that several sections have; the sentence of one section is asked for
    page     words that several pages have; the sentence of one page is asked for

The truth is read from the files themselves (``xref``, ``sec``, ``table-wrap-foot``; for books see ``books``), not from
what ragraph makes of them. Only articles under CC BY are taken.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING

from lxml import etree

from bench.structure_qa.books import book_questions
from bench.structure_qa.questions import SET, StructureQuestion, chosen, more_often_elsewhere, sentences, words_of
from bench.truth import source_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.structure_qa.questions import Candidate

CC_BY = re.compile(r"creativecommons\.org/licenses/by/(\d\.\d)")
PER_KIND = 3
"""Questions of each kind and article."""

POINTING = re.compile(r"\b(?:figs?|figures?|tables?)\b", re.IGNORECASE)
NUMBER = re.compile(r"\d+(?:[.,·]\d+)*")


def write(data: Path, articles: int) -> list[StructureQuestion]:
    """Make the set from so many JATS files and the books below the folder of the data sets, and write it."""
    files = sorted((data / "evidence_inference" / "xml").iterdir())[:articles]
    made = [question for path in files for question in questions(path)] + book_questions(data)
    SET.write_text("".join(json.dumps(asdict(item), ensure_ascii=False) + "\n" for item in made), encoding="utf-8")
    return made


def questions(path: Path) -> list[StructureQuestion]:
    """Return the questions on an article; none unless it is under CC BY."""
    root = etree.parse(str(path), etree.XMLParser(load_dtd=False, no_network=True, recover=True)).getroot()
    licence = CC_BY.search(etree.tostring(root, encoding="unicode"))
    if licence is None:
        return []
    by = random.Random(path.name)
    found: list[StructureQuestion] = []
    for kind, candidates in (
        ("table", _tables(root)),
        ("entry", _entries(root)),
        ("note", _notes(root)),
        ("section", _sections(root)),
    ):
        for text, answer, section, page in chosen(by, candidates, PER_KIND):
            found.append(
                StructureQuestion(
                    id=f"{path.stem}:{kind}:{len(found)}",
                    kind=kind,
                    document=path.name,
                    path=f"evidence_inference/xml/{path.name}",
                    text=text,
                    answer=list(answer),
                    section=section,
                    page=page,
                    licence=f"CC BY {licence[1]}",
                )
            )
    return found


def _tables(root: etree._Element) -> Iterator[Candidate]:
    tables = {table.get("id"): table for table in root.iter("table-wrap")}
    for sentence, xref in _referring(root, "table"):
        table = tables.get(xref.get("rid"))
        if table is None or table.find(".//table") is None:
            continue
        numbers = tuple(
            dict.fromkeys(n for cell in table.iter("td") for n in NUMBER.findall(_text(cell)) if len(n) > 2)
        )
        if len(numbers) >= 6:
            yield f"Which figures are behind this statement: {sentence}", numbers, "", 0


def _entries(root: etree._Element) -> Iterator[Candidate]:
    entries = {entry.get("id"): entry for entry in root.iter("ref")}
    for sentence, xref in _referring(root, "bibr"):
        entry = entries.get(xref.get("rid"))
        title = entry.find(".//article-title") if entry is not None else None
        if title is not None and len(_text(title).split()) >= 5:
            yield f"Which work is cited for this: {sentence}", (_text(title),), "", 0


def _notes(root: etree._Element) -> Iterator[Candidate]:
    for table in root.iter("table-wrap"):
        caption = table.find("caption")
        for note in table.iterfind(".//table-wrap-foot//p"):
            text = _text(note)
            if (
                caption is not None
                and len(text.split()) >= 6
                and not text.startswith(_text(caption))
                and len(_text(caption).split()) >= 4
            ):
                yield f"What does the note to this table say: {_text(caption)}", (text,), "", 0


def _sections(root: etree._Element) -> Iterator[Candidate]:
    body = root.find("body")
    if body is None:
        return
    sections = [
        (section, _text(section.find("title"))) for section in body.iterfind("sec") if section.find("title") is not None
    ]
    words = {title: Counter(words_of(_text(section))) for section, title in sections}
    for section, title in sections:
        for paragraph in section.iter("p"):
            for sentence in sentences(_text(paragraph)):
                # words of the sentence that other sections have more often
                rare = more_often_elsewhere(sentence, title, words)
                if rare:
                    yield f"{', '.join(rare)} (in the section {title})", (sentence,), title, 0


def _referring(root: etree._Element, kind: str) -> Iterator[tuple[str, etree._Element]]:
    """Yield sentences of the body with a reference of a kind, without the marks of references."""
    body = root.find("body")
    for paragraph in body.iter("p") if body is not None else ():
        if any(True for _ in paragraph.iterancestors("table-wrap", "fig")):
            continue
        for xref in paragraph.iterfind(f".//xref[@ref-type='{kind}']"):
            mark = "\ue000"
            whole = _marked(paragraph, xref, mark)
            for sentence in sentences(whole):
                if mark in sentence:
                    bare = re.sub(r"\s*[\[(][^\])]*\ue000[^\])]*[\])]|\ue000", "", sentence)
                    bare = " ".join(re.sub(r"\s*[\[(][\d\s,;–-]*[\])]", "", bare).split())
                    # without their numbers, "as Figure and Table show" is no sentence
                    if 60 <= len(bare) <= 300 and not POINTING.search(bare):
                        yield bare, xref


def _marked(paragraph: etree._Element, wanted: etree._Element, mark: str) -> str:
    """Return the text of a paragraph with a mark in place of one reference; other references are left out."""
    pieces: list[str] = []

    def add(element: etree._Element) -> None:
        if element.tag == "xref":
            pieces.append(mark if element is wanted else "")
        else:
            pieces.append(element.text or "")
            for child in element:
                add(child)
                pieces.append(child.tail or "")

    add(paragraph)
    return " ".join("".join(pieces).split())


def _text(element: etree._Element | None) -> str:
    return "" if element is None else " ".join("".join(map(str, element.itertext())).split())


def plain_text(path: Path) -> str:
    """Return a document as plain text.

    Of an article these are titles, paragraphs, rows of tables, notes and entries, in their order.
    """
    if path.suffix != ".nxml":
        return source_text(path)
    root = etree.parse(str(path), etree.XMLParser(load_dtd=False, no_network=True, recover=True)).getroot()
    lines = []
    for element in root.iter("article-title", "title", "p", "tr", "ref"):
        if any(True for _ in element.iterancestors("ref", "p", "tr")):
            continue
        if element.tag == "tr":
            lines.append(" | ".join(_text(cell) for cell in element if isinstance(cell.tag, str)))
        else:
            lines.append(_text(element))
    return "\n\n".join(filter(None, lines))
