"""The reader of PDF files: what ``ragraph.pdf`` finds in a file, as a draft."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragraph.ingest.readers.pdf.drafting import make_draft
from ragraph.pdf.analysis import analyse

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions


_NAMED = 20


class PdfReader:
    """Reads PDF files; pages that are images by OCR, where that is installed."""

    name = "pdf"
    version = 16

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of a PDF; the same file always gives the same draft.

        Raises:
            EncryptedFileError: the file needs a password, or another one than that of the options.
            DamagedFileError: no page of the file can be read.
            NoTextError: the pages are images, and their text cannot be or is not to be recognised.
            IngestError: the options name a layout engine that is not there.
        """
        work = analyse(path, **pdf_options(options))
        if (names := work.facts.attached) and options.attachments != "documents":
            said = ", ".join(names[:_NAMED]) + (" ..." if len(names) > _NAMED else "")
            count = "1 attached file was" if len(names) == 1 else f"{len(names)} attached files were"
            work.warnings.append(f"{count} not read: {said}; save attached files to ingest them")
        name = f"{self.name}/{self.version}"
        return make_draft(name, work.pages, work.facts, work.marks, work.vocabulary, work.warnings, work.made_by)


def pdf_options(options: ReadOptions) -> dict[str, Any]:
    """Return the keyword arguments of ``analyse`` that these options say."""
    return {
        "password": options.password,
        "pages": options.pages,
        "layout": options.layout,
        "ocr": options.ocr,
        "ocr_model": options.ocr_model,
    }
