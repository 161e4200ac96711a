"""A file in a run: its step, and what is known of it by then."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.files.discover import Found
    from ragraph.ingest.storing.registry import Target
    from ragraph.schema.reports import FileStatus


class Step(StrEnum):
    """Steps of a file, from the list of files to its report."""

    FOUND = "found"
    """The run has taken it from the list; nothing is known of it yet."""

    FETCHING = "fetching"
    """It is a remote file, and a thread copies it to this machine."""

    WAITING = "waiting"
    """Its document depends on files of this run that are being read."""

    READING = "reading"
    """A process makes a draft of it."""

    STORED = "stored"
    """The store has its graph, from now or from an earlier run."""

    EMBEDDING = "embedding"
    """Its document lacks vectors, and the embedder works on it."""

    REPORTED = "reported"
    """The end: its result is reported."""

    TAKEN_OVER = "taken over"
    """The end for this process: another one has the lease of the file."""


_ENDS = frozenset({Step.REPORTED, Step.TAKEN_OVER})

NEXT: dict[Step, frozenset[Step]] = {
    Step.FOUND: frozenset({Step.FETCHING, Step.WAITING, Step.READING, Step.STORED, *_ENDS}),
    Step.FETCHING: frozenset({Step.WAITING, Step.READING, Step.STORED, *_ENDS}),
    Step.WAITING: frozenset({Step.READING, Step.STORED, *_ENDS}),
    Step.READING: frozenset({Step.STORED, *_ENDS}),
    Step.STORED: frozenset({Step.EMBEDDING, *_ENDS}),
    Step.EMBEDDING: _ENDS,
    Step.REPORTED: frozenset(),
    Step.TAKEN_OVER: frozenset(),
}
"""The steps that may follow each step."""


@dataclass(eq=False)
class FileState:
    """A file that a run works on.

    Attributes:
        place: its place in the list of files.
        found: the file.
        begin: start time, by ``time.monotonic``.
        step: its step.
        copy: folder of the copy of a remote file; None if there is no copy.
        target: its document; None before it is identified.
        status: its result.
        reason: the reason, or where the document was before.
        spent: seconds of each stage, without the time it waited for its turn.
        pages: how many of how many pages are read, while it is being read and if the reader tells.
    """

    place: int
    found: Found
    begin: float
    step: Step = Step.FOUND
    copy: Path | None = None
    target: Target | None = None
    status: FileStatus = "unchanged"
    reason: str | None = None
    spent: dict[str, float] = field(default_factory=dict)
    pages: tuple[float, int] | None = None

    def move_to(self, step: Step) -> None:
        """Go to the next step.

        Raises:
            AssertionError: that step does not follow the present one.
        """
        if step not in NEXT[self.step]:
            raise AssertionError(f"{self.found.shown} is {self.step}, which {step} does not follow")
        self.step = step

    @property
    def identified(self) -> Target:
        """Return its document, once it is identified.

        Raises:
            AssertionError: it is not identified yet.
        """
        if self.target is None:
            raise AssertionError(f"{self.found.shown} is {self.step}, and was not looked up")
        return self.target
