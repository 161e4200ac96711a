"""The administrator of the test server, who may create roles."""

from __future__ import annotations

import psycopg
import pytest

from ragraph.database.connection import connect


def administrator(url: str) -> str:
    """Return the URL of a role that may create roles; the embedded server has one besides the owner of the store."""
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
