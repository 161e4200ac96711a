"""Sheets: XLSX and CSV. Each sheet is a section, its cells are tables of a size that can be searched."""

from __future__ import annotations

import csv
import re
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from ragraph.ingest.common.charset import decode_file
from ragraph.ingest.common.unseen import leave_out
from ragraph.ingest.draft import DraftPage, Position
from ragraph.ingest.readers.docling.builder import DraftBuilder
from ragraph.ingest.readers.docling.document import convert
from ragraph.ingest.readers.docling.marks import Marks
from ragraph.ingest.readers.docling.run import damaged, not_empty, run_docling
from ragraph.ingest.readers.office.displayed import EAST_ASIAN_DATES, displayed
from ragraph.ingest.readers.office.package import Package
from ragraph.ingest.readers.office.sheet_comments import add_comments
from ragraph.ingest.readers.office.sheet_groups import header_rows, parted, squared
from ragraph.ingest.readers.office.sheet_islands import join_tables
from ragraph.ingest.readers.office.sheet_parts import (
    add_running,
    add_shapes,
    sheet_names,
    unsaved_formulas,
    with_scripts,
)
from ragraph.ingest.readers.office.sheet_unseen import (
    CellStyles,
    HiddenParts,
    hidden_lines,
    hidden_parts,
    leave_out_hidden,
    stated_parts,
)
from ragraph.ingest.readers.office.symbols import shown_in
from ragraph.ingest.readers.office.theme import Theme
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from typing import IO

    from docling_core.types.doc import DoclingDocument

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions

_MANY_CELLS = 200_000
"""Cells above which docling, which looks for islands of cells, takes minutes; rows are then read one by one."""

_SPARSE = 20
"""Places per filled cell above which a sheet counts as sparse."""

_PLACE = re.compile(rb'<(?:\w+:)?c\s[^>]*?\br="([A-Z]{1,3})(\d{1,7})"')


class XlsxReader:
    """Excel workbooks; values are those that Excel stored, as it shows them, nothing is computed. Pages are sheets."""

    name = "xlsx"
    version = 10

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the workbook; raises the errors of ``Reader.read``."""
        package = Package(path)
        content = package.transitional()
        if content is None and (changed := {**package.lost_pictures(), **with_scripts(package)}):
            content = package.replaced(changed)
        builder = DraftBuilder(f"{self.name}/{self.version}", Marks(_letters(package)))
        builder.metadata = package.metadata()
        if _cells(path) > _MANY_CELLS:
            _plain_rows(path if content is None else BytesIO(content), package, builder, options)
        else:
            from docling.datamodel.backend_options import MsExcelBackendOptions

            hidden: list[HiddenParts] = []
            titles: list[range] = []
            styles = CellStyles(Theme.of(package))
            formulas = unsaved_formulas(package)

            def prepare(backend: Any) -> None:
                sheets = backend.workbook.worksheets
                hidden.extend(
                    HiddenParts(*hidden_lines(sheet)) if options.hidden else hidden_parts(sheet, styles)
                    for sheet in sheets
                )
                titles.extend(map(_title_rows, sheets))
                _show(backend, builder.marks, formulas)
                add_comments(backend, package)
                join_tables(backend)

            lone = MsExcelBackendOptions(treat_singleton_as_text=True)
            document = run_docling(path, "xlsx", content, lone, prepare)
            _state_heads(document, titles)
            if not options.hidden:
                leave_out_hidden(document, hidden)
            convert(document, builder, table_rows=options.table_rows, sheet_headings=True)
            if options.hidden:
                _mark_hidden(document, builder, hidden)
            if formulas:
                builder.warnings.append("formulas without a stored value are shown as formulas: open and save the file")
        add_shapes(package, builder, hidden=options.hidden)
        add_running(package, builder, hidden=options.hidden)
        return not_empty(builder.draft())


def _letters(package: Package) -> str:
    """Return the shared texts of a workbook, for letters that must not become marks."""
    root = package.xml("xl/sharedStrings.xml")
    return "" if root is None else str(root.xpath("string()"))


def _show(backend: Any, marks: Marks, formulas: dict[tuple[int, str], str]) -> None:
    """Replace the cells of docling's workbook by what they show, before docling reads them."""
    for number, sheet in enumerate(backend.workbook.worksheets):
        for cell in list(sheet._cells.values()):
            if cell.value is None and (formula := formulas.get((number, cell.coordinate))):
                cell.value = formula
            if cell.value is not None:
                cell.value = _shown(cell, cell._style)
            if cell.value and cell.hyperlink is not None and cell.hyperlink.target:
                cell.value = marks.around(str(cell.value), "link", cell.hyperlink.target)


