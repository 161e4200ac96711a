"""Source code: the file as CODE, in pieces that end between its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.common.charset import decode_file
from ragraph.ingest.draft import DraftMetadata
from ragraph.ingest.readers.docling.builder import DraftBuilder
from ragraph.ingest.readers.docling.run import not_empty
from ragraph.ingest.readers.languages import LANGUAGES
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions

_LINES = 120
"""Lines from which a piece ends before the next part that begins at the margin."""

_MOST_LINES = 400


class SourceReader:
    """Source code of any language. Comments stay in the code."""

    name = "source"
    version = 3

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the code; raises the errors of ``Reader.read``."""
        source = decode_file(path, options.charset).lstrip("\ufeff")
        builder = DraftBuilder(f"{self.name}/{self.version}")
        builder.metadata = DraftMetadata(title=path.name)
        language = LANGUAGES.get(path.suffix.lower())
        line = 1
        for number, piece in enumerate(_pieces(source.splitlines()), 1):
            data = {"language": language, "line": line} if language else {"line": line}
            builder.node(f"code{number}", ContentNodeType.CODE, "\n".join(piece), data=data)
            line += len(piece)
        return not_empty(builder.draft())


def _pieces(lines: list[str]) -> list[list[str]]:
    """Return the lines in pieces, cut where a part begins at the margin behind a blank line."""
    pieces: list[list[str]] = [[]]
    for place, line in enumerate(lines):
        begins = line[:1].strip() and place and not lines[place - 1].strip()
        if (len(pieces[-1]) >= _LINES and begins) or len(pieces[-1]) >= _MOST_LINES:
            pieces.append([])
        pieces[-1].append(line)
    return pieces
