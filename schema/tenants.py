"""What is told of tenants."""

from __future__ import annotations

from dataclasses import dataclass

from ragraph.schema.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionGrant(Result):
    """What a role was granted: a collection, ``*`` for all, and whether it changes what is in there, too.

    ``role_exists`` is False where the role is gone; the grant does nothing then.
    """

    role_name: str
    collection: str
    may_write: bool
    role_exists: bool