def _title_rows(sheet: Any) -> range:
    """Return the rows of a sheet, from 0, that are printed above each of its pages."""
    first, _, last = (sheet.print_title_rows or "").replace("$", "").partition(":")
    return range(int(first) - 1, int(last)) if first.isdecimal() and last.isdecimal() else range(0)


def _state_heads(document: DoclingDocument, titles: list[range]) -> None:
    """Make the rows of a table that are printed above each page its header."""
    for table in document.tables:
        for place in table.prov[:1]:
            rows = titles[place.page_no - 1] if place.page_no <= len(titles) else range(0)
            top, height = int(place.bbox.t), table.data.num_rows
            if not rows.start <= top < rows.stop < top + height:
                continue  # it has other rows, or no others
            for cell in table.data.table_cells:
                cell.column_header = top + cell.end_row_offset_idx <= rows.stop


def _mark_hidden(document: DoclingDocument, builder: DraftBuilder, hidden: list[HiddenParts]) -> None:
    """Name the hidden rows and columns in the data of each table, as the sheet numbers them."""
    from openpyxl.utils import get_column_letter

    found: dict[str, dict[str, Any]] = {}
    for item in (*document.tables, *document.texts):
        for place in item.prov:
            if place.page_no > len(hidden):
                continue
            rows = [row for row in range(int(place.bbox.t), int(place.bbox.b)) if row in hidden[place.page_no - 1].rows]
            columns = range(int(place.bbox.l), int(place.bbox.r))
            unseen = [column for column in columns if column in hidden[place.page_no - 1].columns]
            data: dict[str, Any] = {}
            if len(unseen) == len(columns) or len(rows) == int(place.bbox.b) - int(place.bbox.t):
                data["layer"] = "invisible"
            if unseen:
                data["hidden_columns"] = [get_column_letter(column + 1) for column in unseen]
            if rows:
                data["hidden_rows"] = [row + 1 for row in rows]
            if data:
                found[item.self_ref] = data
    for index, node in enumerate(builder.nodes):
        if data := found.get(node.key, {}):
            builder.nodes[index] = node.model_copy(update={"data": node.data | data})


def _shown(cell: Any, style: Any) -> str:
    """Return what a filled cell shows, in the number format of its style."""
    value = cell.value
    if isinstance(value, str):
        font = cell.parent.parent._fonts[style.fontId].name if style else None
        value = shown_in(font or "", _with_controls(value))
    if isinstance(value, int | float) and style and style.numFmtId in EAST_ASIAN_DATES:
        return displayed(_from_serial(value, cell.parent.parent.epoch), "")
    return displayed(value, cell.number_format)


def _with_controls(text: str) -> str:
    """Return a text with the control characters that Excel writes as ``_x000D_``, and its ``_x005F_`` as underscores.

    openpyxl leaves them as they are, but for the last in shared texts; other codes are then letters of the text.
    """
    return re.sub("_x(00[01][0-9A-Fa-f]|005[Ff])_", lambda code: chr(int(code[1], 16)), text)


def _from_serial(value: float, epoch: Any) -> object:
    """Return the date or time of a number, or the number if it has none."""
    from openpyxl.utils.datetime import from_excel

    try:
        return value if isinstance(value, bool) else from_excel(value, epoch)
    except (ValueError, OverflowError):
        return value


