"""Tables of documents as rows and columns, for data frames, spreadsheets and web pages."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragraph.base.extras import needed
from ragraph.errors import IngestError
from ragraph.schema.results import Result

if TYPE_CHECKING:
    import pandas

    from ragraph.schema.results import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(Result):
    """A table of a document.

    Attributes:
        node: its node, with pages and boxes.
        caption: its caption; None if it has none.
        rows: the text of its cells without markup, from the top; rows may differ in length.
        header_rows: number of rows at the top that are heads of columns.
        spans: cells that span others: row and column from 0, number of rows, number of columns. The places they cover
            are empty in ``rows``.
    """

    node: Node
    caption: str | None
    rows: list[list[str]]
    header_rows: int
    spans: list[tuple[int, int, int, int]]
    _html: str = field(repr=False)

    def to_json(self) -> dict[str, Any]:
        """Return the table in the format that the command line prints, with its place and its HTML."""
        return {
            "document_id": self.node.document_id,
            "node_id": self.node.id,
            "caption": self.caption,
            "pages": self.pages,
            "boxes": self.node.positional_data,
            "rows": self.rows,
            "header_rows": self.header_rows,
            "spans": [list(span) for span in self.spans],
            "html": self._html,
        }

    @property
    def pages(self) -> list[int]:
        """Physical pages of the table from 1, ascending."""
        return sorted({place["page_pdf"] for place in self.node.positional_data if place.get("page_pdf")})

    @property
    def columns(self) -> list[tuple[str, ...]]:
        """Heads of each column, from the top; a head that spans columns or rows is that of each of them."""
        width = max(map(len, self.rows), default=0)
        heads = [[*row, *[""] * (width - len(row))] for row in self.rows[: self.header_rows]]
        for top, left, high, wide in self.spans:
            for row in range(top, min(top + high, self.header_rows)):
                for column in range(left, min(left + wide, width)):
                    heads[row][column] = heads[row][column] or heads[top][left]
        return [tuple(head[column] for head in heads) for column in range(width)]

    def to_csv(self) -> str:
        """Return all rows, heads included, as comma-separated values with line feeds (RFC 4180 but for these)."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(self.rows)
        return text.getvalue()

    def to_html(self) -> str:
        """Return the table as HTML, with heads and spans; the text of cells is escaped."""
        return self._html

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame of the rows below the heads; cells are text as printed.

        Its columns are named by their heads, by a ``MultiIndex`` if there are several rows of heads, and numbered if
        there is none.

        Raises:
            IngestError: pandas is not installed.
        """
        try:
            import pandas
        except ModuleNotFoundError as error:
            raise IngestError(needed("a data frame", error.name)) from error
        columns = self.columns
        body = [[*row, *[""] * (len(columns) - len(row))] for row in self.rows[self.header_rows :]]
        if self.header_rows > 1:
            return pandas.DataFrame(body, columns=pandas.MultiIndex.from_tuples(columns))
        return pandas.DataFrame(body, columns=[head for (head,) in columns] if self.header_rows else None)

    def _repr_html_(self) -> str:
        return self._html


def table_of(node: Node, row: dict[str, Any]) -> Table:
    """Return the table of a node from a row of ``tables_of_nodes``; spans that are none are left out."""
    rows = row["cells"] or []
    spans = [
        (span[0], span[1], span[2], span[3])
        for span in (row["spans"] if isinstance(row["spans"], list) else [])
        if isinstance(span, list) and len(span) == 4 and all(type(part) is int and part >= 0 for part in span)
    ]
    return Table(
        node=node,
        caption=row["caption"],
        rows=rows,
        header_rows=min(row["header_rows"], len(rows)),
        spans=[span for span in spans if span[0] < len(rows)],
        _html=row["html"] or "",
    )
