"""Reports of backing up, restoring and verifying a store."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragraph.schema.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupReport(Result):
    """Report of ``backup``.

    ``rows`` are counted by table. ``originals`` were copied; ``missing`` are named by the store but do not exist.
    ``bytes`` is the size of the file.
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
    """Report of ``restore``: rows by table, number of originals, and a line for each thing left out (``warnings``)."""

    path: str
    revision: str
    rows: dict[str, int]
    originals: int
    warnings: list[str]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRecall(Result):
    """Recall of a vector index: share of the ten nearest that searches find, over ``queries`` vectors of the store."""

    model: str
    queries: int
    recall: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyReport(Result):
    """Report of ``verify``: ``ok`` if no rule is broken, nothing differs and no original is missing or damaged.

    ``differences`` are from a backup, if one was named.
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
        """True if the store is sound; the recall of an index does not count."""
        return not (self.violations or self.differences or self.damaged)
