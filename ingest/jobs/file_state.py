"""A file on its way through a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragraph.ingest.files.discover import Found
    from ragraph.ingest.storing.registry import Target
    from ragraph.schema.reports import FileStatus


@dataclass
class Opened:
    """A file that a run has begun with, and how far it is.

    Attributes:
        place: in the list of files.
        found: the file.
        begin: when it was begun with, by ``time.monotonic``.
        target: what it is to the store; None before that was looked up.
        waits: whether it depends on files of this run that are still being read.
        status: what becomes of it.
        reason: why, or where it was before.
        spent: seconds of each stage, those it waited for its turn left out.
    """

    place: int
    found: Found
    begin: float
    target: Target | None = None
    waits: bool = False
    status: FileStatus = "unchanged"
    reason: str | None = None
    spent: dict[str, float] = field(default_factory=dict)
