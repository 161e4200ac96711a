"""Inline Markdown as text with marks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from ragraph.base.hyphens import without_breaks

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

    from ragraph.ingest.readers.docling.builder import DraftBuilder

_STYLES = {"strong": "bold", "em": "italic"}
_CITATION = re.compile(r"\[(?:[^\[\]@]{0,40}\s)?-?@([\w][\w:.#$%&+?<>~/-]*\w)[^\[\]]*\]")
_PLACE = re.compile(r"<(?:a|span)\s[^>]*?(?:id|name)=[\"']([^\"']+)", re.IGNORECASE)


def slug(text: str) -> str:
    """Return the anchor that renderers of Markdown give a heading."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", text.lower()).strip())


class InlineReader:
    """Reads inline content; collects images and displayed formulas until ``take`` is called."""

    def __init__(self, builder: DraftBuilder, footnotes: dict[str, Any]) -> None:
        self.marks = builder.marks
        self.footnotes = footnotes
        self.numbers: dict[str, str] = {}  # label of a note -> printed number
        self.images: list[dict[str, str]] = []
        self.formulas: list[str] = []

    def take(self) -> tuple[list[dict[str, str]], list[str]]:
        """Return images (source, alt, title) and formulas since the last call."""
        found = self.images, self.formulas
        self.images, self.formulas = [], []
        return found

    def text(self, node: SyntaxTreeNode) -> str:
        """Return the text of a block with one inline child, or of an inline node."""
        pieces = [self._piece(child) for child in node.children]
        for place, child in enumerate(node.children[1:-1], 1):
            if child.type == "softbreak" and not without_breaks(
                f"{pieces[place - 1][-1:]}\n{pieces[place + 1][:1]}"
            ).count("\n"):
                pieces[place] = ""
        return "".join(pieces)

    def _piece(self, node: SyntaxTreeNode) -> str:
        kind = node.type
        put = self.marks.put
        if kind == "text":
            return _CITATION.sub(lambda found: self.marks.around(found[0], "cite", found[1]), node.content)
        if kind in _STYLES:
            return self.marks.around(self.text(node), _STYLES[kind])
        if kind == "code_inline":
            return self.marks.around(node.content, "code")
        if kind == "link":
            address = str(node.attrs.get("href", ""))
            text = self.text(node)
            if address.startswith("#"):
                return self.marks.around(text, "ref", unquote(address[1:]))
            return text if self.marks.strip(text) == "" else self.marks.around(text, "link", address)
        if kind == "image":
            self.images.append(
                {
                    "source": str(node.attrs.get("src", "")),
                    "alt": node.content,
                    "title": str(node.attrs.get("title", "")),
                }
            )
            return ""
        if kind == "softbreak":
            return " "
        if kind == "hardbreak":
            return "\n"
        if kind == "math_inline":
            return self.marks.around(node.content, "math")
        if kind == "math_inline_double":
            self.formulas.append(node.content)
            return ""
        if kind == "footnote_ref":
            label = str(node.meta["label"]) if node.meta.get("label") else f"inline-{node.meta['id']}"
            return put("note", f"note:{label}", self._number(label))
        if kind == "footnote_anchor":
            return ""
        if kind == "html_inline":
            if re.match(r"<br\s*/?>", node.content, re.IGNORECASE):
                return "\n"
            place = _PLACE.match(node.content)
            return put("anchor", place[1]) if place else ""
        if node.children:
            return self.text(node)
        return node.content or ""

    def _number(self, label: str) -> str:
        """Return the printed number of a note: its label if that is a number, else its place among the references."""
        if label not in self.numbers:
            self.numbers[label] = label if label.isdigit() else str(len(self.numbers) + 1)
        return self.numbers[label]