class CsvReader:
    """Comma, semicolon or tab separated values: a table, split into parts if it is long.

    Lines above and below it are text if blank rows part them from a row that names the columns. Rows behind a blank
    one with names of their own are another table.
    """

    name = "csv"
    version = 6

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the table; raises the errors of ``Reader.read``."""
        source = decode_file(path, options.charset)
        stated = _STATED.match(source)
        source = source[stated.end() :] if stated else source
        sample = source[:65536]
        try:
            dialect: Any = _separated_by(stated[1]) if stated else csv.Sniffer().sniff(sample, delimiters=",;\t|")
        except csv.Error:
            dialect = csv.excel_tab if path.suffix.lower() == ".tsv" else _separated_by(_most_used(sample))
        csv.field_size_limit(max(len(source), 1 << 17))
        try:
            rows = squared(list(csv.reader(source.splitlines(keepends=True), dialect)))
        except csv.Error as error:
            raise damaged(error) from error
        builder = DraftBuilder(f"{self.name}/{self.version}")
        for block in parted(rows):
            if isinstance(block, str):
                builder.node("line", ContentNodeType.PARAGRAPH, block)
            else:
                builder.table("table", block, header_rows=header_rows(block), limit=options.table_rows)
        return not_empty(builder.draft())


_STATED = re.compile(r"\ufeff?\"?sep=(.)\"?[ \t]*\r?\n", re.IGNORECASE)
"""First line by which Excel states the separator; it is no row."""


def _most_used(sample: str) -> str:
    """Return the separator that most lines have; of several the one that text has least."""
    lines = sample.splitlines()
    return max("\t|;,", key=lambda sign: sum(sign in line for line in lines)) if any(map(str.strip, lines)) else ","


def _separated_by(separator: str) -> type[csv.Dialect]:
    """Return the dialect of Excel with another separator."""
    return type("Stated", (csv.excel,), {"delimiter": separator})


def _cells(path: Path) -> int:
    """Return the number of cells of the sheets up to their last row and column, or some number above ``_MANY_CELLS``.

    It is read from the cells, because the stated size of a sheet may be wrong.
    """
    import zipfile

    total = 0
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if re.fullmatch(r"xl/worksheets/[^/]+\.xml", member.filename):
                    with archive.open(member) as sheet:
                        total += _span(sheet) or member.file_size // 40
                if total > _MANY_CELLS:
                    break
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError) as error:
        raise damaged(error) from error
    return total


def _span(sheet: IO[bytes]) -> int:
    """Return rows times columns up to the last cell of a sheet; 0 if its cells do not state their place."""
    last_row = last_column = 0
    rest = b""
    while chunk := sheet.read(1 << 20):
        text = rest + chunk
        for found in _PLACE.finditer(text):
            column = 0
            for letter in found[1]:
                column = column * 26 + letter - 64
            last_row, last_column = max(last_row, int(found[2])), max(last_column, column)
        if last_row * last_column > _MANY_CELLS:
            break
        rest = text[text.rfind(b"<") :][:1000]
    return last_row * last_column


def _plain_rows(path: Path | BytesIO, package: Package, builder: DraftBuilder, options: ReadOptions) -> None:
    """Read every row of every sheet, without merged cells, pictures and charts."""
    from openpyxl import load_workbook

    try:
        book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
        styles = CellStyles(Theme.of(package))
        parts = [name for name in sheet_names(package) if "worksheets/" in name]
        for number, sheet in enumerate(book.worksheets, 1):
            looks = None
            if not options.hidden:
                if sheet.sheet_state != "visible":
                    leave_out(sheet.title)
                    for cells in sheet.iter_rows(values_only=True):
                        leave_out(" ".join(str(value) for value in cells if value is not None))
                    continue
                looks = _Looks(styles, *stated_parts(package.read(parts[number - 1])))
            key = builder.container(f"sheet/{number}", ComponentType.SECTION, sheet.title)
            builder.pages.append(DraftPage(page_pdf=number))
            places = [Position(page_pdf=number)]
            builder.node(
                f"sheet/{number}/name", ContentNodeType.HEADING, sheet.title, level=1, container=key, positions=places
            )
            # the stated size of the sheet would extend every row to its width
            sheet.reset_dimensions()
            lines = (_values(place, cells, looks) for place, cells in enumerate(sheet.iter_rows()))
            rows = _rows([cells for cells in lines if cells])
            builder.table(
                f"sheet/{number}/table",
                rows,
                header_rows=header_rows(rows),
                limit=options.table_rows,
                container=key,
                positions=places,
            )
        book.close()
    except (ValueError, KeyError, OSError, TypeError, EOFError) as error:
        raise damaged(error) from error
    builder.warnings.append("large workbook: merged cells, pictures and charts were not read")


class _Looks(NamedTuple):
    """What is hidden on a large sheet; ``styled`` if a table or a condition may change its backgrounds."""

    styles: CellStyles
    hidden: HiddenParts
    styled: bool

    def hides(self, row: int, column: int, cell: Any) -> bool:
        """Return True if nobody sees a cell."""
        if self.hidden.hides(row, column):
            return True
        return self.styles.shows_nothing(cell, cell._style_id, styled=self.styled)


def _values(row: int, cells: Iterable[Any], looks: _Looks | None) -> dict[int, str]:
    """Return the filled cells of a row that are seen, by column from 0."""
    texts = {}
    for place, cell in enumerate(cells):
        if cell.value is None or not (text := _shown(cell, cell.style_array)):
            continue
        if looks is not None and looks.hides(row, place, cell):
            leave_out(text)
        else:
            texts[place] = text
    return texts


def _rows(cells: list[dict[int, str]]) -> list[list[str]]:
    """Return rows of the same length; if most cells would be empty, without the empty columns."""
    columns: Sequence[int] = range(max((max(row) for row in cells), default=-1) + 1)
    held = sum(map(len, cells))
    if len(cells) * len(columns) > _SPARSE * held:
        columns = sorted({place for row in cells for place in row})
    if len(cells) * len(columns) > max(_SPARSE * held, _MANY_CELLS):  # a diagonal, for example
        return [[value for _, value in sorted(row.items())] for row in cells]
    return [[row.get(place, "") for place in columns] for row in cells]
