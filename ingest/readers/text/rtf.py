"""RTF: its text by the library striprtf, a paragraph per line; tables as rows of cells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.ingest.draft import DraftMetadata
from ragraph.ingest.readers.docling.builder import DraftBuilder
from ragraph.ingest.readers.docling.kinds import PAGE_NUMBER
from ragraph.ingest.readers.docling.marks import Marks
from ragraph.ingest.readers.docling.run import damaged, not_empty
from ragraph.ingest.readers.office.package import iso_date
from ragraph.ingest.readers.text.plain import heading_level
from ragraph.ingest.readers.text.rtf_fields import show_fields
from ragraph.ingest.readers.text.rtf_math import tex_of
from ragraph.ingest.readers.text.rtf_notes import take_notes, take_running
from ragraph.ingest.readers.text.rtf_opening import (
    groups,
    opened,
    paired,
    replace_groups,
    text_of,
    with_scripts,
    without_pictures,
)
from ragraph.ingest.readers.text.rtf_unseen import without_hidden
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft, DraftNode
    from ragraph.ingest.readers import ReadOptions

_INFO = {name: re.compile(rf"\{{\\{name}(?![a-z]) ?") for name in ("title", "author", "subject")}
_CREATED = re.compile(r"\{\\creatim\\yr(\d{4})\\mo(\d{1,2})\\dy(\d{1,2})")
_PAGE = re.compile(r"\\ansicpg(\d{3,5})")


class RtfReader:
    """Rich text. Headings are those that state their level, and those of plain text: many programs state none."""

    name = "rtf"
    version = 9

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the text; raises the errors of ``Reader.read``."""
        source = without_pictures(path.read_bytes().decode("latin-1"))
        page = _PAGE.search(source)
        charset = options.charset or (f"cp{page[1]}" if page and page[1] != "65001" else "cp1252")
        if not options.hidden:
            source = without_hidden(source)
        builder = DraftBuilder(f"{self.name}/{self.version}", Marks(_beyond(source)))
        try:
            self._read(source, charset, builder, options)
        except (LookupError, ValueError, IndexError, KeyError, TypeError, RecursionError) as error:
            raise damaged(error) from error
        return not_empty(builder.draft())

    def _read(self, source: str, charset: str, builder: DraftBuilder, options: ReadOptions) -> None:
        source, formulas = _without_formulas(source, charset)
        builder.metadata = _metadata(source, charset)
        source = show_fields(opened(source, charset), charset, builder.marks)
        source = _with_table_marks(_with_paragraph_marks(with_scripts(source)))
        source, running = take_running(source)
        source, notes = take_notes(source, charset, builder.marks)
        opening = _OPENING.match(source)
        head = (opening[0] if opening else "{\\rtf1") + " "  # parts its last word from the text
        tex = [builder.marks.around(one, "math") for one in formulas]

        def text(part: str) -> str:
            return _FORMULA_MARK.sub(lambda found: _listed(found, tex), text_of(part, charset))

        _add_blocks(builder, text(source), dict(zip(tex, formulas, strict=True)), options)
        made: list[DraftNode] = []
        for note in notes:
            said = " ".join(_SIGNS.sub(" ", _PARAGRAPH_SIGNS.sub("", text(f"{head}{note.source}}}"))).split())
            made += builder.aside(
                note.anchor, ContentNodeType.NOTE, said, marker=note.marker, anchors=[note.anchor], data=note.data
            )
        builder.place_notes(made)
        for kind, part in running:
            area = builder.container(kind.value.lower(), kind)
            _add_blocks(builder, text(f"{head}{part}}}"), {}, options, area)


