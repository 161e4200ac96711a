"""Alternative texts of pictures, and the names of embedded documents, in Office files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml import etree

    from ragraph.ingest.readers.docling.builder import DraftBuilder

FILE_NAME = re.compile(
    r"(?:[A-Za-z]:\\|https?://|/)?[^\s]*\.(?:png|jpe?g|gif|bmp|tiff?|svg|emf|wmf|webp)", re.IGNORECASE
)
"""An alternative text that is only the name of the picture's file, as programs write it."""

_HELD_IN = ("inline", "anchor", "pic", "graphicFrame", "sp", "shape")


def alternative_text(element: etree._Element) -> str:
    """Return the alternative text of the picture around an element; an empty string if it has none."""
    for holder in (element, *element.iterancestors()):
        if not isinstance(holder.tag, str) or holder.tag.rpartition("}")[2] not in _HELD_IN:
            continue
        for stated in (*holder.iterfind("{*}docPr"), *holder.iterfind(".//{*}cNvPr"), holder):
            words = (stated.get("descr") or stated.get("alt") or "").strip()
            if words and not FILE_NAME.fullmatch(words):
                return words
    return ""


def describe_pictures(backend: Any, found: dict[str, str]) -> None:
    """Make docling's backend for Word note the alternative text of each picture it adds.

    Args:
        backend: docling's backend, before it converts.
        found: gets the text by the reference of docling's picture.
    """

    def noted(name: str) -> None:
        take = getattr(backend, name)

        def handle(elements: Any, doc: Any) -> Any:
            references = take(elements, doc)
            for element, reference in zip(elements, references, strict=False):
                if words := alternative_text(element):
                    found[reference.cref] = words
            return references

        setattr(backend, name, handle)

    noted("_handle_pictures")
    noted("_handle_vml_pictures")
    chart = backend._handle_chart

    def handle_chart(doc: Any, chart_el: Any) -> Any:
        reference = chart(doc=doc, chart_el=chart_el)
        if reference is not None and (words := alternative_text(next(iter(chart_el.iter("{*}inline", "{*}anchor"))))):
            found[reference.cref] = words
        return reference

    backend._handle_chart = handle_chart


def describe_shapes(backend: Any, found: dict[str, str]) -> None:
    """Make docling's backend for PowerPoint note the alternative text of each picture, chart and table it adds.

    Args:
        backend: docling's backend, before it converts.
        found: gets the text by the reference of docling's item.
    """

    def noted(name: str, kind: str) -> None:
        take = getattr(backend, name)

        def handle(shape: Any, parent: Any, slide: int, doc: Any, *more: Any, **named: Any) -> Any:
            before = len(getattr(doc, kind))
            result = take(shape, parent, slide, doc, *more, **named)
            stated = shape._element.find(".//{*}cNvPr")
            words = (stated.get("descr") or "").strip() if stated is not None else ""
            if words and not FILE_NAME.fullmatch(words):
                found.update({item.self_ref: words for item in getattr(doc, kind)[before:]})
            return result

        setattr(backend, name, handle)

    noted("_handle_pictures", "pictures")
    noted("_handle_chart", "pictures")
    noted("_handle_tables", "tables")


def list_embedded(builder: DraftBuilder, names: Iterable[str]) -> None:
    """Add the list of embedded documents, and a warning that they were not read."""
    names = list(names)
    if not names:
        return
    container = builder.container("embedded", ComponentType.LIST, "Embedded documents")
    for place, name in enumerate(names):
        builder.node(f"embedded/{place}", ContentNodeType.LIST_ITEM, name, container=container)
    shown = ", ".join(names[:20]) + (" ..." if len(names) > 20 else "")
    builder.warnings.append(f"embedded documents are listed, not read: {shown}; save them as files to ingest them")
