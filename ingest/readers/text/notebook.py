"""Notebooks (Jupyter): Markdown cells, code as listings, and its output after it as text or table."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from lxml import etree, html

from ragraph.errors import EmptyFileError
from ragraph.ingest.common.charset import decode_file
from ragraph.ingest.common.written import read_json
from ragraph.ingest.readers.docling.run import damaged
from ragraph.ingest.readers.html.fragments import seen_part
from ragraph.ingest.readers.text.markdown import draft_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_DRAWN = r"<(?:(?:[\w.]*Axes(?:Subplot|3D)?|Figure)\b|IPython\.core\.display\.)[^<>\n]*>|<[^<>\n]* at 0x[0-9a-fA-F]+>"
_NAMELESS = re.compile(rf"\[?(?:{_DRAWN})(?:,\s*(?:{_DRAWN}))*\]?")
"""Objects whose name does not describe their content: drawings, pages shown elsewhere, memory addresses."""

_BAR = re.compile(r"[█━▏▎▍▌▋▊▉]{3}|\d%\|[ #█▏▎▍▌▋▊▉]*\|")
"""A bar: of progress if the line has a time (``_TIME``) or is overwritten, else a chart or a table."""

_TIME = re.compile(r"\[\d+:\d\d|\beta\s+[-\d]+:")
"""The time after a progress bar: ``10/10 [00:01<00:00]``, ``eta 0:00:12``."""

_FENCES = re.compile(r"^ *(`{3,}|~{3,})", re.MULTILINE)


class NotebookReader:
    """Jupyter notebooks, formats 3 and 4. Nothing is run; pictures drawn by code are left out."""

    name = "notebook"
    version = 6

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the notebook; raises the errors of ``Reader.read``."""
        try:
            book = read_json(decode_file(path, options.charset))
        except (json.JSONDecodeError, RecursionError) as error:
            raise damaged(error) from error
        if not isinstance(book, dict):
            raise damaged("it is not a notebook")
        sheets = book.get("worksheets")
        cells = book.get("cells") or [cell for sheet in _dicts(sheets) for cell in _dicts(sheet.get("cells"))]
        language = _language(book.get("metadata"))
        source = "\n\n".join(block for cell in _dicts(cells) for block in _blocks(cell, language))
        if not source.strip():
            raise EmptyFileError(f"{path.name} has no cell with text; there is nothing to ingest")
        return draft_of(source, f"{self.name}/{self.version}", options)


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    """Return text from its form in notebooks: a string, or its lines."""
    return "".join(map(str, value)) if isinstance(value, list) else value if isinstance(value, str) else ""


def _language(metadata: Any) -> str:
    for name in ("language_info", "kernelspec"):
        stated = metadata.get(name) if isinstance(metadata, dict) else None
        if isinstance(stated, dict) and (language := stated.get("name" if name == "language_info" else "language")):
            return re.sub(r"[^\w+#.-]", "", str(language))
    return "python"


def _blocks(cell: dict[str, Any], language: str) -> Iterator[str]:
    text = _text(cell.get("source", cell.get("input")))
    kind = cell.get("cell_type")
    if kind == "heading":
        yield f"{'#' * min(max(int(cell.get('level') or 1), 1), 6)} {' '.join(text.split())}"
    elif kind == "code":
        if text.strip():
            yield _fenced(text, language)
        for output in _dicts(cell.get("outputs")):
            yield from _output(output)
    elif text.strip():
        yield text


def _output(output: dict[str, Any]) -> Iterator[str]:
    """Yield the output of a cell: tables and Markdown as such, everything else as text."""
    held = output.get("data")
    data: dict[str, Any] = held if isinstance(held, dict) else output
    page = seen_part(_text(data.get("text/html", data.get("html"))))
    if _words(page):  # the form that people are shown
        yield re.sub(r"\n\s*\n", "\n", f"<div>\n{page}\n</div>")
        return
    marked = _text(data.get("text/markdown"))
    if marked.strip():
        yield marked
        return
    text = _printed(_text(data.get("text/plain", output.get("text"))))
    if output.get("output_type") in ("error", "pyerr"):
        text = f"{output.get('ename') or ''}: {output.get('evalue') or ''}"
    printed = output.get("output_type") == "stream"
    if text.strip() and (printed or not _NAMELESS.fullmatch(text.strip())):
        drawn = any(str(name).startswith("image/") or name in ("png", "jpeg") for name in data)
        if not (drawn and text.lstrip().startswith("<")):
            yield _fenced(text, "text")


def _printed(text: str) -> str:
    """Return the final state of a text on a terminal: no colours, overwritten lines or progress bars."""
    return "\n".join(shown for line in text.split("\n") if (shown := at_last(line)) is not None)


def at_last(line: str) -> str | None:
    """Return the final state of a line without colours, after it was overwritten; None for a progress bar."""
    line = _COLOUR.sub("", line)
    *before, shown = line.rstrip("\r").rsplit("\r", 1)
    return None if _BAR.search(shown) and (before or _TIME.search(shown)) else shown


def _words(page: str) -> str:
    """Return the text of a page that a cell has shown, without scripts."""
    if not page.strip():
        return ""
    try:
        root = html.fromstring(page)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return ""
    etree.strip_elements(root, "script", "style", with_tail=False)
    return " ".join(" ".join(map(str, root.itertext())).split())


def _fenced(text: str, language: str) -> str:
    """Return text as a listing with a fence longer than any in it."""
    fence = "`" * max([3, *(len(found) + 1 for found in _FENCES.findall(text))])
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
