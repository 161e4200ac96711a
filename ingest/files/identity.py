"""Decide which document a file is, by the rules of docs/decisions/0003. No store or file system."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Row = dict[str, Any]

_DERIVED = re.compile(r"dl_[0-9a-f]{24}")


@dataclass(frozen=True)
class Identity:
    """The document that a file belongs to.

    Attributes:
        row: its document; None if it gets a new one.
        moved: whether that document was at another place before.
        twin: id of a document with the same bytes; this file is only a copy of it.
    """

    row: Row | None = None
    moved: bool = False
    twin: str | None = None


def identify(
    rows: Sequence[Row],
    collection: str,
    source_uri: str,
    stem: str,
    sha256: str | None,
    is_there: Callable[[Row], bool],
) -> Identity:
    """Return the document of a file that is ingested into a collection.

    A document is found by its place, then by the file's name (ids from publication records), then by its bytes. If
    the file of a document is no longer at its place, the document moves to where its bytes are now, even if another
    document was there before. If its file is still there, this one is a copy. A document that was moved out of the
    collection still counts, after those in it.

    Args:
        rows: documents ingested into the collection, or in it, with this place, an id like the file's name, or these
            bytes.
        collection: the collection.
        source_uri: place of the file.
        stem: its name without ending.
        sha256: SHA-256 of its bytes; None if they could not be read.
        is_there: returns whether the file of a document with these bytes is still at the document's place.
    """
    rows = sorted(rows, key=lambda row: (row["collection"] != collection, row["id"]))
    alike = [row for row in rows if sha256 is not None and row["sha256"] == sha256]
    # Old stores may have two documents at one place; the one with the bytes of the file is meant.
    at_place = sorted(
        (row for row in rows if row["source_uri"] == source_uri),
        key=lambda row: (row["collection"] != collection, row not in alike),
    )
    here = at_place[0] if at_place else next((row for row in rows if row["id"] == stem), None)
    if here is None:
        lost = next((row for row in alike if not is_there(row)), None)
        return Identity(lost, moved=lost is not None, twin=alike[0]["id"] if alike and lost is None else None)
    if here in alike:
        moved = here["source_uri"] != source_uri
        return Identity(here, moved=moved, twin=here["id"] if moved and is_there(here) else None)
    if here["sha256"] is None:
        twins = [row["id"] for row in alike if row["collection"] == here["collection"]]
        return Identity(here, twin=twins[0] if twins else None)
    if not is_named(here):
        elsewhere = (row for row in alike if row not in at_place and not is_named(row))
        lost = next((row for row in elsewhere if not is_there(row)), None)
        if lost is not None:
            return Identity(lost, moved=True)
    return Identity(here)


def is_named(row: Row) -> bool:
    """Return True if a publication record or the user gave the document its id; it then belongs to its place."""
    return bool(row["ingested_with"].get("record")) or _DERIVED.fullmatch(row["id"]) is None
