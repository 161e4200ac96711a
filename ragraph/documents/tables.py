"""Tables of documents as rows and columns: made from rows of the database, and turned into data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragraph.base.extras import needed
from ragraph.errors import IngestError
from ragraph.schema.results import Table

if TYPE_CHECKING:
    import pandas

    from ragraph.schema.results import Node


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


def frame_of(table: Table) -> pandas.DataFrame:
    """Return a table as a data frame; see ``Table.to_pandas``.

    Raises:
        IngestError: pandas is not installed.
    """
    try:
        import pandas
    except ModuleNotFoundError as error:
        raise IngestError(needed("a data frame", error.name)) from error
    columns = table.columns
    body = table.filled_rows[table.header_rows :]
    if table.header_rows > 1:
        return pandas.DataFrame(body, columns=pandas.MultiIndex.from_tuples(columns))
    return pandas.DataFrame(body, columns=[head for (head,) in columns] if table.header_rows else None)
