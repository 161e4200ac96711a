"""The PDF reader: structure from the page itself, without model weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.readers.pdf.drafting import make_draft
from ragraph.pdf.page.parse import parse_pages
from ragraph.pdf.passes import ANALYSING, PREPARING, STATING, Work, run
from ragraph.pdf.stated import engines
from ragraph.pdf.stated.facts import open_pdf, read_facts

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions


class PdfReader:
    """Reads PDF files; pages that are images by OCR, where that is installed."""

    name = "pdf"
    version = 12

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of a PDF; the same file always gives the same draft.

        Raises:
            EncryptedFileError: the file needs a password, or another one than that of the options.
            DamagedFileError: no page of the file can be read.
            NoTextError: the pages are images, and their text cannot be or is not to be recognised.
            IngestError: the options name a layout engine that is not there.
        """
        work = analyse(path, options)
        name = f"{self.name}/{self.version}"
        return make_draft(name, work.pages, work.facts, work.marks, work.vocabulary, work.warnings, work.made_by)


def analyse(path: Path, options: ReadOptions) -> Work:
    """Return a file after all passes: what ``PdfReader.read`` makes a draft of. Errors are those of that."""
    engine = engines.choose(options.layout)
    file = open_pdf(path, options.password)
    try:
        facts = read_facts(file)
        pages = list(parse_pages(path, options.password, options.pages))
        work = Work(path.name, pages, facts, file, options.ocr, engine, options.ocr_model)
        run(work, (*PREPARING, *STATING))
    finally:
        file.close()
    work.file = None
    run(work, ANALYSING)
    return work
