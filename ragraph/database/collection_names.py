"""The rule for names of collections."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.base.queries import QUERIES
from ragraph.errors import ArgumentError

if TYPE_CHECKING:
    from ragraph.database.connection import Database

_NAME = re.compile(r"[^\W_](?:[\w.:/-]{0,98}[^\W_])?")

RULE = "1 to 100 letters and digits of any script, and . _ - : / between them"


def check_collection(database: Database, name: str) -> None:
    """Refuse an invalid name of a collection. A name that a collection of the store already has is accepted.

    Raises:
        ArgumentError: the name breaks the rule; the hint states it.
    """
    if not name:
        raise ArgumentError("the collection has no name", hint=f"a name has {RULE}; 'default' is the usual one")
    if _NAME.fullmatch(name):
        return
    if name.isprintable():
        with database.read() as connection:
            if connection.execute(QUERIES["collection_exists"], {"collection": name}).fetchone():
                return
    raise ArgumentError(f"{name[:110]!r} cannot be the name of a collection", hint=f"a name has {RULE}")
