"""What people call things, looked up: a section by its title or number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg.rows import dict_row

from ragraph.arguments import check
from ragraph.errors import ArgumentError

if TYPE_CHECKING:
    from ragraph.runner import Rows


def component_named(rows: Rows, document: str, section: str) -> str:
    """Return the id of a component named by id, by title, or by the number its title starts with.

    What names none is returned as it is: the database says what is missing.

    Raises:
        ArgumentError: several sections have this name.
    """
    check(document=document, section=section)
    matches = rows("find_component", dict_row, {"document_id": document, "section": section})
    if not matches:
        return section
    if len(matches) > 1 and matches[0]["quality"] == matches[1]["quality"]:
        ids = ", ".join(match["id"] for match in matches[:5])
        raise ArgumentError(f"{section!r} names {len(matches)} sections of {document!r}; give one of {ids}")
    component: str = matches[0]["id"]
    return component
