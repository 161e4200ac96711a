"""LaTeX: docling reads the blocks; notes, labels, references, citations and links come from the source itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ragraph.ingest.readers.docling.builder import DraftBuilder
from ragraph.ingest.readers.docling.document import convert
from ragraph.ingest.readers.docling.marks import Marks
from ragraph.ingest.readers.docling.run import not_empty, run_docling
from ragraph.ingest.readers.text.latex_marks import LatexMarker
from ragraph.ingest.readers.text.plain import decode
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft, DraftNode
    from ragraph.ingest.readers import ReadOptions

_INCLUDED = re.compile(r"^[^%\n]*\\(?:input|include|subfile)\s*\{([^{}]+)\}", re.MULTILINE)
_KEY = re.compile(r"\[([^\[\]]+)\]\s*")


class LatexReader:
    """LaTeX sources, one file each: files that it includes and bibliographies in BibTeX are not read."""

    name = "latex"
    version = 1

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the source; raises as ``Reader.read``."""
        source = decode(path, options.charset)
        marks = Marks(source)
        marker = LatexMarker(marks)
        builder = DraftBuilder(f"{self.name}/{self.version}", marks)
        document = run_docling(path, "latex", marker.mark(source).encode())
        convert(document, builder, table_rows=options.table_rows, skip=_is_command)
        for index, node in enumerate(builder.nodes):
            key = _KEY.match(node.text) if node.type is ContentNodeType.BIBLIOGRAPHIC_ENTRY else None
            if key is not None:
                update = {"marker": f"[{key[1]}]", "text": node.text[key.end() :]}
                builder.nodes[index] = node.model_copy(update=update)
        notes: list[DraftNode] = []
        for note in marker.notes:
            text = _plain(note.source)
            notes += builder.aside(note.anchor, ContentNodeType.NOTE, text, marker=note.label, anchors=[note.anchor])
        builder.place_notes(notes)
        for name in dict.fromkeys(_INCLUDED.findall(source)):
            builder.warnings.append(f"the file {name.strip()} that it includes was not read")
        return not_empty(builder.draft())


def _is_command(item: Any) -> bool:
    """Commands of the preamble are no text of the document."""
    return bool(item.content_layer.value == "furniture")


def _plain(source: str) -> str:
    """Return the text of a piece of LaTeX, formulas as they are."""
    from pylatexenc.latex2text import LatexNodes2Text

    text = LatexNodes2Text(math_mode="verbatim", keep_comments=False).latex_to_text(source)
    return re.sub(r"\s+", " ", text).strip()
