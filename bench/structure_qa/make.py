"""Make questions from JATS files, and load those that were made.

Four kinds, all asked within their document:

    table    a sentence of the text refers to a table; the numbers of that table are asked for
    entry    a sentence of the text cites an entry; the cited work is asked for
    note     a table has a note; the note is asked for by the caption of the table
    section  words that several sections have; the sentence of one section is asked for

The truth is read from the XML itself (``xref``, ``sec``, ``table-wrap-foot``), not from what ragraph makes of it. Only
articles under CC BY are taken.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import sentencex
from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Iterator

SET = Path(__file__).parent / "questions.jsonl"
CC_BY = re.compile(r"creativecommons\.org/licenses/by/(\d\.\d)")
PER_KIND = 3
"""Questions of each kind and article."""

WORD = re.compile(r"[^\W\d_]{4,}")
POINTING = re.compile(r"\b(?:figs?|figures?|tables?)\b", re.IGNORECASE)
NUMBER = re.compile(r"\d+(?:[.,·]\d+)*")


@dataclass(frozen=True)
class StructureQuestion:
    """A question on a document.

    Attributes:
        id: identity.
        kind: ``table``, ``entry``, ``note`` or ``section``.
        document: name of the file.
        text: the question.
        answer: text of the answer; of a table, its numbers.
        section: title of the section that the question names; empty for others.
        licence: licence of the article, as it states it.
    """

    id: str
    kind: str
    document: str
    text: str
    answer: list[str]
    section: str
    licence: str


def load() -> list[StructureQuestion]:
    """Return the questions of the set."""
    return [StructureQuestion(**json.loads(line)) for line in SET.read_text(encoding="utf-8").splitlines()]


def write(files: list[Path]) -> list[StructureQuestion]:
    """Make the set from JATS files, in their order, and write it."""
    made = [question for path in files for question in questions(path)]
    SET.write_text("".join(json.dumps(asdict(item), ensure_ascii=False) + "\n" for item in made), encoding="utf-8")
    return made


def questions(path: Path) -> list[StructureQuestion]:
    """Return the questions on an article; none unless it is under CC BY."""
    root = etree.parse(str(path), etree.XMLParser(load_dtd=False, no_network=True, recover=True)).getroot()
    licence = CC_BY.search(etree.tostring(root, encoding="unicode"))
    if licence is None:
        return []
    chosen = random.Random(path.name)
    found: list[StructureQuestion] = []
    for kind, pairs in (
        ("table", _tables(root)),
        ("entry", _entries(root)),
        ("note", _notes(root)),
        ("section", _sections(root)),
    ):
        candidates = [*dict.fromkeys(pairs)]
        for text, answer, section in chosen.sample(candidates, min(PER_KIND, len(candidates))):
            found.append(
                StructureQuestion(
                    id=f"{path.stem}:{kind}:{len(found)}",
                    kind=kind,
                    document=path.name,
                    text=text,
                    answer=list(answer),
                    section=section,
                    licence=f"CC BY {licence[1]}",
                )
            )
    return found


Candidate = tuple[str, tuple[str, ...], str]


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
            yield f"Which figures are behind this statement: {sentence}", numbers, ""


def _entries(root: etree._Element) -> Iterator[Candidate]:
    entries = {entry.get("id"): entry for entry in root.iter("ref")}
    for sentence, xref in _referring(root, "bibr"):
        entry = entries.get(xref.get("rid"))
        title = entry.find(".//article-title") if entry is not None else None
        if title is not None and len(_text(title).split()) >= 5:
            yield f"Which work is cited for this: {sentence}", (_text(title),), ""


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
                yield f"What does the note to this table say: {_text(caption)}", (text,), ""


def _sections(root: etree._Element) -> Iterator[Candidate]:
    body = root.find("body")
    if body is None:
        return
    sections = [
        (section, _text(section.find("title"))) for section in body.iterfind("sec") if section.find("title") is not None
    ]
    words = {title: Counter(word.lower() for word in WORD.findall(_text(section))) for section, title in sections}
    for section, title in sections:
        for paragraph in section.iter("p"):
            for sentence in _sentences(_text(paragraph)):
                own = [*dict.fromkeys(word.lower() for word in WORD.findall(sentence))]
                # words of the sentence that other sections have more often
                shared = [
                    w
                    for w in own
                    if 0 < words[title][w] < max((c[w] for t, c in words.items() if t != title), default=0)
                ]
                rare = sorted(shared, key=lambda word: (-len(word), word))[:4]
                if len(rare) == 4 and 80 <= len(sentence) <= 300:
                    yield f"{', '.join(sorted(rare, key=own.index))} (in the section {title})", (sentence,), title


def _referring(root: etree._Element, kind: str) -> Iterator[tuple[str, etree._Element]]:
    """Yield sentences of the body with a reference of a kind, without the marks of references."""
    body = root.find("body")
    for paragraph in body.iter("p") if body is not None else ():
        if any(True for _ in paragraph.iterancestors("table-wrap", "fig")):
            continue
        for xref in paragraph.iterfind(f".//xref[@ref-type='{kind}']"):
            mark = "\ue000"
            whole = _marked(paragraph, xref, mark)
            for sentence in _sentences(whole):
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


def _sentences(text: str) -> list[str]:
    return [sentence.strip() for sentence in sentencex.segment("en", text)]


def _text(element: etree._Element | None) -> str:
    return "" if element is None else " ".join("".join(map(str, element.itertext())).split())


def plain_text(path: Path) -> str:
    """Return an article as plain text: titles, paragraphs, rows of tables, notes and entries, in their order."""
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
