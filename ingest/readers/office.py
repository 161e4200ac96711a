"""Readers that leave everything to docling: USPTO patents and DoclingDocument JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.readers.docling_document import draft_of
from ragraph.ingest.readers.docling_run import not_empty, run_docling

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions


class _DoclingReader:
    """Parses with docling and converts; what all readers of this module do."""

    name = ""
    version = 1

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the file."""
        document = run_docling(path, self.name)
        return not_empty(draft_of(document, f"{self.name}/{self.version}", table_rows=options.table_rows))


class UsptoReader(_DoclingReader):
    """US patents and applications: XML of all years and the text format before 2002."""

    name = "uspto"


class DoclingJsonReader(_DoclingReader):
    """A DoclingDocument, as docling and others save it; taken in whole."""

    name = "docling"
