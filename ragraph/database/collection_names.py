"""The rule for names of collections, and for who may write them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.base.queries import QUERIES
from ragraph.errors import AccessError, ArgumentError

if TYPE_CHECKING:
    from ragraph.database.connection import Database

_NAME = re.compile(r"[^\W_](?:[\w.:/-]{0,98}[^\W_])?")

RULE = "1 to 100 letters and digits of any script, and . _ - : / between them"


def check_collection(database: Database, name: str) -> None:
    """Refuse to write to a collection whose name is invalid, or which this role may not write.

    A name that a collection of the store already has is accepted.

    Raises:
        ArgumentError: the name breaks the rule; the hint states it.
        AccessError: the role was granted other collections.
    """
    if not name:
        raise ArgumentError("the collection has no name", hint=f"a name has {RULE}; 'default' is the usual one")
    well_formed = _NAME.fullmatch(name) is not None
    if not well_formed and not name.isprintable():
        raise _no_name(name)
    with database.read() as connection:
        if not well_formed and not connection.execute(QUERIES["collection_exists"], {"collection": name}).fetchone():
            raise _no_name(name)
        (granted,) = connection.execute(QUERIES["writable_collections"]).fetchone() or (None,)
    if granted is not None and name not in granted:
        others = f"name one that you may: {', '.join(map(repr, granted))}" if granted else "you may only read"
        raise AccessError(f"you may not write to collection {name!r}; {others}")


def _no_name(name: str) -> ArgumentError:
    return ArgumentError(f"{name[:110]!r} cannot be the name of a collection", hint=f"a name has {RULE}")
