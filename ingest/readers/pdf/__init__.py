"""PDF files: what ``ragraph.pdf`` finds in them, as drafts."""

from ragraph.ingest.readers.pdf.reader import PdfReader
from ragraph.pdf.passes import UNSEEN

__all__ = ["UNSEEN", "PdfReader"]
