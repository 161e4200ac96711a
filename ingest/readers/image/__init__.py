"""Images of pages."""

from ragraph.ingest.readers.image.reader import ImageReader

__all__ = ["ImageReader"]
