"""Files of one run that have the same bytes, or are about the same document: they wait for each other, or one fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragraph.ingest.jobs.file_state import FileState
    from ragraph.ingest.storing.registry import Target


class Conflicts:
    """What the files of a run that are open, or failed, keep others from."""

    def __init__(self) -> None:
        self._holders: dict[str, FileState] = {}
        self._documents: set[str] = set()
        self._contents: set[str] = set()
        self._failed: dict[str, str] = {}

    def has_to_wait(self, target: Target) -> bool:
        """Return whether what a file is depends on what becomes of an earlier one that is being read."""
        return target.sha256 in self._contents or not target.considered.isdisjoint(self._documents)

    def claim_document(self, file: FileState, target: Target) -> str | None:
        """Claim a document for a file; return why an earlier file of this run stands in the way, None if none does."""
        if target.row is None and (reason := self._failed.get(target.sha256)):
            return reason
        holder = self._holders.setdefault(target.document_id, file)
        if holder.place == file.place:  # a file that was lost to another process, and came back
            self._holders[target.document_id] = file
            return None
        return (
            f"document {target.document_id!r} is already read from {holder.found.shown} in this run; "
            "keep one file per document"
        )

    def reading_begins(self, target: Target) -> None:
        """Take note that a file is being read."""
        self._contents.add(target.sha256)
        self._documents |= target.considered | {target.document_id}

    def reading_is_over(self) -> None:
        """Take note that no file is being read."""
        self._contents.clear()
        self._documents.clear()

    def content_fails(self, target: Target, reason: str) -> None:
        """Take note that a file failed: the same bytes at another place will, too."""
        self._failed.setdefault(target.sha256, reason)

    def release_document(self, file: FileState) -> None:
        """Give back the document of a file that another process took over."""
        if file.target is not None and self._holders.get(file.target.document_id) is file:
            del self._holders[file.target.document_id]
