"""Types of the model for the labels and groups of docling."""

from __future__ import annotations

import re
from typing import Any

from ragraph.schema.enums import ComponentType, ContentNodeType

TEXT_TYPES = {
    "caption": ContentNodeType.CAPTION,
    "footnote": ContentNodeType.NOTE,
    "formula": ContentNodeType.FORMULA,
    "code": ContentNodeType.CODE,
    "list_item": ContentNodeType.LIST_ITEM,
    "reference": ContentNodeType.BIBLIOGRAPHIC_ENTRY,
    "field_heading": ContentNodeType.SUBHEADING,
}
"""Labels of docling that are not paragraphs; headings and titles depend on the whole document."""

GROUPS = {
    "list": ComponentType.LIST,
    "ordered_list": ComponentType.LIST,
    "chapter": ComponentType.SECTION,
    "slide": ComponentType.SECTION,
    "sheet": ComponentType.SECTION,
    "form_area": ComponentType.CONTAINER,
    "key_value_area": ComponentType.CONTAINER,
    "picture_area": ComponentType.CONTAINER,
    "comment_section": ComponentType.NOTES_SECTION,
}
"""Groups of docling that are containers; other groups only repeat the structure of the headings."""

PAGE_NUMBER = re.compile(
    r"\W*(?:page|p\.|seite|página)?\s*(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:of|/|von|de)\s*\d{1,4})?\W*", re.IGNORECASE
)
"""A page number, with or without the words around it."""


def layer_of(item: Any) -> dict[str, Any]:
    """Return the data of a node for an item that is not normally visible."""
    layer = item.content_layer.value
    return {"layer": layer} if layer in {"background", "invisible"} else {}


def description_of(item: Any) -> str | None:
    """Return the description of a table or picture in words, or None if docling has none."""
    meta = getattr(item, "meta", None)
    if meta is not None and getattr(meta, "description", None):
        return str(meta.description.text)
    notes = [note.text for note in getattr(item, "annotations", []) if getattr(note, "kind", "") == "description"]
    return "\n".join(notes) or None


def is_footnote(item: Any) -> bool:
    """Return True if docling labels an item as a footnote; for ``skip`` of ``convert``."""
    return bool(item.label.value == "footnote")
