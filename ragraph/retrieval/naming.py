"""Find sections by title or number."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row

from ragraph.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragraph.database.runner import Rows


def component_named(rows: Rows, document: str, section: str) -> str:
    """Return the id of a component by its id, its title, or the number at the beginning of its title.

    Of several it is the outermost: "Methods" are those of the article and not those of its abstract. An unknown name is
    returned unchanged, so that the database reports what is missing.

    Raises:
        ArgumentError: several sections of the same depth have this name.
    """
    return components_named(rows, [document], [section])[0]


def components_named(rows: Rows, documents: Sequence[str], sections: Sequence[str]) -> list[str]:
    """Return the ids of components by name: for each name, the outermost of each document that has it.

    A name that no document has is returned unchanged.

    Raises:
        ArgumentError: several sections of a document have this name and the same depth.
    """
    parameters = {"document_ids": list(documents), "sections": list(sections)}
    matches = rows("components_named", dict_row, parameters)
    found: dict[str, list[str]] = {section: [] for section in sections}
    for (section, document), group in groupby(matches, key=lambda match: (match["section"], match["document_id"])):
        named = list(group)
        best = [match["id"] for match in named if _order(match) == _order(named[0])]
        if len(best) > 1:
            ids = ", ".join(best[:5])
            raise ArgumentError(f"{section!r} names {len(best)} sections of {document!r}; use one of {ids}")
        found[section].append(named[0]["id"])
    return [component for section, ids in found.items() for component in ids or [section]]


def _order(match: Mapping[str, Any]) -> tuple[int, int]:
    """Return how well the name fits, 0 best, and the depth of the component, 0 outermost."""
    return int(match["quality"]), int(match["nesting"])
