"""PDF files: what ``ragraph.pdf`` finds in them, as drafts."""

from ragraph.ingest.readers.pdf.reader import PdfReader

__all__ = ["PdfReader"]
