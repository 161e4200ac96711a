"""What is said of earlier versions of documents."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ragraph.schema.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Version(Result):
    """A state of a document; ``bytes`` is what it takes beyond the next one, 0 of the live one."""

    version: int
    live: bool
    ingested_at: datetime | None
    superseded_at: datetime | None
    sha256: str | None
    file_size: int | None
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeChange(Result):
    """What became of a node between two versions: ``before`` and ``after`` are its text, ``section`` where it stands.

    ``changed``: another node of its type has taken its place, or it says something else besides its text (positions,
    description); ``moved``: in another order or section.
    """

    change: Literal["added", "changed", "moved", "removed"]
    section: list[str]
    node_type: str
    node_id: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationState(Result):
    """Whether the words of a citation still stand in the live document.

    ``stands``: at the same node, under the same headings; ``moved``: elsewhere, where ``node_id`` and ``section`` say;
    ``gone``: nowhere. ``version`` is the one that was cited.
    """

    version: int
    state: Literal["stands", "moved", "gone"]
    node_id: str | None
    section: list[str]
