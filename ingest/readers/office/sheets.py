"""Sheets: XLSX and CSV. Each sheet is a section, its cells are tables of a size that can be searched."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Any

from ragraph.ingest.draft import DraftPage, Position
from ragraph.ingest.readers.docling.builder import DraftBuilder
from ragraph.ingest.readers.docling.document import convert
from ragraph.ingest.readers.docling.run import damaged, not_empty, run_docling
from ragraph.ingest.readers.office.package import Package
from ragraph.ingest.readers.text.plain import decode
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions

_MANY_CELLS = 200_000
"""Above this docling, which looks for islands of cells, takes minutes; rows are then taken as they stand."""

_NUMBER = re.compile(r"[-+(]?[\d.,\s%$€£]+\)?|\d{4}-\d\d-\d\d.*")


class XlsxReader:
    """Excel workbooks; values are those that Excel stored, formulas are not computed. Pages are sheets."""

    name = "xlsx"
    version = 1

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the workbook; raises as ``Reader.read``."""
        package = Package(path)
        builder = DraftBuilder(f"{self.name}/{self.version}")
        builder.metadata = package.metadata()
        if _cells(path) > _MANY_CELLS:
            _plain_rows(path, builder, options.table_rows)
        else:
            convert(run_docling(path, "xlsx"), builder, table_rows=options.table_rows, sheet_headings=True)
        return not_empty(builder.draft())


class CsvReader:
    """Comma, semicolon or tab separated values: one table, split into parts if it is long."""

    name = "csv"
    version = 1

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the table; raises as ``Reader.read``."""
        source = decode(path, options.charset)
        sample = source[:65536]
        try:
            dialect: Any = csv.Sniffer().sniff(sample, delimiters=",;\t|")
        except csv.Error:
            dialect = csv.excel_tab if path.suffix.lower() == ".tsv" else csv.excel
        csv.field_size_limit(max(len(source), 1 << 17))
        try:
            rows = [
                row
                for row in csv.reader(source.splitlines(keepends=True), dialect)
                if any(cell.strip() for cell in row)
            ]
        except csv.Error as error:
            raise damaged(error) from error
        builder = DraftBuilder(f"{self.name}/{self.version}")
        builder.table("table", squared(rows), header_rows=header_rows(rows), limit=options.table_rows)
        return not_empty(builder.draft())


def squared(rows: list[list[str]]) -> list[list[str]]:
    """Return rows filled up to the same number of cells."""
    width = max((len(row) for row in rows), default=0)
    return [row + [""] * (width - len(row)) for row in rows]


def header_rows(rows: list[list[str]]) -> int:
    """Return 1 if the first row names the columns: all cells filled, none a number, and rows below it."""
    first = [cell.strip() for cell in rows[0]] if rows else []
    return int(len(rows) > 1 and all(first) and not any(_NUMBER.fullmatch(cell) for cell in first))


def _cells(path: Path) -> int:
    """Return how many cells the sheets say they have, from the first bytes of each."""
    import zipfile

    total = 0
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if re.fullmatch(r"xl/worksheets/[^/]+\.xml", member.filename):
                    with archive.open(member) as sheet:
                        found = re.search(rb'<dimension ref="[A-Z]+(\d+):([A-Z]+)(\d+)"', sheet.read(4096))
                    if found:
                        width = 0
                        for letter in found[2]:
                            width = width * 26 + letter - 64
                        total += (int(found[3]) - int(found[1]) + 1) * width
                    else:
                        total += member.file_size // 40
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError) as error:
        raise damaged(error) from error
    return total


def _plain_rows(path: Path, builder: DraftBuilder, limit: int) -> None:
    """Take every row of every sheet, without merged cells, pictures and charts."""
    from openpyxl import load_workbook

    try:
        book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
        for number, sheet in enumerate(book.worksheets, 1):
            key = builder.container(f"sheet/{number}", ComponentType.SECTION, sheet.title)
            builder.pages.append(DraftPage(page_pdf=number))
            places = [Position(page_pdf=number)]
            builder.node(
                f"sheet/{number}/name", ContentNodeType.HEADING, sheet.title, level=1, container=key, positions=places
            )
            rows = [row for row in (_values(cells) for cells in sheet.iter_rows(values_only=True)) if any(row)]
            builder.table(
                f"sheet/{number}/table",
                squared(rows),
                header_rows=header_rows(rows),
                limit=limit,
                container=key,
                positions=places,
            )
        book.close()
    except (ValueError, KeyError, OSError, TypeError, EOFError) as error:
        raise damaged(error) from error
    builder.warnings.append("large workbook: merged cells, pictures and charts were not read")


def _values(cells: Iterable[Any]) -> list[str]:
    return ["" if value is None else str(value) for value in cells]
