"""The reader of PDF files: what ``ragraph.pdf`` finds in a file, as a draft."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragraph.base.defaults import LIKELY
from ragraph.ingest.readers.pdf.drafting import make_draft
from ragraph.pdf.analysis import analyse

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions
    from ragraph.pdf.model import Page


_NAMED = 20
_WORST = 5
"""Numbers of pages that are named as likely read wrong."""


class PdfReader:
    """Reads PDF files; pages that are images by OCR, where that is installed."""

    name = "pdf"
    version = 22

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
        if worst := named_worst(work.pages):
            work.warnings.append(f"pages likely read wrong, look at the worst: {worst}")
        name = f"{self.name}/{self.version}"
        return make_draft(name, work.pages, work.facts, work.marks, work.vocabulary, work.warnings, work.made_by)


def named_worst(pages: Sequence[Page]) -> str:
    """Return the pages that are likely read wrong, the worst first, each with its probability; empty if none is.

    Pages that were left unread are not among them; other warnings name them.
    """
    worst = sorted((-(page.doubt or 0), page.number) for page in pages if page.lines and (page.doubt or 0) >= LIKELY)
    said = ", ".join(f"{number} ({-doubt:.2f})" for doubt, number in worst[:_WORST])
    return f"{said} and {len(worst) - _WORST} more" if len(worst) > _WORST else said


def pdf_options(options: ReadOptions) -> dict[str, Any]:
    """Return the keyword arguments of ``analyse`` that these options say."""
    return {
        "password": options.password,
        "pages": options.pages,
        "layout": options.layout,
        "ocr": options.ocr,
        "ocr_model": options.ocr_model,
    }
