"""RTF: its text by the library striprtf, a paragraph per line; tables as rows of cells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.ingest.draft import DraftMetadata
from ragraph.ingest.readers.docling.builder import DraftBuilder
from ragraph.ingest.readers.docling.run import damaged, not_empty
from ragraph.ingest.readers.office.package import iso_date
from ragraph.ingest.readers.text.plain import heading_level
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions

_INFO = re.compile(r"\{\\(title|author|subject)\s+((?:[^{}\\]|\\'[0-9a-f]{2}|\\[\\{}])*)\}")
_CREATED = re.compile(r"\{\\creatim\\yr(\d{4})\\mo(\d{1,2})\\dy(\d{1,2})")
_PAGE = re.compile(r"\\ansicpg(\d{3,5})")


class RtfReader:
    """Rich text. Headings are those of plain text, because most programs state none in RTF."""

    name = "rtf"
    version = 2

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the text; raises the errors of ``Reader.read``."""
        from striprtf.striprtf import rtf_to_text

        source = path.read_bytes().decode("latin-1")
        page = _PAGE.search(source)
        charset = options.charset or (f"cp{page[1]}" if page and page[1] != "65001" else "cp1252")
        source, notes = _without_notes(source)
        head = source[: source.find("{", 1) if source.find("{", 1) > 0 else 20]
        try:
            text = str(rtf_to_text(source, encoding=charset, errors="replace"))  # type: ignore[no-untyped-call]
            noted = [
                str(rtf_to_text(f"{head}{note}}}", encoding=charset, errors="replace"))  # type: ignore[no-untyped-call]
                for note in notes
            ]
        except (LookupError, ValueError, IndexError, KeyError, TypeError, RecursionError) as error:
            raise damaged(error) from error
        builder = DraftBuilder(f"{self.name}/{self.version}")
        builder.metadata = _metadata(source, charset)
        rows: list[list[str]] = []
        for number, line in enumerate([*text.split("\n"), ""]):
            if line.endswith("|") and line.count("|") > 1:
                rows.append([cell.strip() for cell in line[:-1].split("|")])
                continue
            if rows:
                width = max(map(len, rows))
                squared = [[*row, *[""] * (width - len(row))] for row in rows]
                builder.table(f"table{number}", squared, limit=options.table_rows)
                rows = []
            level = heading_level(line)
            kind = ContentNodeType.HEADING if level else ContentNodeType.PARAGRAPH
            builder.node(f"p{number}", kind, _NOTE_MARK.sub("", line), level=level)
            for found in _NOTE_MARK.finditer(line):
                builder.node(f"n{found[1]}", ContentNodeType.NOTE, " ".join(noted[int(found[1])].split()))
        return not_empty(builder.draft())


_NOTE = re.compile(r"\{(?:\\\*)?\\footnote\b")
_NOTE_MARK = re.compile("\ue000(\\d+)\ue001")


def _without_notes(source: str) -> tuple[str, list[str]]:
    """Return a source with marks in place of its notes, which the library leaves out, and the notes."""
    notes: list[str] = []
    out: list[str] = []
    at = 0
    while (found := _NOTE.search(source, at)) is not None:
        end = _end_of_group(source, found.start())
        out += [source[at : found.start()], f"{{\\uc1\\u-8192?{len(notes)}\\u-8191?}}"]
        notes.append(source[found.end() : end - 1])
        at = end
    return "".join([*out, source[at:]]), notes


def _end_of_group(source: str, start: int) -> int:
    """Return the place behind the group that begins at a brace."""
    depth = 0
    for found in re.compile(r"\\.|[{}]", re.DOTALL).finditer(source, start):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return found.end()
    return len(source)


def _metadata(source: str, charset: str) -> DraftMetadata:
    found = {name: _plain(value, charset) for name, value in _INFO.findall(source[:20_000])}
    day = _CREATED.search(source[:20_000])
    return DraftMetadata(
        title=found.get("title") or None,
        authors=[name.strip() for name in found.get("author", "").split(";") if name.strip()],
        publication_date=iso_date(f"{day[1]}-{int(day[2]):02d}-{int(day[3]):02d}") if day else None,
        extra={"subject": found["subject"]} if found.get("subject") else {},
    )


def _plain(value: str, charset: str) -> str:
    def letter(match: re.Match[str]) -> str:
        try:
            return bytes([int(match[1], 16)]).decode(charset, "replace")
        except LookupError:
            return chr(int(match[1], 16))

    return re.sub(r"\\([\\{}])", r"\1", re.sub(r"\\'([0-9a-f]{2})", letter, value)).strip()
