"""Read what a program supplies as a draft, and refuse it if it is not valid."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ragraph.base.arguments import refusal
from ragraph.errors import ArgumentError, IngestError
from ragraph.ingest.draft import Draft, DraftDocument

if TYPE_CHECKING:
    from pydantic import ValidationError

_SAYS = 300


def as_draft(given: Any) -> DraftDocument:
    """Return the argument as a draft that can be written.

    Raises:
        ArgumentError: it is not a draft.
        ValidationError: a field is missing, or has a wrong type.
        IngestError: keys are repeated or unknown, or there is no text.
    """
    match given:
        case DraftDocument():
            draft = given
        case Draft():
            draft = DraftDocument(**dict(given))
        case str() | bytes():
            draft = DraftDocument.model_validate_json(given)
        case dict():
            draft = DraftDocument.model_validate(given)
        case _:
            raise refusal("draft", "a DraftDocument, a mapping or JSON", given)
    for kind, keys in (
        ("node", [row.key for row in draft.nodes]),
        ("container", [row.key for row in draft.containers]),
    ):
        if twice := [key for key, count in Counter(keys).items() if count > 1]:
            raise ArgumentError(f"the draft has two {kind}s with the key {twice[0]!r}", hint="give each its own")
    containers = {row.key for row in draft.containers}
    named = {row.container for row in draft.nodes} | {row.parent for row in draft.containers}
    if missing := sorted(name for name in named if name is not None and name not in containers):
        raise ArgumentError(f"the draft has no container {missing[0]!r}", hint="list it in containers")
    nodes = {row.key for row in draft.nodes}
    ends = {row.source for row in draft.relations} | {row.target for row in draft.relations}
    if missing := sorted(name for name in ends if name is not None and name not in nodes):
        raise ArgumentError(f"a relation names the node {missing[0]!r}, which the draft does not have")
    if not any(row.text.strip() or row.description or row.storage_url or row.data.get("cells") for row in draft.nodes):
        raise IngestError("the draft holds no text; give nodes with some")
    return draft


def said(error: ValidationError) -> str:
    """Return the first error of a draft, and its place."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place + ': ' if place else ''}{first['msg']}"[:_SAYS]
