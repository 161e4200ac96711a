"""Results about earlier versions of documents."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ragraph.schema.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Version(Result):
    """A version of a document; ``bytes`` is its size in addition to the next version, 0 for the live one."""

    version: int
    live: bool
    ingested_at: datetime | None
    superseded_at: datetime | None
    sha256: str | None
    file_size: int | None
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeChange(Result):
    """Change of a node between two versions: ``before`` and ``after`` are its text, ``section`` is its section path.

    ``changed``: another node of its type replaced it, or something besides its text changed (positions, description).
    ``moved``: its order or section changed.
    """

    change: Literal["added", "changed", "moved", "removed"]
    section: list[str]
    node_type: str
    node_id: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationState(Result):
    """Whether a citation of an earlier version still holds in the live document.

    ``stands``: same node, same headings. ``moved``: at another place, given by ``node_id`` and ``section``. ``gone``:
    the words do not exist any more. ``version`` is the cited version.
    """

    version: int
    state: Literal["stands", "moved", "gone"]
    node_id: str | None
    section: list[str]
