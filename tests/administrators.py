"""Who makes roles on the server of the tests."""

from __future__ import annotations

import psycopg
import pytest

from ragraph.database.connection import connect


def administrator(url: str) -> str:
    """The URL for whoever makes roles: the embedded server has one beside the owner of the store."""
    own = psycopg.conninfo.conninfo_to_dict(url)
    with connect(url) as connection:
        row = connection.execute(
            "SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user"
        ).fetchone()
    if row == (True,):
        return url
    if own.get("password") or not str(own.get("host", "")).startswith("/"):
        pytest.skip("the role of this server makes no roles")
    return psycopg.conninfo.make_conninfo(url, user="postgres")
