"""Files of a run with the same bytes, or for the same document: one waits for the other, or fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.files.inside import file_around

if TYPE_CHECKING:
    from ragraph.ingest.jobs.file_state import FileState
    from ragraph.ingest.storing.registry import Target


class Conflicts:
    """Files of a run that are being read, or failed, and the files that they hold up."""

    def __init__(self) -> None:
        self._holders: dict[str, FileState] = {}
        self._documents: set[str] = set()
        self._contents: set[str] = set()
        self._places: set[str] = set()
        self._failed: dict[str, str] = {}

    def has_to_wait(self, target: Target) -> bool:
        """Return True if the document of a file depends on an earlier file that is being read."""
        if target.twin is not None and file_around(target.found.uri) in self._places:
            return True  # once its mail is stored, it is no copy of an attachment of another one
        return target.sha256 in self._contents or not target.considered.isdisjoint(self._documents)

    def claim_document(self, file: FileState, target: Target) -> str | None:
        """Claim a document for a file. Return the reason if an earlier file of this run holds it, else None."""
        if target.row is None and (reason := self._failed.get(target.sha256)):
            return reason
        holder = self._holders.setdefault(target.document_id, file)
        if holder.place == file.place:  # another process had taken the file over, and this one got it back
            self._holders[target.document_id] = file
            return None
        return (
            f"document {target.document_id!r} is already read from {holder.found.shown} in this run; "
            "keep one file per document"
        )

    def reading_begins(self, target: Target) -> None:
        """Record that a file is being read."""
        self._contents.add(target.sha256)
        self._places.add(target.found.uri)
        self._documents |= target.considered | {target.document_id}

    def reading_is_over(self) -> None:
        """Record that no file is being read."""
        self._contents.clear()
        self._places.clear()
        self._documents.clear()

    def content_fails(self, target: Target, reason: str) -> None:
        """Record that a file failed: the same bytes at another place will fail too."""
        self._failed.setdefault(target.sha256, reason)

    def release_document(self, file: FileState) -> None:
        """Release the document of a file that does not become it: a copy, or one that another process took over."""
        if file.target is not None and self._holders.get(file.target.document_id) is file:
            del self._holders[file.target.document_id]
