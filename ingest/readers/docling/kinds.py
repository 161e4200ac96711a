"""What the labels and groups of docling are in the model."""

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
"""Labels of docling that are not paragraphs; headings and titles are decided by the document as a whole."""

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
"""Groups of docling that are containers; others only hold together what the headings hold together as well."""

PAGE_NUMBER = re.compile(
    r"\W*(?:page|p\.|seite|página)?\s*(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:of|/|von|de)\s*\d{1,4})?\W*", re.IGNORECASE
)
"""A page number, with or without the words around it."""


def layer_of(item: Any) -> dict[str, Any]:
    """Return what a node's data says of an item that is not plainly visible."""
    layer = item.content_layer.value
    return {"layer": layer} if layer in {"background", "invisible"} else {}


def description_of(item: Any) -> str | None:
    """Return the description of a table or picture in words, None if docling has none."""
    meta = getattr(item, "meta", None)
    if meta is not None and getattr(meta, "description", None):
        return str(meta.description.text)
    notes = [note.text for note in getattr(item, "annotations", []) if getattr(note, "kind", "") == "description"]
    return "\n".join(notes) or None


def is_footnote(item: Any) -> bool:
    """Tell whether docling calls an item a footnote; for ``skip`` of ``convert``."""
    return bool(item.label.value == "footnote")
