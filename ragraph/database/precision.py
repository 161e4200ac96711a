"""The precision in which a store has its vectors: single, or half."""

from __future__ import annotations

from ragraph.base.queries import QUERIES
from ragraph.database.connection import connect
from ragraph.database.driver import translate_errors


def half_vectors(url: str) -> bool:
    """Return True if the store has its vectors in half precision.

    Raises:
        ServerError: the server cannot be reached.
        SchemaVersionError: the database has no store.
    """
    with translate_errors(url), connect(url) as connection:
        return connection.execute(QUERIES["half_vectors"]).fetchone() == (True,)


def store_vectors(url: str, *, half: bool) -> bool:
    """Store the vectors of all models in half precision, or in full precision again, and rebuild their indexes.

    Vectors keep three decimal digits, and numbers up to 65,504. The digits that are lost do not come back. Nobody else
    reads or writes vectors meanwhile.

    Args:
        url: the store's database, as its owner.
        half: True for half precision, of 2 bytes a number instead of 4.

    Returns:
        True if this call changed it.

    Raises:
        ArgumentError: a number is out of range, or the store is on a cluster; nothing has changed.
        ServerError: the server cannot be reached, or the role does not own the store.
        StoreError: other transactions kept the table locked; try again.
    """
    with translate_errors(url), connect(url) as connection:
        connection.execute(QUERIES["tenants_patience"])
        return connection.execute(QUERIES["store_vectors"], {"half": half}).fetchone() == (True,)
