"""Plain text: paragraphs by empty lines, pages by form feeds, and headings only if they are clear."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.base.hyphens import Vocabulary
from ragraph.ingest.common.charset import decode_file
from ragraph.ingest.common.title_matching import match_title
from ragraph.ingest.draft import DraftPage, Position
from ragraph.ingest.readers.docling.builder import DraftBuilder
from ragraph.ingest.readers.docling.run import not_empty
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions

ESCAPES = re.compile(r"\x1b(?:\[[0-9;:<=>?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[()][0-9A-B]|[=>78cDEHM])")
"""Codes of terminals, as logs have them."""

_LONGEST = 10_000
_OFTEN = 3
"""Pages with a title of contents at their top, from which it is a running head."""
_Found = tuple[str, int | None, list[Position]]
"""A text, its level if it is a heading, and its page."""

_HEADING = re.compile(
    r"(?:chapter|part|section|article|book|appendix|act|scene|kapitel|chapitre)\s+(?:\d{1,3}|[ivxlc]{1,7})\b.{0,60}"
    r"|\d{1,2}(?:\.\d{1,2}){0,4}\.?\s+[A-Z][^.!?;:]{2,70}",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2})*)\.?\s")


class TextReader:
    """Plain text files.

    A short separate line that begins like "Chapter 3" or "2.1 Methods", or is a usual title ("References"), is a
    heading. Everything else is a paragraph, with its lines joined if the text is wrapped. Form feeds separate pages. A
    title of contents at the tops of pages is a running head, as filings have it.
    """

    name = "text"
    version = 7

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the text; raises the errors of ``Reader.read``."""
        source = without_escapes(decode_file(path, options.charset)).replace("\r\n", "\n").replace("\r", "\n")
        builder = DraftBuilder(f"{self.name}/{self.version}")
        pages = source.rstrip("\x0c\n ").split("\x0c")
        vocabulary = Vocabulary(source.splitlines())
        found: list[_Found] = []
        for number, page in enumerate(pages, 1):
            positions = [Position(page_pdf=number)] if len(pages) > 1 else []
            if positions:
                builder.pages.append(DraftPage(page_pdf=number))
            for block in re.split(r"\n[ \t]*(?:\n[ \t]*)+", page):
                read = pieces(block, vocabulary, keep_lines=path.suffix.lower() == ".log")
                found += [(text, heading_level(text), positions) for text in read]
        running = _running_heads(found)
        stood: set[str] = set()
        for count, (text, level, positions) in enumerate(found, 1):
            if text in stood:
                head = builder.container(f"header{count}", ComponentType.HEADER)
                builder.node(f"p{count}", ContentNodeType.PARAGRAPH, text, container=head, positions=positions)
            else:
                kind = ContentNodeType.HEADING if level else ContentNodeType.PARAGRAPH
                builder.node(f"p{count}", kind, text, level=level, positions=positions)
            stood |= {text} & running
        return not_empty(builder.draft())


def _running_heads(found: Sequence[_Found]) -> set[str]:
    """Return the titles of contents that stand at the tops of pages: behind the number of a page, or a form feed."""
    tops = Counter(
        text
        for (before, _, page), (text, level, own) in pairwise(found)
        if level and (own != page or before[-1:].isdigit())
    )
    often = (title for title, times in tops.items() if times >= _OFTEN)
    return {title for title in often if (known := match_title(title)) and known.type == ComponentType.TABLE_OF_CONTENTS}


def without_escapes(text: str) -> str:
    """Return a text without the codes by which terminals are told colours, places and titles."""
    return ESCAPES.sub("", text) if "\x1b" in text else text


def heading_level(text: str) -> int | None:
    """Return the level of a line that is clearly a heading, else None."""
    line = text.strip()
    if "\n" in line or len(line) > 90 or line.endswith((",", ";")):
        return None
    if not _HEADING.fullmatch(line):
        known = match_title(line) if line[:1].isupper() and not line.endswith((".", ":")) else None
        return 1 if known and known.type != ComponentType.SECTION else None
    numbered = _NUMBERED.match(line)
    return numbered[1].count(".") + 1 if numbered else 1


def pieces(block: str, vocabulary: Vocabulary, *, keep_lines: bool = False) -> list[str]:
    """Return a block as paragraphs: wrapped lines joined, set lines kept, very long ones cut at a sentence.

    Args:
        block: the block.
        vocabulary: words of the text, for hyphens at ends of lines.
        keep_lines: keep all lines, as those of a log.
    """
    lines = [line.rstrip() for line in block.strip("\n").split("\n")]
    text = "\n".join(lines) if keep_lines or _is_set(lines) else _unwrapped(lines, vocabulary)
    cut: list[str] = []
    while len(text) > _LONGEST:
        place = max(text.rfind(end, _LONGEST // 2, _LONGEST) + 1 for end in (". ", "\n", "; ", " "))
        place = place if place > 0 else _LONGEST
        cut.append(text[:place].strip())
        text = text[place:]
    return [piece for piece in [*cut, text.strip()] if piece]


def _unwrapped(lines: list[str], vocabulary: Vocabulary) -> str:
    text = ""
    for line in map(str.strip, lines):
        text = vocabulary.joined(text, line.split(" ", 1)[0]) + line
    return text


def _is_set(lines: list[str]) -> bool:
    """Return True if line ends have a meaning: verse, addresses, tables set with spaces."""
    if len(lines) < 2:
        return False
    if sum("   " in line.strip() or "\t" in line.strip() for line in lines) * 2 >= len(lines):
        return True
    width = max(len(line) for line in lines)
    return width < 50 or sum(len(line) < 0.6 * width for line in lines[:-1]) * 2 > len(lines) - 1
