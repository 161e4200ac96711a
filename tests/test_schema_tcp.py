"""A server of someone else: over TCP, with a password, as a role that is not superuser."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import psycopg
import pytest
from factories import make_tree
from psycopg import sql
from tcp_server import PASSWORD, ROLE, TcpServer

from ragraph.database import migrate
from ragraph.database.connection import Database
from ragraph.errors import ServerLoginError, ServerUnavailableError, ServerVersionError

if TYPE_CHECKING:
    from collections.abc import Callable


def _create(server: TcpServer, name: str, template: str = "template1") -> str:
    with psycopg.connect(server.url(), autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template)))
    return server.url(name)


def test_the_store_works_for_a_plain_role(tcp: TcpServer) -> None:
    url = _create(tcp, "plain")
    assert migrate.upgrade(url)
    assert not migrate.upgrade(url)
    migrate.check(url)
    with Database(url) as database:
        with database.write() as connection:
            make_tree(connection)
        with database.read() as connection:
            row = connection.execute(
                "SELECT count(*), current_setting('is_superuser'), current_user FROM ragraph.content_node"
            ).fetchone()
    assert row == (8, "off", ROLE)
    migrate.downgrade(url, "base")
    assert migrate.current(url) is None


def test_whoever_may_use_the_functions_reaches_what_they_are_made_of(tcp: TcpServer) -> None:
    """A reader is granted the schema ragraph and its tables, and nothing of ragraph_private by name."""
    migrate.upgrade(_create(tcp, "granted"))
    with psycopg.connect(tcp.admin_url("granted")) as admin:
        admin.execute("CREATE ROLE ragraph_test_grantee")
        admin.execute("GRANT USAGE ON SCHEMA ragraph TO ragraph_test_grantee")
        admin.execute("GRANT SELECT ON ALL TABLES IN SCHEMA ragraph TO ragraph_test_grantee")
        admin.execute("SET LOCAL ROLE ragraph_test_grantee")
        assert admin.execute("SELECT count(*) FROM ragraph.search_text('word')").fetchone() == (0,)
        admin.rollback()


def test_missing_pgvector_is_one_line_that_names_the_remedy(tcp: TcpServer) -> None:
    url = _create(tcp, "bare", "template0")
    with pytest.raises(ServerVersionError, match="administrator run CREATE EXTENSION vector") as caught:
        migrate.upgrade(url)
    assert "bare" in str(caught.value)
    assert ROLE in str(caught.value)
    with psycopg.connect(tcp.admin_url("bare"), autocommit=True) as admin:
        assert admin.execute("SELECT to_regnamespace('ragraph')").fetchone() == (None,), "the failure left something"
        admin.execute("CREATE EXTENSION vector")
    assert migrate.upgrade(url)


def test_a_role_without_rights_is_told_so(tcp: TcpServer) -> None:
    url = _create(tcp, "foreign")
    with psycopg.connect(tcp.admin_url(), autocommit=True) as admin:
        admin.execute("CREATE ROLE guest LOGIN PASSWORD 'guest'")
    guest = tcp.url("foreign", user="guest", password="guest")
    with pytest.raises(ServerLoginError, match="permission denied"):
        migrate.upgrade(guest)
    migrate.upgrade(url)
    with Database(guest) as database, pytest.raises(ServerLoginError, match="grant"), database.read() as connection:
        connection.execute("SELECT FROM ragraph.document")


def test_what_a_database_grants_is_named(tcp: TcpServer) -> None:
    _create(tcp, "closed")
    with psycopg.connect(tcp.admin_url(), autocommit=True) as admin:
        admin.execute("CREATE ROLE tenant LOGIN PASSWORD 'tenant'")
    with pytest.raises(ServerLoginError, match="GRANT CREATE ON DATABASE"):
        migrate.upgrade(tcp.url("closed", user="tenant", password="tenant"))


def test_a_database_whose_letters_are_ascii_is_named_when_it_gets_a_store(tcp: TcpServer) -> None:
    url = _create(tcp, "letters")
    made = subprocess.run(
        [sys.executable, "-m", "ragraph", "--url", url, "db", "init"], capture_output=True, text=True, check=True
    )
    assert "LC_CTYPE 'C.UTF-8'" in made.stderr
    assert "upgraded now" in made.stdout


def _wrong_password(tcp: TcpServer) -> str:
    return tcp.url(password="wr0ng pass")


def _unknown_role(tcp: TcpServer) -> str:
    return tcp.url(user="stranger")


def _unknown_database(tcp: TcpServer) -> str:
    return tcp.url("nowhere")


def _nobody_listens(tcp: TcpServer) -> str:
    return tcp.url().replace(f":{tcp.port}/", ":1/")


def _unreadable(tcp: TcpServer) -> str:
    return tcp.url().replace("://", "//")


@pytest.mark.parametrize(
    ("url_of", "error"),
    [
        (_wrong_password, ServerLoginError),
        (_unknown_role, ServerLoginError),
        (_unknown_database, ServerLoginError),
        (_nobody_listens, ServerUnavailableError),
        (_unreadable, ServerLoginError),
    ],
)
def test_a_refusal_is_one_line_without_the_password(
    tcp: TcpServer, url_of: Callable[[TcpServer], str], error: type[Exception]
) -> None:
    url = url_of(tcp)

    def use() -> None:
        with Database(url) as database, database.read():
            pass

    for attempt in (use, lambda: migrate.upgrade(url), lambda: migrate.check(url), lambda: migrate.current(url)):
        with pytest.raises(error) as caught:
            attempt()
        said = str(caught.value)
        assert "\n" not in said
        assert len(said) > 20
        shown = said + repr(caught.value.__cause__)
        for secret in (PASSWORD, "s3cr", "wr0ng"):
            assert secret not in shown
