"""Mail messages."""

from ragraph.ingest.readers.mail.reader import EmlReader

__all__ = ["EmlReader"]