def _add_blocks(
    builder: DraftBuilder, text: str, tex: dict[str, str], options: ReadOptions, area: str | None = None
) -> None:
    """Add the paragraphs and tables of a text with signs to a container.

    Args:
        builder: gets the nodes.
        text: text with our own signs.
        tex: formulas between marks, and the same without them.
        options: the options of the reader.
        area: key of the header or footer that the text is in.
    """
    for number, line in enumerate(_blocks(text)):
        if isinstance(line, list):
            width = max(map(len, line))
            squared = [[*row, *[""] * (width - len(row))] for row in line]
            shown = [[_PARAGRAPH_SIGNS.sub("", cell) for cell in row] for row in squared]
            builder.table(f"table{number}", shown, limit=options.table_rows, container=area)
            continue
        stated = _LEVEL.search(line)
        marker, _, said = line.rpartition(_ITEM)
        said, marker = (_PARAGRAPH_SIGNS.sub("", one).strip() for one in (said, marker))
        plain = builder.marks.strip(said).strip()
        key, kind, level = f"p{number}", ContentNodeType.PARAGRAPH, None
        if area is not None:
            kind = ContentNodeType.PAGE_NUMBER if PAGE_NUMBER.fullmatch(plain) else kind
        elif stated and len(plain) < _LONGEST_HEADING:
            level = ord(stated[0]) - _FIRST_LEVEL
        else:
            level = heading_level(plain)
        if level:
            builder.node(key, ContentNodeType.HEADING, f"{marker} {said}".strip(), level=level)
        elif marker:
            builder.node(key, ContentNodeType.LIST_ITEM, said, marker=marker, container=area)
        elif said in tex:
            builder.node(key, ContentNodeType.FORMULA, tex[said])
        else:
            builder.node(key, kind, said, container=area)


def _beyond(source: str) -> str:
    """Return the letters beyond 16 bits of a source, which may be used as marks."""
    halves = (int(number) % 0x10000 for number in re.findall(r"\\u(-\d{4,5}|5[5-7]\d{3})", source))
    return paired("".join(map(chr, halves)))


_ITEM = "\ue00b"
_FIRST_LEVEL = 0xE001
_LEVEL = re.compile("[\ue002-\ue00a]")
_PARAGRAPH_SIGNS = re.compile("[\ue002-\ue00b]")
"""Signs of our own in the text: behind the number of an item, and for the level of a heading."""

_LONGEST_HEADING = 200
"""Letters from which a paragraph is no heading, whatever level it states."""

_NUMBERS = re.compile(r"\{\\(?:listtext|pntext)(?![a-z])")
_OUTLINE = re.compile(r"\\outlinelevel([0-8])(?!\d) ?")


def _with_paragraph_marks(source: str) -> str:
    """Return a source with signs behind the numbers of items and where a paragraph states its level."""
    source = replace_groups(source, _NUMBERS, lambda number: f"{{{number}\\uc1\\u{ord(_ITEM) - 0x10000}?}}")
    return _OUTLINE.sub(lambda found: f"{{\\uc1\\u{_FIRST_LEVEL + 1 + int(found[1]) - 0x10000}?}}", source)


_TABLE_WORDS = re.compile(r"\\[\\{}]|\\(nestcell|nestrow|cell|row|pard|intbl|itap)(-?\d*)(?![a-z\d]) ?")
_PROPERTIES = re.compile(r"\{\\\*\\nesttableprops\b")
_COPIES = re.compile(r"\{\\nonesttables\b")
_MARKS = {
    "cell": "\ue010", "nestcell": "\ue010", "row": "\ue011", "nestrow": "\ue011", "pard": "\ue012", "intbl": "\ue013",
    "itap": "\ue014",
}  # fmt: skip
_SIGNS = re.compile("[\ue010-\ue01f]")
_LEVELS = 9
"""Signs of our own in the text: the end of a cell and of a row, and how deep the paragraph is in tables."""


def _with_table_marks(source: str) -> str:
    """Return a source with signs where cells and rows end, and where a paragraph says how deep in tables it is.

    The library parts cells by bars alone, and loses where they end if a cell has several paragraphs or a table.
    """

    def marked(found: re.Match[str]) -> str:
        word = found[1]
        if word is None:
            return found[0]
        sign = ord(_MARKS[word])
        if word == "itap":
            sign += min(max(int(found[2] or 1), 0), _LEVELS)
        kept = found[0] if word == "pard" else ""
        return f"{kept}{{\\uc1\\u{sign - 0x10000}?}}"

    source = replace_groups(source, _COPIES, lambda _: "")  # line ends for programs that know no nested tables
    return _TABLE_WORDS.sub(marked, _PROPERTIES.sub("{", source))


