"""A file on its way through a run: the steps that it goes through, and what is known of it by then."""

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
    """How far a file is, from the list of files to its report."""

    FOUND = "found"
    """The run has taken it from the list; nothing is known of it yet."""

    FETCHING = "fetching"
    """It lies elsewhere, and a thread copies it to this machine."""

    WAITING = "waiting"
    """What it is to the store depends on files of this run that are being read."""

    READING = "reading"
    """A process makes a draft of it."""

    STORED = "stored"
    """The store has its graph: of now, or of an earlier run."""

    EMBEDDING = "embedding"
    """Its document lacks vectors, and the embedder has it."""

    REPORTED = "reported"
    """The end: the report says what became of it."""

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
    """A file that a run has begun with, and how far it is.

    Attributes:
        place: in the list of files.
        found: the file.
        begin: when it was begun with, by ``time.monotonic``.
        step: how far it is.
        copy: folder of the copy of a file that lies elsewhere; None where there is none.
        target: what it is to the store; None before that was looked up.
        status: what becomes of it.
        reason: why, or where it was before.
        spent: seconds of each stage, those it waited for its turn left out.
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

    def move_to(self, step: Step) -> None:
        """Go on to the next step.

        Raises:
            AssertionError: that step does not follow the one that the file is at.
        """
        if step not in NEXT[self.step]:
            raise AssertionError(f"{self.found.shown} is {self.step}, which {step} does not follow")
        self.step = step

    @property
    def identified(self) -> Target:
        """What it is to the store, once that was looked up.

        Raises:
            AssertionError: it was not.
        """
        if self.target is None:
            raise AssertionError(f"{self.found.shown} is {self.step}, and was not looked up")
        return self.target
