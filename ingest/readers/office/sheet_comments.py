"""Comments on the cells of a workbook, with the threads of newer programs."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from ragraph.ingest.readers.office.sheet_parts import worksheets

if TYPE_CHECKING:
    from ragraph.ingest.readers.office.package import Package

_THREADED = "tc={"
"""Beginning of the author of a comment that holds a copy of a thread, for older programs."""


def add_comments(backend: Any, package: Package) -> None:
    """Let docling's backend for workbooks find the comments on all cells, before it converts.

    It looks only between the outermost cells with content, and finds no threads in a stream.
    """
    find = backend._find_data_tables
    threads = dict(zip(map(id, backend.workbook.worksheets), _threads(package), strict=False))

    def found(sheet: Any) -> Any:
        tables, _ = find(sheet)
        comments = {}
        for (row, column), cell in sorted(sheet._cells.items()):
            if cell.comment is None:
                continue
            author, text = cell.comment.author or "", (cell.comment.text or "").strip()
            is_copy = author.startswith(_THREADED)
            thread = threads.get(id(sheet), {}).get(cell.coordinate) if is_copy else None
            said = thread or [("" if is_copy else author, text)]
            comments[row - 1, column - 1] = [(name, words, None) for name, words in said if words]
        return tables, {place: said for place, said in comments.items() if said}

    backend._find_data_tables = found


def _threads(package: Package) -> list[dict[str, list[tuple[str, str]]]]:
    """Return, for each worksheet, the authors and texts of the threads by their cell ("B7")."""
    people = {}
    for name in package.names:
        root = package.xml(name) if name.startswith("xl/persons/") and name.endswith(".xml") else None
        for person in root.iter("{*}person") if root is not None else ():
            people[person.get("id", "")] = person.get("displayName", "")
    found = []
    for name in worksheets(package):
        threads: dict[str, list[tuple[str, str]]] = {}
        for kind, target in package.relationships(name).values():
            part = posixpath.normpath(posixpath.join(posixpath.dirname(name), target)).lstrip("/")
            root = package.xml(part) if kind == "threadedComment" else None
            for comment in root.iter("{*}threadedComment") if root is not None else ():
                said = people.get(comment.get("personId", ""), ""), (comment.findtext("{*}text") or "").strip()
                threads.setdefault(comment.get("ref", ""), []).append(said)
        found.append(threads)
    return found
