"""Notes of Markdown as lines: paragraphs, lists and quotations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

    from ragraph.ingest.readers.text.markdown_inline import InlineReader


def note_lines(node: SyntaxTreeNode, inline: InlineReader, indent: str = "") -> list[str] | None:
    """Return a block of a note as lines; None if it must be a node of its own.

    Args:
        node: the block.
        inline: the reader of running text.
        indent: space before the lines of an item of a list.
    """
    if node.type == "paragraph":
        text = inline.text(node)
        return None if any(inline.take()) else [indent + text]
    parts: list[list[str] | None] = []
    if node.type == "blockquote":
        parts = [note_lines(child, inline, indent) for child in node.children]
    elif node.type in ("bullet_list", "ordered_list"):
        parts = [_item(item, place, node, inline, indent) for place, item in enumerate(node.children)]
    else:
        return None
    return _whole(parts)


def _item(
    item: SyntaxTreeNode, place: int, around: SyntaxTreeNode, inline: InlineReader, indent: str
) -> list[str] | None:
    """Return an item of a list in a note as lines."""
    number = int(around.attrs.get("start", 1)) + place
    mark = f"{number}{item.markup or '.'} " if around.type == "ordered_list" else "- "
    found = _whole([note_lines(child, inline, indent + " " * len(mark)) for child in item.children])
    return found and [f"{indent}{mark}{found[0].strip()}", *found[1:]]


def _whole(parts: list[list[str] | None]) -> list[str] | None:
    """Return the lines of all parts; None if one has none."""
    lines: list[str] = []
    for part in parts:
        if part is None:
            return None
        lines += part
    return lines
