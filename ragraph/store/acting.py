"""A store as seen by another role, for services that work for several parties."""

from __future__ import annotations

import copy
from contextlib import ExitStack
from typing import TYPE_CHECKING

from ragraph.database.roles import with_role
from ragraph.database.runner import QueryRunner

if TYPE_CHECKING:
    from ragraph.store.store import Store


def acting(store: Store, role: str, *, writes: bool, noted: set[str] | None = None) -> Store:
    """Return a store that works as a role: the server lets it see and change what the role may, and nothing else.

    It shares connections and models with the first store. Closing it does nothing.

    Args:
        store: the store; its login must be able to assume the role.
        role: name of a PostgreSQL role.
        writes: False to let it only read, whatever the role may.
        noted: set to which the ids of documents are added that it reads or changes.
    """
    seen = copy.copy(store)
    url = with_role(store.database.url, role)
    seen.database = store.database.acting(role, url=url, writes=writes)
    seen._ask = QueryRunner(seen.database, noted)
    seen._resources = ExitStack()
    return seen
