"""Results about tenants."""

from __future__ import annotations

from dataclasses import dataclass

from ragraph.schema.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionGrant(Result):
    """A grant of a role: a collection, ``*`` for all, and whether the role may change its content.

    ``role_exists`` is False if the role was dropped; the grant then has no effect.
    """

    role_name: str
    collection: str
    may_write: bool
    role_exists: bool