def _blocks(text: str) -> list[str | list[list[str]]]:
    """Return the paragraphs of a text with signs, and its tables as rows; rows of a table in a cell are lines of it."""
    out: list[str | list[list[str]]] = []
    cells: dict[int, list[str]] = {}
    rows: dict[int, list[str]] = {}
    table: list[list[str]] = []
    line = ""
    level = 0
    for part in re.split("([\ue010-\ue01f\n])", text):
        if part == "\ue012":
            level = 0
        elif part == "\ue013":
            level = max(level, 1)
        elif "\ue014" <= part <= "\ue01f":
            level = ord(part) - 0xE014
        elif part == "\ue010":
            deep = max(level, 1)
            if not level:  # no paragraph said that it is in a table
                cells.setdefault(1, []).append(line)
                line, level = "", 1
            rows.setdefault(deep, []).append("\n".join(filter(None, (one.strip() for one in cells.pop(deep, [])))))
        elif part == "\ue011":
            deep = max(level, 1)
            row = [*rows.pop(deep, [])]
            if deep > 1:
                around = max((one for one in cells if one < deep), default=1)
                cells.setdefault(around, []).extend((" | ".join(row), ""))
            elif row:
                table.append(row)
        elif part == "\n" and level:
            cells.setdefault(level, []).append("")
        elif level and part:
            held = cells.setdefault(level, [])
            held[-1:] = [(held[-1] if held else "") + part]
        elif part == "\n":
            out.append(line)
            line = ""
        elif part:
            if table and part.strip():
                out.append(table)
                table = []
            line += part
    rest = ["\n".join(cells[deep]) for deep in sorted(cells)]  # a table that ends within a row
    last = [[*rows.get(1, []), *rest]] if rows.get(1) or any(map(str.strip, rest)) else []
    return [*out, line, *([table + last] if table or last else [])]


_OPENING = re.compile(r"\{\\rtf\d* ?(?:\\[a-z]+-?\d* ?)*")
"""The words of control that a file begins with, which tell how its letters are written."""
_FORMULA = re.compile(r"\{\\mmath(?![a-zA-Z])")
_FORMULA_MARK = re.compile("\ue020(\\d{1,9})\ue021")


def _without_formulas(source: str, charset: str) -> tuple[str, list[str]]:
    """Return a source with marks in place of its formulas, which the library leaves out, and these as TeX."""
    formulas: list[str] = []

    def mark(formula: str) -> str:
        if not (tex := tex_of(formula, charset)):
            return ""
        formulas.append(tex)
        return f"{{\\uc1\\u-8160?{len(formulas) - 1}\\u-8159?}}"

    return replace_groups(source, _FORMULA, mark), formulas


def _listed(mark: re.Match[str], formulas: list[str]) -> str:
    """Return the formula of a mark; the mark itself if the source has it: it is none of ours."""
    number = int(mark[1])
    return formulas[number] if number < len(formulas) else mark[0]


def _metadata(source: str, charset: str) -> DraftMetadata:
    begin = source[:20_000]
    found = {}
    for name, stated in _INFO.items():
        value = next((text_of(one, charset) for _, _, one in groups(begin, stated)), "")
        found[name] = " ".join(value.split())
    day = _CREATED.search(begin)
    return DraftMetadata(
        title=found["title"] or None,
        authors=[name.strip() for name in found["author"].split(";") if name.strip()],
        publication_date=iso_date(f"{day[1]}-{int(day[2]):02d}-{int(day[3]):02d}") if day else None,
        extra={"subject": found["subject"]} if found["subject"] else {},
    )
