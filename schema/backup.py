"""What a backup holds, and what backing up, restoring and verifying found."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragraph.schema.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupReport(Result):
    """What ``backup`` wrote.

    ``rows`` is by table; ``originals`` were copied, ``missing`` are named by the store and not there; ``bytes`` is the
    size of the file.
    """

    path: str
    revision: str
    server: str
    rows: dict[str, int]
    originals: int
    missing: list[str]
    bytes: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreReport(Result):
    """What ``restore`` brought back: rows by table, originals, and what was left out, a line each (``warnings``)."""

    path: str
    revision: str
    rows: dict[str, int]
    originals: int
    warnings: list[str]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRecall(Result):
    """How much of what an exact search finds the usual one finds, of ``queries`` vectors of the store, ten each."""

    model: str
    queries: int
    recall: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyReport(Result):
    """What ``verify`` found: ``ok`` when no rule is broken, nothing differs and no original is missing or damaged.

    ``differences`` is against a backup, where one was named.
    """

    rows: dict[str, int]
    violations: int
    differences: list[str] = field(default_factory=list)
    recall: list[IndexRecall] = field(default_factory=list)
    originals: int = 0
    damaged: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether the store is sound; the recall of an index is no fault of it."""
        return not (self.violations or self.differences or self.damaged)
